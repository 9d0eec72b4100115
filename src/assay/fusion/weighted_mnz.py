"""weighted_mnz: a document's normalised scores, added up, times the weights of the runs that have it, added up."""

from __future__ import annotations

import numpy as np

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.fusion._normalise import NORM
from assay.fusion._weights import WEIGHTS
from assay.model import Floats


def weighted_mnz(lists: Lists, weights: tuple[float, ...]) -> Floats:
    """A document's normalised scores, added up, times the weights of the runs that have it, added up.

    The scores themselves are not weighted, but a run of weight 0 takes no part. Equal weights rank as comb_mnz does.
    """
    weight = lists.weights(weights, each=1 / lists.n_runs)
    return lists.sums(np.where(weight > 0, lists.score, 0.0)) * lists.sums(weight)


FUSION = Fusion(
    "weighted_mnz",
    weighted_mnz,
    params=(NORM, WEIGHTS),
    aliases=("wmnz",),
    cite="Wu & Crestani 2002, Data Fusion with Estimated Weights, CIKM",
)
