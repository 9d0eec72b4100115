"""Similarities of two terms: by depth, by the path between them, by shared ancestors, and by information content."""

import numpy as np

from assay.arrays import Floats, ratio
from assay.grammar import Param, fraction
from assay.ontology.ancestors import CommonAncestors
from assay.ontology.ontology import Ontology
from assay.ontology.similarity import CONTENT, Similarity, information_content

WEIGHT = Param("weight", fraction, 0.7, "weight of the depth of the common ancestor; the weight of the path is 1 minus this")


def hybrid(ontology: Ontology, common: CommonAncestors, weight: float) -> Floats:
    """Weighted sum of the depth of the deepest common ancestor (0.7) and the shortness of the path between the terms (0.3).

    The path is the shortest one through any common ancestor, and d1 and d2 are the depths of the terms. Depth is the longest
    path to a root, so the path is never longer than d1 + d2. 0 if the terms have no common ancestor.
    """
    has_common = common.lowest >= 0
    depth = np.where(has_common, ontology.depth[common.lowest], 0) / max(ontology.max_depth, 1)
    way = ratio(common.shortest, ontology.depth[common.a] + ontology.depth[common.b])
    return np.where(has_common, weight * depth + (1 - weight) * (1 - way), 0.0)


HYBRID = Similarity(
    "hybrid",
    hybrid,
    params=(WEIGHT,),
    formula="0.7 · depth(LCA) ÷ maximum depth + 0.3 · (1 − path ÷ (d1 + d2))",
    cite="depth after Wu & Palmer 1994, path after Rada, Mili, Bicknell & Blettner 1989, IEEE Trans. SMC 19",
)


def jaccard(ontology: Ontology, common: CommonAncestors) -> Floats:
    """Number of common ancestors divided by the number of ancestors of either term.

    A term counts as its own ancestor, so only a term and itself score 1. 0 if the terms have no common ancestor.
    """
    n_above = ontology.ancestors.n_above
    return ratio(common.n_shared, n_above[common.a] + n_above[common.b] - common.n_shared)


JACCARD = Similarity(
    "jaccard",
    jaccard,
    aliases=("simui", "ui"),
    formula="|A1 ∩ A2| ÷ |A1 ∪ A2|, A: a term and all its ancestors",
    cite="Gentleman 2005, Visualizing and Distances Using GO (simUI)",
)


def jiang_conrath(ontology: Ontology, common: CommonAncestors, ic: str) -> Floats:
    """1 minus half of the information content that both terms have beyond their most informative common ancestor.

    It is the distance of Jiang and Conrath, turned into a similarity from 0 to 1 as in Seco, Veale & Hayes. Information
    content is from 0 to 1. A term and its ancestor may score 1 if both are equally informative. Two terms with little
    information content are similar even if they share only a root. Terms without a common ancestor score 0.
    """
    content = information_content(ontology, ic)
    distance = content[common.a] + content[common.b] - 2 * common.greatest(content)
    return np.where(common.lowest >= 0, 1 - distance / 2, 0.0)


JIANG_CONRATH = Similarity(
    "jiang_conrath",
    jiang_conrath,
    params=(CONTENT,),
    aliases=("jc", "jcn"),
    formula="1 − (IC1 + IC2 − 2 · IC(MICA)) ÷ 2",
    cite="Jiang & Conrath 1997, ROCLING X; scaled as in Seco, Veale & Hayes 2004, ECAI",
    only_identical=False,
)


def lin(ontology: Ontology, common: CommonAncestors, ic: str) -> Floats:
    """Information content of the most informative common ancestor, relative to the information content of both terms.

    A term and itself score 1. A term and its ancestor may also score 1 if both are equally informative, for example if
    everything annotated with the ancestor is also annotated with the term. 0 if both terms have the information content 0
    or have no common ancestor.
    """
    content = information_content(ontology, ic)
    return ratio(2 * common.greatest(content), content[common.a] + content[common.b])


LIN = Similarity(
    "lin",
    lin,
    params=(CONTENT,),
    formula="2 · IC(MICA) ÷ (IC1 + IC2)",
    cite="Lin 1998, An Information-Theoretic Definition of Similarity, ICML",
    only_identical=False,
)


def resnik(ontology: Ontology, common: CommonAncestors, ic: str) -> Floats:
    """Information content of the most informative common ancestor.

    It is not normalised: a term and itself score the information content of the term, which is 1 only for the most specific
    terms. A term is as similar to itself as to any of its descendants. 0 if the terms have no common ancestor.
    """
    return common.greatest(information_content(ontology, ic))


RESNIK = Similarity(
    "resnik",
    resnik,
    params=(CONTENT,),
    formula="IC(MICA)",
    cite="Resnik 1995, Using Information Content to Evaluate Semantic Similarity in a Taxonomy, IJCAI",
    is_normalised=False,
    only_identical=False,
)


def simple(ontology: Ontology, common: CommonAncestors) -> Floats:
    """Depth of the deepest common ancestor, divided by the maximum depth of the ontology.

    A term and itself score 1 at any depth. All other pairs score less, because their common ancestor is above one of them.
    0 if the terms share only a root or nothing. The distance of the terms from the common ancestor does not count.
    """
    return np.where(common.lowest >= 0, ontology.depth[common.lowest], 0) / max(ontology.max_depth, 1)


SIMPLE = Similarity(
    "simple",
    simple,
    aliases=("depth",),
    formula="depth(LCA) ÷ maximum depth; depth is the longest path to a root",
    cite="after Wu & Palmer 1994, Verb Semantics and Lexical Selection, ACL",
)


def wu_palmer(ontology: Ontology, common: CommonAncestors) -> Floats:
    """Depth of the deepest common ancestor, relative to the depths of both terms.

    Depth is the longest path to a root. It counts terms, as in the original: a root has depth 1, so terms that share only a
    root score a little above 0. 0 if the terms have no common ancestor.
    """
    depth = ontology.depth + 1
    shared = (common.lowest >= 0) * depth[common.lowest]
    return ratio(2.0 * shared, depth[common.a] + depth[common.b])


WU_PALMER = Similarity(
    "wu_palmer",
    wu_palmer,
    aliases=("wup", "wu_and_palmer"),
    formula="2 · depth(LCA) ÷ (d1 + d2), a root has depth 1",
    cite="Wu & Palmer 1994, Verb Semantics and Lexical Selection, ACL",
)
