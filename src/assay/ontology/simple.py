"""simple: depth of the deepest common ancestor, as a share of the ontology's maximum depth."""

import numpy as np

from assay.arrays import Floats
from assay.ontology._ancestors import Common
from assay.ontology._ontology import Ontology
from assay.ontology._similarity import Similarity


def simple(ontology: Ontology, common: Common) -> Floats:
    """Depth of the deepest common ancestor, as a share of the ontology's maximum depth.

    A term and itself score 1, at whatever depth; all others less, since a common ancestor of two terms is above one of
    them. 0 where only a root is common, or nothing. It does not see how far the two are below what they share.
    """
    return np.where(common.lowest >= 0, ontology.depth[common.lowest], 0) / max(ontology.max_depth, 1)


SIMILARITY = Similarity(
    "simple",
    simple,
    aliases=("depth",),
    formula="depth(LCA) ÷ maximum depth; depth is the longest way to a root",
    cite="after Wu & Palmer 1994, Verb Semantics and Lexical Selection, ACL",
)
