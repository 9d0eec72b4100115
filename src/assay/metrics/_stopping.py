"""Where a user who may be satisfied by any document stops, as a mean over all orders of tied documents.

After j of n equals in random order, the chance still to be reading is the mean of Π (1 − stop) over all choices of j among
the n: an elementary symmetric polynomial of the 1 − stop, divided by the number of choices. It is built up one document
at a time, without subtracting anything, so that nothing is lost to rounding.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.metrics._expected import TiedHits
from assay.model import Floats, Ints, blocks_of_similar_length, tie_groups

Weights = Callable[[Ints | Floats], Floats]
"""Ranks → what stopping there is worth."""


def reciprocals(rank: Ints | Floats) -> Floats:
    """1 ÷ rank."""
    return 1.0 / rank


def expected_reciprocal_stop(tied: TiedHits, stop: Floats, k: int | None, weigh: Weights = reciprocals) -> Floats:
    """Mean of 1 ÷ the rank at which the user stops (or another weight of it), 0 where that is beyond k, for each query."""
    hits, (better, equal) = tied
    still_reading = hits.running_product(1.0 - stop)
    start, group = tie_groups(hits.query, better)
    reached = np.where(hits.position[start] == 1, 1.0, still_reading[start - 1])
    alone = equal[start] == 1
    n_inside = tied.n_inside(k)[start]
    one = start[alone]
    found = np.zeros(len(start))
    found[alone] = np.where(n_inside[alone] > 0, stop[one] * weigh(hits.rank[one]), 0.0)
    n_stopping = np.bincount(group, minlength=len(start))
    several = np.flatnonzero(~alone & (n_inside > 0))
    for block in blocks_of_similar_length(n_inside[several]):
        chosen = several[block]
        stopped = _chance_stopped(stop, start[chosen], n_stopping[chosen], equal[start[chosen]], int(n_inside[chosen].max()))
        found[chosen] = _weighed(stopped, better[start[chosen]], n_inside[chosen], weigh)
    return np.bincount(hits.query[start], weights=reached * found, minlength=hits.n_queries).astype(float)


def _chance_stopped(stop: Floats, start: Ints, n_stopping: Ints, equal: Ints, deepest: int) -> Floats:
    """For each group, the chance to have stopped after its first 0, 1, … documents.

    Of n documents the last one added is among the first t with chance t ÷ n; else the others decide.
    """
    order = np.argsort(-n_stopping, kind="stable")
    stopped = np.zeros((len(start), deepest + 1))
    t = np.arange(1.0, deepest + 1.0)
    for nth in range(int(n_stopping.max())):
        n_groups = int(np.searchsorted(-n_stopping[order], -nth))
        rows = order[:n_groups]
        n = (equal - n_stopping + nth + 1)[rows, None]
        here = stop[start[rows] + nth][:, None]
        is_among = np.minimum(t / n, 1.0)  # beyond n documents cells mean nothing, and are not read
        before = stopped[:n_groups, :-1]
        stopped[:n_groups, 1:] = (1.0 - is_among) * stopped[:n_groups, 1:] + is_among * (before + here * (1.0 - before))
    unsorted = np.empty_like(stopped)
    unsorted[order] = stopped
    return unsorted


def _weighed(stopped: Floats, better: Ints, n_inside: Ints, weigh: Weights) -> Floats:
    """Σ of the chance to stop at a rank times its weight, over the first ranks of each group."""
    nth = np.arange(1, stopped.shape[1])
    worth = np.where(nth <= n_inside[:, None], np.diff(stopped, axis=1) * weigh(better[:, None] + nth), 0.0)
    total: Floats = np.add.accumulate(worth, axis=1)[:, -1]  # in order, so that padding changes no digit
    return total
