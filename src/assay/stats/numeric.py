"""Numbers: sums without rounding, differences that are only rounding, shared ranks, means, and checks of fractions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats, Ints
from assay.errors import BadParameter
from assay.model import GEOMETRIC_FLOOR, GEOMETRIC_MEAN, MEAN, PERCENTAGE, SUM, Aggregation

BITS = 52
"""Whole numbers below 2^53 are exact in float64; one bit is kept in reserve."""


class Exact(NamedTuple):
    """Scores as whole numbers: `units × 2^exponent` is the score, one exponent per column.

    The weights of a resample add up to the number of queries, so every weighted sum is a whole number that float64
    represents exactly. Blocks, threads and the order of summation therefore cannot change a bit of any result.
    """

    units: Floats
    exponent: NDArray[np.int64]

    def total(self) -> Floats:
        """Sum of the units of each column, without rounding."""
        return np.asarray(self.units.sum(axis=0))

    def slack(self) -> Floats:
        """Sums of units of a column that differ by less than this count as equal."""
        return slack_of(self.units)


def exact(values: Floats) -> Exact:
    """Queries × columns, each column rounded to multiples of a power of two that fits its largest score.

    A score moves by at most n · 2^-51 of the largest one in its column (5·10^-13 for 1,000 queries).
    """
    largest = np.abs(values).max(axis=0, initial=0.0)
    room = BITS - int(np.ceil(np.log2(max(len(values), 1))))
    exponent = np.asarray(np.frexp(largest)[1], dtype=np.int64) - room
    return Exact(np.rint(np.ldexp(values, -exponent)), exponent)


def slack_of(units: Floats) -> Floats:
    """Sums of units that differ by less than this count as equal, because the scores themselves are rounded."""
    return np.asarray(ROUNDING * np.abs(units).sum(axis=0) + len(units))


def exact_sum(values: Floats) -> Floats:
    """Sum of each column; other columns do not change a bit of it."""
    units, exponent = exact(values)
    return np.asarray(np.ldexp(units.sum(axis=0), exponent))


def exact_mean(values: Floats) -> Floats:
    """Mean of each column; other columns do not change a bit of it. The mean of equal scores is exactly that score."""
    units, exponent = exact(values)
    rest = exact(values - np.ldexp(units, exponent))
    main, correction = units.sum(axis=0) / len(values), rest.total() / len(values)
    return np.asarray(np.ldexp(main, exponent) + np.ldexp(correction, rest.exponent))


AVERAGED = (MEAN, SUM, PERCENTAGE, GEOMETRIC_MEAN)
"""Summaries that grow with a mean over queries, so a test of that mean is a test of the summary."""


def averaged(score: Floats, aggregation: Aggregation) -> Floats:
    """The values to average: scores, percentages as shares, or logarithms for a geometric mean."""
    if aggregation == GEOMETRIC_MEAN:
        return np.log(np.maximum(score, GEOMETRIC_FLOOR))
    return score / 100 if aggregation == PERCENTAGE else score


def summarised(mean: float, n: int, aggregation: Aggregation) -> float:
    """The summary for such a mean over n queries."""
    if aggregation == GEOMETRIC_MEAN:
        return float(np.exp(mean))
    return mean * {SUM: n, PERCENTAGE: 100}.get(aggregation, 1)


def checked_fraction(name: str, value: Any, example: float = 0.05) -> float:
    """The value, if it is above 0 and below 1; otherwise an error."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 < value < 1:
        raise BadParameter(f"{name} must be a number between 0 and 1, such as {example:g}, not {value!r}")
    return float(value)


def shared_ranks(rows: Floats, rounding: Floats) -> Floats:
    """Ranks 1, 2, 3, … along each row, smallest first. Neighbours that differ only by the rounding of the row are equal."""
    n_rows, n = rows.shape
    order = np.argsort(rows, axis=1, kind="stable")
    ordered = np.take_along_axis(rows, order, axis=1)
    starts = np.ones(rows.shape, dtype=bool)
    np.greater(np.diff(ordered, axis=1), rounding[:, None], out=starts[:, 1:])
    group = np.cumsum(starts.ravel()) - 1
    size = np.bincount(group, minlength=1)
    first = np.flatnonzero(starts.ravel()) % max(n, 1)
    shared = first + (size + 1) / 2 if n_rows * n else np.zeros(1)
    ranks = np.empty(rows.shape)
    np.put_along_axis(ranks, order, shared[group].reshape(rows.shape), axis=1)
    return ranks


def group_sizes(values: Floats, rounding: float) -> Ints:
    """The sizes of the groups of equal values."""
    starts = np.flatnonzero(np.diff(np.sort(values)) > rounding) + 1
    return np.diff(np.concatenate(([0], starts, [len(values)])))


ROUNDING = 1e-12
"""Differences up to this share of the largest score are rounding, not differences between systems."""


def rounding_of(*scores: Floats) -> Floats:
    """For each column: the largest difference that is only rounding."""
    return ROUNDING * np.max([np.abs(part).max(axis=0, initial=0.0) for part in scores], axis=0)
