"""weighted_sum: a document's normalised scores, each times the weight of its run, added up."""

from __future__ import annotations

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.fusion._normalise import NORM
from assay.fusion._weights import WEIGHTS
from assay.model import Floats


def weighted_sum(lists: Lists, weights: tuple[float, ...]) -> Floats:
    """A document's normalised scores, each times the weight of its run, added up.

    A run that lacks the document adds nothing. Without weights, each run has its equal share of 1.
    """
    return lists.sums(lists.score * lists.weights(weights, each=1 / lists.n_runs))


FUSION = Fusion(
    "weighted_sum",
    weighted_sum,
    params=(NORM, WEIGHTS),
    aliases=("wsum", "weighted", "linear", "convex"),
    cite="Vogt & Cottrell 1999, Fusion via a Linear Combination of Scores, Information Retrieval 1",
)
