"""segfuse: how often a run was right in that segment, times its score there and 1, added up; segments grow with depth."""

from __future__ import annotations

import numpy as np

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.fusion._normalise import NORM
from assay.fusion._training import Training, padded
from assay.model import Floats, Ints

ENDS = np.cumsum(10 * 2 ** np.arange(40) - 5)
"""Last ranks of the segments, which have 5, 15, 35, 75 … documents: 10 · 2^(k − 1) − 5."""


def segments_of(lists: Lists) -> Ints:
    """For each occurrence: its segment from 0 up."""
    return np.searchsorted(ENDS, lists.rank)


def learn(training: Training) -> tuple[Floats, ...]:
    """For each run and segment: the share of relevant documents there, averaged over judged queries."""
    segment = segments_of(training.lists)
    return training.shares(segment, int(segment.max(initial=0)) + 1)


def segfuse(lists: Lists, learnt: tuple[Floats, ...]) -> Floats:
    """How often a run was right in that segment, times its score there and 1, added up; segments grow with depth.

    Σ P(relevant | segment of the run) · (1 + normalised score). A depth that training did not reach is worth nothing.

    Shares are of the documents that a ranking has there. ranx takes 5, 15, 35 … for the last ranks of segments, not for
    their sizes, and divides by whole segments.
    """
    segment = segments_of(lists)
    chance = padded(learnt, int(segment.max(initial=0)) + 1)
    return lists.sums(chance[lists.run, segment] * (1 + lists.score))


FUSION = Fusion(
    "segfuse",
    segfuse,
    params=(NORM,),
    train=learn,
    cite="Shokouhi 2007, Segmentation of Search Engine Results for Effective Data-Fusion, ECIR",
)
