"""condorcet: runs vote between every two documents; a document is worth the number of others that it beats."""

from __future__ import annotations

import numpy as np

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.fusion._majorities import majorities
from assay.model import Floats


def condorcet(lists: Lists) -> Floats:
    """Runs vote between every two documents; a document is worth the number of others that it beats.

    A draw is worth ½, and a run that has neither document does not vote.

    Montague & Aslam sort by majorities. Where those are circular (a before b, b before c, c before a), what a sort gives
    depends on how it began; counting them (Copeland 1951) gives the same order where they are not, and a tie where they are.
    """
    return majorities(lists, np.ones(len(lists.pair)))


FUSION = Fusion(
    "condorcet",
    condorcet,
    aliases=("condorcet_fuse", "copeland"),
    weighted="weighted_condorcet",
    cite="Montague & Aslam 2002, Condorcet Fusion for Improved Retrieval, CIKM",
)
