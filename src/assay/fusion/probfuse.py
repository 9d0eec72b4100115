"""probfuse: how often a run was right in that segment of its rankings, divided by the segment's number, added up."""

from __future__ import annotations

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.fusion._training import Training, padded
from assay.grammar import Param, depth
from assay.model import Floats, Ints


def segments_of(lists: Lists, segments: int) -> Ints:
    """For each occurrence: its segment from 0 up. A ranking is cut evenly; one with too few documents skips segments."""
    return (lists.rank - 1) * segments // lists.length[lists.stretch]


def learn(training: Training, segments: int) -> tuple[Floats, ...]:
    """For each run and segment: the share of relevant documents there, averaged over judged queries."""
    return training.shares(segments_of(training.lists, segments), segments)


def probfuse(lists: Lists, learnt: tuple[Floats, ...], segments: int) -> Floats:
    """How often a run was right in that segment of its rankings, divided by the segment's number, added up.

    Σ P(relevant | segment j of the run) ÷ j. Unjudged documents count as not relevant (the paper's ProbFuseAll).

    Rankings that cannot be cut evenly get segments that differ by one document; ranx leaves the last segments empty instead.
    """
    segment = segments_of(lists, segments)
    return lists.sums(padded(learnt, segments)[lists.run, segment] / (segment + 1))


FUSION = Fusion(
    "probfuse",
    probfuse,
    params=(Param("segments", depth, 25, "how many segments each ranking is cut into", ("n_segments",)),),
    train=learn,
    tries={"segments": (25, 5, 10, 50, 100)},
    cite="Lillis, Toolan, Collier & Dunnion 2006, ProbFuse: A Probabilistic Approach to Data Fusion, SIGIR",
)
