"""Similarities of two terms: by depth, by the way between them, by shared ancestors, and by information content."""

import numpy as np

from assay.arrays import Floats, ratio
from assay.grammar import Param, fraction
from assay.ontology.ancestors import CommonAncestors
from assay.ontology.ontology import Ontology
from assay.ontology.similarity import CONTENT, Similarity, information_content

WEIGHT = Param(
    "weight", fraction, 0.7, "what the depth of the common ancestor weighs; the way between the terms has the rest"
)


def hybrid(ontology: Ontology, common: CommonAncestors, weight: float) -> Floats:
    """How deep the deepest common ancestor is (weight 0.7), and how short the way between the terms (0.3).

    The way is the shortest through any common ancestor, d1 and d2 are the depths of the terms; since depth is the longest
    way to a root, the way is never longer than both together. 0 where the terms have no ancestor in common.
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
    """Share of the ancestors of either term that both have.

    A term counts among its own ancestors, so only a term and itself score 1. 0 where no ancestor is common.
    """
    n_above = ontology.ancestors.n_above
    return ratio(common.n_shared, n_above[common.a] + n_above[common.b] - common.n_shared)


JACCARD = Similarity(
    "jaccard",
    jaccard,
    aliases=("simui", "ui"),
    formula="|A1 ∩ A2| ÷ |A1 ∪ A2|, A: a term and all above it",
    cite="Gentleman 2005, Visualizing and Distances Using GO (simUI)",
)


def jiang_conrath(ontology: Ontology, common: CommonAncestors, ic: str) -> Floats:
    """1 minus half of what is to be said about either term beyond their most informative common ancestor.

    The distance of Jiang and Conrath, turned into a similarity from 0 to 1 as Seco does: information content is from 0
    to 1. A term and one above it may score 1 where both are equally informative. Two terms that say little are alike even
    if they share a root alone; those without any ancestor in common score 0.
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
    """Information content of the most informative common ancestor against that of both terms.

    A term and itself score 1. So may a term and one above it, where both are equally informative: with annotations of
    which each one of the upper term is also one of the lower. 0 where both terms say nothing, or have nothing in common.
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

    Not normalised: a term and itself score the term's own information content, which is 1 only for the most specific
    ones, and a term is as much like itself as like any term below it. 0 where the terms have no ancestor in common.
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
    """Depth of the deepest common ancestor, as a share of the ontology's maximum depth.

    A term and itself score 1, at whatever depth; all others less, since a common ancestor of two terms is above one of
    them. 0 where only a root is common, or nothing. It does not see how far the two are below what they share.
    """
    return np.where(common.lowest >= 0, ontology.depth[common.lowest], 0) / max(ontology.max_depth, 1)


SIMPLE = Similarity(
    "simple",
    simple,
    aliases=("depth",),
    formula="depth(LCA) ÷ maximum depth; depth is the longest way to a root",
    cite="after Wu & Palmer 1994, Verb Semantics and Lexical Selection, ACL",
)


def wu_palmer(ontology: Ontology, common: CommonAncestors) -> Floats:
    """Depth of the deepest common ancestor against the depths of both terms.

    Depths count terms, as in the original: a root has depth 1, so terms that share only a root are still a little alike.
    Depth is the longest way to a root. 0 where the terms have no ancestor in common.
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
