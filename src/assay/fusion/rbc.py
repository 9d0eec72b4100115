"""rbc: rank-biased centroid, the chance that a patient reader of all runs comes to the document."""

from __future__ import annotations

import numpy as np

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.grammar import Param, persistence
from assay.model import Floats


def rank_biased_centroid(lists: Lists, p: float) -> Floats:
    """Rank-biased centroid, the chance that a patient reader of all runs comes to the document.

    Σ (1 − p) · p^(rank − 1) over the runs that have the document.
    """
    return lists.sums((1 - p) * np.power(p, lists.rank - 1.0))


FUSION = Fusion(
    "rbc",
    rank_biased_centroid,
    params=(Param("p", persistence, 0.8, "the chance that a reader goes on to the next rank", ("phi",)),),
    aliases=("rank_biased_centroid",),
    tries={"p": (0.8, 0.5, 0.9, 0.95, 0.98)},
    cite="Bailey, Moffat, Scholer & Thomas 2017, Retrieval Consistency in the Presence of Query Variations, SIGIR",
)
