"""weighted_condorcet: runs vote with their weights between every two documents; a document is worth how many it beats."""

from __future__ import annotations

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.fusion._majorities import majorities
from assay.fusion._weights import WEIGHTS
from assay.model import Floats


def weighted_condorcet(lists: Lists, weights: tuple[float, ...]) -> Floats:
    """Runs vote with their weights between every two documents; a document is worth how many it beats.

    As condorcet, with weighted votes; sides that differ by rounding alone draw.
    """
    return majorities(lists, lists.weights(weights, each=1.0))


FUSION = Fusion(
    "weighted_condorcet",
    weighted_condorcet,
    params=(WEIGHTS,),
    aliases=("w_condorcet",),
    cite="Montague & Aslam 2002, Condorcet Fusion for Improved Retrieval, CIKM",
)
