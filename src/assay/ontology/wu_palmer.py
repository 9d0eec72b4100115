"""wu_palmer: depth of the deepest common ancestor against the depths of both terms."""

from assay.arrays import Floats, ratio
from assay.ontology._ancestors import Common
from assay.ontology._ontology import Ontology
from assay.ontology._similarity import Similarity


def wu_palmer(ontology: Ontology, common: Common) -> Floats:
    """Depth of the deepest common ancestor against the depths of both terms.

    Depths count terms, as in the original: a root has depth 1, so terms that share only a root are still a little alike.
    Depth is the longest way to a root. 0 where the terms have no ancestor in common.
    """
    depth = ontology.depth + 1
    shared = (common.lowest >= 0) * depth[common.lowest]
    return ratio(2.0 * shared, depth[common.a] + depth[common.b])


SIMILARITY = Similarity(
    "wu_palmer",
    wu_palmer,
    aliases=("wup", "wu_and_palmer"),
    formula="2 · depth(LCA) ÷ (d1 + d2), a root has depth 1",
    cite="Wu & Palmer 1994, Verb Semantics and Lexical Selection, ACL",
)
