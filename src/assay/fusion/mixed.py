"""mixed: a document's weighted scores, added up, times the square root of the number of runs that have it."""

from __future__ import annotations

import numpy as np

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.fusion._normalise import NORM
from assay.fusion._weights import WEIGHTS
from assay.model import Floats


def mixed(lists: Lists, weights: tuple[float, ...]) -> Floats:
    """A document's weighted scores, added up, times the square root of the number of runs that have it.

    Half-way between weighted_sum, where agreement counts by itself, and comb_mnz, where it counts once more.

    A run of weight 0 takes no part, and is not counted.
    """
    weight = lists.weights(weights, each=1 / lists.n_runs)
    return lists.sums(lists.score * weight) * np.sqrt(lists.sums((weight > 0).astype(float)))


FUSION = Fusion(
    "mixed",
    mixed,
    params=(NORM, WEIGHTS),
    cite="Wu & Crestani 2002, Data Fusion with Estimated Weights, CIKM",
)
