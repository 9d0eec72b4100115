"""Average precision: how far the difference of two systems can move with the grades of unjudged documents."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.arrays import Floats, Ints, ratio
from assay.metrics.residuals import precision_sums
from assay.views import GradedRun, UnjudgedDocuments, is_relevant

MAX_PAIRED = 200
"""Up to this number of unjudged documents of a query, every two of them are compared, which gives closer bounds."""


class ApSettings(NamedTuple):
    """The parameters of average precision."""

    level: float | None
    k: int | None
    is_capped: bool


def ap_difference_bounds(
    a: GradedRun, b: GradedRun, unjudged: UnjudgedDocuments, settings: ApSettings
) -> tuple[Floats, Floats]:
    """The lowest and highest difference of each query; the true ends may be closer together."""
    plain = np.zeros(a.n_queries)
    low, high = plain.copy(), plain.copy()
    n_relevant = a.n_relevant(settings.level)
    for number, where in unjudged.by_query():
        sides = [_Side.of(run, number, rank[where], settings) for run, rank in ((a, unjudged.rank_a), (b, unjudged.rank_b))]
        total = n_relevant[number] + np.arange(where.stop - where.start + 1.0)
        if settings.is_capped and settings.k is not None:
            total = total.clip(max=settings.k)
        low[number], high[number] = _bounds(sides[0], sides[1], total)
    return low, high


def _bounds(a: _Side, b: _Side, total: Floats) -> tuple[float, float]:
    """The bounds of one query; `total` is the divisor if 0, 1, 2 … unjudged documents are relevant."""
    low, high = b.lowest - a.highest, b.highest - a.lowest
    if len(total) - 1 <= MAX_PAIRED:
        certain, alone, pairs = b.certain - a.certain, b.alone - a.alone, b.pairs() - a.pairs()
        low = np.maximum(low, certain + _least(alone + np.minimum(pairs, 0.0).sum(axis=1) / 2))
        high = np.minimum(high, certain - _least(-alone - np.maximum(pairs, 0.0).sum(axis=1) / 2))
    return float(ratio(low, total).min()), float(ratio(high, total).max())


def _least(values: Floats) -> Floats:
    """The sum of the 0, 1, 2 … lowest values."""
    return np.concatenate(([0.0], np.cumsum(np.sort(values))))


class _Side(NamedTuple):
    """One system on one query. Precisions are sums over relevant documents, before they are divided by their number."""

    lowest: Floats
    """The lowest sum of precisions if 0, 1, 2 … of the unjudged documents are relevant."""
    highest: Floats
    share: Floats
    """1 ÷ rank of each unjudged document; 0 if it is not within the cutoff."""
    certain: float
    """The sum if none of them is relevant."""
    alone: Floats
    """What each unjudged document adds if only that document is relevant."""

    @classmethod
    def of(cls, run: GradedRun, number: int, rank: Ints, settings: ApSettings) -> _Side:
        """Documents that the system did not retrieve add nothing to its sum."""
        grade = _grades(run, number)
        places = np.sort(rank[rank > 0]) - 1
        lowest, highest = precision_sums(grade, places, settings.level, settings.k)
        n_others = len(rank) - len(places)
        lowest = np.concatenate((np.full(n_others, lowest[0]), lowest))
        highest = np.concatenate((highest, np.full(n_others, highest[-1])))
        share, alone = _one_by_one(grade, rank, settings)
        return cls(lowest, highest, share, float(lowest[0]), alone)

    def pairs(self) -> Floats:
        """What every two unjudged documents add together, in addition to what each adds alone: 1 ÷ the lower rank."""
        both = np.minimum(self.share[:, None], self.share)
        np.fill_diagonal(both, 0.0)
        return both


def _grades(run: GradedRun, number: int) -> Floats:
    """The grade at each rank of a query; nan if unjudged."""
    judged = run.judged
    mine = slice(judged.first[number], judged.first[number] + judged.count[number])
    grade = np.full(run.n_retrieved[number], np.nan)
    grade[judged.rank[mine] - 1] = judged.grade[mine]
    return grade


def _one_by_one(grade: Floats, rank: Ints, settings: ApSettings) -> tuple[Floats, Floats]:
    """1 ÷ rank of each document, and the sum of precisions that it adds to the judged relevant documents alone."""
    relevant = is_relevant(grade, settings.level)
    ranks = np.arange(1, len(grade) + 1)
    shares = np.where(ranks <= (settings.k or len(ranks)), 1.0 / ranks, 0.0)
    below = np.where(relevant, shares, 0.0)
    added = (np.cumsum(relevant) + 1) * shares + below.sum() - np.cumsum(below)
    is_there = rank > 0
    share, alone = np.zeros(len(rank)), np.zeros(len(rank))
    share[is_there], alone[is_there] = shares[rank[is_there] - 1], added[rank[is_there] - 1]
    return share, alone
