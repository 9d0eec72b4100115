"""mapfuse: the mean average precision of each run, divided by the document's rank there, added up."""

from __future__ import annotations

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.fusion._training import Training, padded
from assay.model import Floats


def learn(training: Training) -> tuple[Floats, ...]:
    """The mean average precision of each run over judged queries; one that it does not have scores 0."""
    return training.average_precision()


def mapfuse(lists: Lists, learnt: tuple[Floats, ...]) -> Floats:
    """The mean average precision of each run, divided by the document's rank there, added up.

    Σ MAP of the run ÷ rank over the runs that have the document.
    """
    return lists.sums(padded(learnt, 1)[lists.run, 0] / lists.rank)


FUSION = Fusion(
    "mapfuse",
    mapfuse,
    train=learn,
    cite="Lillis, Zhang, Toolan, Collier, Leonard & Dunnion 2010, Estimating Probabilities for Effective Data Fusion, SIGIR",
)
