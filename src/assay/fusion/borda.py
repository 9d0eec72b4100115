"""borda: every run gives its documents points, more for higher ranks; the points are added up."""

from __future__ import annotations

import numpy as np

from assay.fusion._borda import borda_points
from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.model import Floats


def borda(lists: Lists) -> Floats:
    """Every run gives its documents points, more for higher ranks; the points are added up.

    Of c candidates the first gets c points, the next c − 1 …; those a run lacks share the points that are left.
    """
    return borda_points(lists, np.ones(len(lists.pair)))


FUSION = Fusion(
    "borda",
    borda,
    aliases=("bordafuse", "borda_fuse"),
    weighted="weighted_borda",
    cite="Aslam & Montague 2001, Models for Metasearch, SIGIR",
)
