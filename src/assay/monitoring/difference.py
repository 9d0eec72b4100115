"""Difference: how far a figure is from the baseline's, paired by query, with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats
from assay.errors import BadParameter
from assay.model import MEAN, Column
from assay.stats import MANY_QUERIES, difference_intervals, index_blocks, queries_needed

RESAMPLES = 2000
MOST_NEEDED = 10_000_000
"""More queries than that are no advice."""


@dataclass(frozen=True)
class Difference:
    """Now minus before, its interval, and the difference of each query that has both scores."""

    value: float
    low: float
    high: float
    level: float
    by_query: Floats

    @property
    def n(self) -> int:
        """Queries with both scores."""
        return len(self.by_query)

    @property
    def is_nothing(self) -> bool:
        """Whether not a single query differs."""
        return not self.by_query.any()

    def needed(self, effect: float) -> int | None:
        """Queries like these that would show a difference of that size; None where no sensible number would."""
        if self.n < 2 or not effect or not math.isfinite(effect):
            return None
        try:
            needed = queries_needed(self.by_query, effect, alpha=round(1 - self.level, 12))
        except BadParameter:  # too small a difference for any number of queries
            return None
        return needed if needed <= MOST_NEEDED else None


def paired_difference(before: Column, now: Column, level: float) -> Difference:
    """Of two columns over the same queries; queries without a score in one of them are left out of the interval."""
    a, b = (np.asarray(column.score, dtype=float) for column in (before, now))
    defined = np.isfinite(a) & np.isfinite(b)
    is_composed = before.is_composed and now.is_composed
    value = now.summary() - before.summary()
    by_query = b[defined] - a[defined]
    if is_composed:
        counts = before.counts & now.counts
        by_query = np.where(defined, b - a, now.weight[:, 0] - before.weight[:, 0])[counts]
        low, high = _resampled(before, now, counts, level)
    elif not by_query.any() and len(by_query) > 1:
        low = high = 0.0
    elif now.aggregation == MEAN:
        method = "t" if len(by_query) >= MANY_QUERIES else "bootstrap"
        ends = difference_intervals(a[defined, np.newaxis], b[defined, np.newaxis], method, level)
        low, high = float(ends.low[0]), float(ends.high[0])
    else:
        low, high = _resampled(before, now, defined, level)
    return Difference(value, low, high, level, by_query)


def _resampled(before: Column, now: Column, defined: NDArray[np.bool_], level: float) -> tuple[float, float]:
    """Figures that are no mean, such as quantiles: the same queries are drawn for both, and the figures subtracted."""
    if defined.sum() < 2 or now.aggregation.summarise is None:
        return math.nan, math.nan
    columns = [(column.score[defined].astype(float), column.weight[defined]) for column in (before, now)]
    summarise = now.aggregation.summarise
    drawn = [
        summarise(columns[1][0][row], columns[1][1][row]) - summarise(columns[0][0][row], columns[0][1][row])
        for index in index_blocks(int(defined.sum()), RESAMPLES, 0)
        for row in index
    ]
    known = [one for one in drawn if not math.isnan(one)] or [math.nan]
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high
