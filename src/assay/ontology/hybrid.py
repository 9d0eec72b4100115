"""hybrid: how deep the deepest common ancestor is (weight 0.7), and how short the way between the terms (0.3)."""

import numpy as np

from assay.arrays import Floats, ratio
from assay.grammar import Param, fraction
from assay.ontology._ancestors import Common
from assay.ontology._ontology import Ontology
from assay.ontology._similarity import Similarity

WEIGHT = Param(
    "weight", fraction, 0.7, "what the depth of the common ancestor weighs; the way between the terms has the rest"
)


def hybrid(ontology: Ontology, common: Common, weight: float) -> Floats:
    """How deep the deepest common ancestor is (weight 0.7), and how short the way between the terms (0.3).

    The way is the shortest through any common ancestor, d1 and d2 are the depths of the terms; since depth is the longest
    way to a root, the way is never longer than both together. 0 where the terms have no ancestor in common.
    """
    has_common = common.lowest >= 0
    depth = np.where(has_common, ontology.depth[common.lowest], 0) / max(ontology.max_depth, 1)
    way = ratio(common.shortest, ontology.depth[common.a] + ontology.depth[common.b])
    return np.where(has_common, weight * depth + (1 - weight) * (1 - way), 0.0)


SIMILARITY = Similarity(
    "hybrid",
    hybrid,
    params=(WEIGHT,),
    formula="0.7 · depth(LCA) ÷ maximum depth + 0.3 · (1 − path ÷ (d1 + d2))",
    cite="depth after Wu & Palmer 1994, path after Rada, Mili, Bicknell & Blettner 1989, IEEE Trans. SMC 19",
)
