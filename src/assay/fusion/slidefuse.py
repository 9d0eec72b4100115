"""slidefuse: how often a run was right at that rank and its neighbours, added up."""

from __future__ import annotations

import numpy as np

from assay.fusion._fusion import Fusion
from assay.fusion._lists import Lists
from assay.fusion._training import Training, padded
from assay.grammar import Param, depth
from assay.model import Floats


def learn(training: Training, window: int) -> tuple[Floats, ...]:  # noqa: ARG001 (every window learns the same)
    """For each run and rank: how often something relevant stands there."""
    return training.shares_by_rank()


def slidefuse(lists: Lists, learnt: tuple[Floats, ...], window: int) -> Floats:
    """How often a run was right at that rank and its neighbours, added up.

    Σ mean of P(relevant | rank) from `window` ranks above to as many below, within the ranking.

    Ranks that training did not reach have a chance of 0.
    """
    length = lists.length[lists.stretch]
    first, last = np.maximum(lists.rank - window, 1), np.minimum(lists.rank + window, length)
    chance = padded(learnt, int(lists.length.max(initial=0)))
    so_far = np.concatenate((np.zeros((len(chance), 1)), np.cumsum(chance, axis=1)), axis=1)
    return lists.sums((so_far[lists.run, last] - so_far[lists.run, first - 1]) / (last - first + 1))


FUSION = Fusion(
    "slidefuse",
    slidefuse,
    params=(Param("window", depth, 5, "ranks on either side that count as neighbours", ("w",)),),
    train=learn,
    tries={"window": (5, 1, 2, 10, 20)},
    cite="Lillis, Toolan, Collier & Dunnion 2008, Extending Probabilistic Data Fusion Using Sliding Windows, ECIR",
)
