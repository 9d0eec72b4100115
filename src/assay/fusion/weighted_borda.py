"""weighted_borda: every run gives its documents points times its weight; the points are added up."""

from __future__ import annotations

from assay.fusion._borda import borda_points
from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.fusion._weights import WEIGHTS
from assay.model import Floats


def weighted_borda(lists: Lists, weights: tuple[float, ...]) -> Floats:
    """Every run gives its documents points times its weight; the points are added up.

    Points as in borda. Without weights, each run has its equal share of 1.
    """
    return borda_points(lists, lists.weights(weights, each=1 / lists.n_runs))


FUSION = Fusion(
    "weighted_borda",
    weighted_borda,
    params=(WEIGHTS,),
    aliases=("w_bordafuse", "weighted_bordafuse"),
    cite="Aslam & Montague 2001, Models for Metasearch, SIGIR",
)
