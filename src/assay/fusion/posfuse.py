"""posfuse: how often a run was right at exactly that rank, added up."""

from __future__ import annotations

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.fusion._training import Training, padded
from assay.model import Floats


def learn(training: Training) -> tuple[Floats, ...]:
    """For each run and rank: how often something relevant stands there."""
    return training.shares_by_rank()


def posfuse(lists: Lists, learnt: tuple[Floats, ...]) -> Floats:
    """How often a run was right at exactly that rank, added up.

    Σ P(relevant | rank in the run). Ranks that training did not reach are worth nothing; slidefuse is smoother.
    """
    return lists.sums(padded(learnt, int(lists.length.max(initial=0)))[lists.run, lists.rank - 1])


FUSION = Fusion(
    "posfuse",
    posfuse,
    train=learn,
    cite="Lillis, Zhang, Toolan, Collier, Leonard & Dunnion 2010, Estimating Probabilities for Effective Data Fusion, SIGIR",
)
