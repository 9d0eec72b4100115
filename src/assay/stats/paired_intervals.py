"""Intervals of the mean difference of two systems, by a method that suits the differences; and their agreement with a test.

Differences of two systems are often mostly zero: a change moves a few queries, and all others keep their ranking. Then the
bootstrap and Student's t are far too narrow, because they know only the differences that were seen. Gaffke's bound adds one
query that was not seen, with the worst possible difference, so it stays valid for any number of changed queries.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats
from assay.stats.gaffke import gaffke_bounds
from assay.stats.mean_intervals import Interval, T, t_interval, unknown
from assay.stats.numeric import rounding_of

GAFFKE = "gaffke"
ENOUGH_CHANGED = 20
"""With this many changed queries, or if every query changed by an amount of its own, Student's t is used."""
STEPS = 14
"""Halvings in the search for the end of an interval."""


def auto_intervals(
    differences: Floats, widths: Floats, level: float = 0.95, linear: Floats | None = None
) -> tuple[Interval, NDArray[np.str_]]:
    """The interval of the mean of each column of queries × columns, and the method of each: t or gaffke.

    `widths` has the largest possible difference of each column. If it is infinite, Gaffke's bound does not exist, and the
    method is t. A single query has no interval. `linear` has the values for t, if they are not the differences themselves.
    """
    n, n_columns = differences.shape
    units = differences if linear is None else linear
    if n < 2:
        return unknown(n_columns), np.full(n_columns, T)
    n_changed = np.count_nonzero(differences, axis=0)
    is_spread = (n_changed == n) & (np.diff(np.sort(units, axis=0), axis=0) > rounding_of(units)).all(axis=0)
    is_enough = (n_changed >= ENOUGH_CHANGED) & (np.ptp(units, axis=0) > rounding_of(units))
    is_t = is_spread | is_enough | ~np.isfinite(widths)
    low, high = t_interval(units, level)
    few = np.flatnonzero(~is_t)
    if len(few):
        low[few] = gaffke_bounds(differences[:, few], (1 - level) / 2, -widths[few])
        high[few] = -gaffke_bounds(-differences[:, few], (1 - level) / 2, -widths[few])
    reach = np.where(np.isfinite(widths), widths, np.inf)
    return Interval(np.maximum(low, -reach), np.minimum(high, reach)), np.where(is_t, T, GAFFKE)


def agree_with_test(
    interval: Interval, differences: Floats, p: Floats, alpha: float, p_of: Callable[[Floats], Floats]
) -> Interval:
    """The interval with the end that faces zero moved, so that zero is outside exactly if p is at most alpha.

    If the test is significant, that end is the smallest difference that the test does not reject. `p_of` returns the p of
    one column of differences. If the test is not significant, the end is zero.
    """
    low, high = interval.low.copy(), interval.high.copy()
    mean = differences.mean(axis=0) if len(differences) else np.full(differences.shape[1], np.nan)
    for column in np.flatnonzero(np.isfinite(low) & ~np.isnan(p)).tolist():
        is_outside = low[column] > 0 or high[column] < 0
        is_significant = bool(p[column] <= alpha)
        if is_outside == is_significant or not mean[column]:
            continue
        end = _smallest_accepted(differences[:, column], alpha, p_of) if is_significant else 0.0
        if mean[column] > 0:
            low[column] = end
        else:
            high[column] = end
    return Interval(low, high)


def _smallest_accepted(differences: Floats, alpha: float, p_of: Callable[[Floats], Floats]) -> float:
    """The difference closest to zero that the test does not reject; the test rejects zero."""
    rejected, accepted = 0.0, float(differences.mean())
    for _ in range(STEPS):
        middle = (rejected + accepted) / 2
        if p_of((differences - middle)[:, np.newaxis])[0] <= alpha:
            rejected = middle
        else:
            accepted = middle
    return accepted
