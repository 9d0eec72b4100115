"""Intervals of means: bootstrap, BCa, studentised bootstrap, Student's t, Wilson; many columns at once.

The interval of a single query is (nan, nan), except Wilson's, because one query says nothing about the spread.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats
from assay.errors import BadParameter, DataError
from assay.stats.numeric import ROUNDING, checked_fraction, exact_mean, exact_sum
from assay.stats.resampling import (
    checked_resamples,
    checked_seed,
    column_groups,
    count_blocks,
    resampled_means,
    weighted_sums,
)
from assay.stats.student import Studentised, half_width

BOOTSTRAP, BCA, T, WILSON, STUDENTISED = "bootstrap", "bca", "t", "wilson", "studentised"
OF_MEANS = (BOOTSTRAP, BCA, T, WILSON, STUDENTISED)
RESAMPLES = 2000
"""Enough that the ends vary by about 2 % of the width of the interval from seed to seed."""


class Interval(NamedTuple):
    """For each column: the interval of the true value."""

    low: Floats
    high: Floats


class Resampled(NamedTuple):
    """A value for each column, observed and in bootstrap resamples."""

    observed: Floats
    figures: Floats
    """Columns × resamples."""
    acceleration: Floats
    """How the spread of the value grows with the value; BCa corrects for it."""


def mean_intervals(
    values: Floats, method: str = BOOTSTRAP, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """Interval of the mean of each column of queries × columns.

    Wilson's interval is for scores that are 0 or 1. If all scores are equal, the other intervals have no width. With very
    few queries, the studentised interval can be infinite.
    """
    check_request(method, level, resamples, seed, OF_MEANS)
    n, n_columns = values.shape
    if method == WILSON:
        return wilson_interval(values, level)
    if n < 2:
        return unknown(n_columns)
    if method == T:
        return t_interval(values, level)
    low, high = np.empty(n_columns), np.empty(n_columns)
    for some in column_groups(n_columns, n, resamples):
        if method == STUDENTISED:
            low[some], high[some] = _studentised_interval(values[:, some], level, resamples, seed)
        else:
            low[some], high[some] = ends(resampled(values[:, some], resamples, seed), method, level)
    return Interval(low, high)


def resampled(values: Floats, resamples: int, seed: int) -> Resampled:
    """The mean of each column, observed and in resamples."""
    mean = exact_mean(values)
    return Resampled(mean, resampled_means(values, resamples, seed), acceleration(values - mean))


def ends(of: Resampled, method: str, level: float) -> Interval:
    """Percentiles of the resampled values: the plain ones, or those of BCa, corrected for bias and skew. Sorts the values.

    No end is outside the resampled values.
    """
    tails = np.array([(1 - level) / 2, (1 + level) / 2])[:, np.newaxis]
    shares = np.broadcast_to(tails, (2, len(of.observed))) if method != BCA else _bca_shares(of, tails)
    of.figures.sort(axis=1)
    least, most = of.figures[:, 0], of.figures[:, -1]
    return Interval(*(np.clip(_percentile(of.figures, share), least, most) for share in shares))


def acceleration(pull: Floats) -> Floats:
    """A sixth of the skewness of the influence of each query on the value: queries × columns."""
    largest = np.abs(pull).max(axis=0, initial=0.0)
    scaled = pull / np.where(largest > 0, largest, 1.0)
    square = exact_sum(scaled**2)
    return np.asarray(exact_sum(scaled**3) / (6 * np.where(square > 0, square, 1.0) ** 1.5))


def t_interval(values: Floats, level: float) -> Interval:
    """Student's t interval of the mean at this confidence level."""
    if len(values) < 2:
        return unknown(values.shape[1])
    mean, half = exact_mean(values), half_width(Studentised.of(values).standard_error, len(values) - 1, level)
    return Interval(mean - half, mean + half)


def wilson_interval(values: Floats, level: float) -> Interval:
    """Wilson's score interval of a share: never outside 0 to 1, and with a width even if all queries agree."""
    from scipy.special import ndtri

    if not is_binary(values).all():
        raise DataError("Wilson's interval is only for scores of 0 and 1. Use bootstrap or t for other scores")
    n = len(values)
    if not n:
        return unknown(values.shape[1])
    share, z2 = exact_mean(values), ndtri((1 + level) / 2) ** 2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    return Interval(np.where(share == 0, 0.0, middle - half), np.where(share == 1, 1.0, middle + half))


def is_binary(values: Floats) -> NDArray[np.bool_]:
    """Columns in which every score is 0 or 1."""
    return np.asarray(((values == 0) | (values == 1)).all(axis=0))


def unknown(n_columns: int) -> Interval:
    """No interval, because there are too few queries."""
    return Interval(np.full(n_columns, np.nan), np.full(n_columns, np.nan))


def check_request(method: str, level: Any, resamples: Any, seed: Any, methods: tuple[str, ...]) -> None:
    """Check the settings of an interval."""
    if method not in methods:
        raise BadParameter(f"the interval must be one of {', '.join(methods)}, not {method!r}")
    checked_fraction("the confidence level", level, 0.95)
    checked_resamples(resamples)
    checked_seed(seed)


def _bca_shares(of: Resampled, tails: Floats) -> Floats:
    """The percentiles that BCa uses. A value at the edge of its resamples counts as half a resample inside.

    If the skew is too large to correct, it is the outermost resample.
    """
    from scipy.special import ndtr, ndtri

    figures, observed = of.figures, of.observed[:, np.newaxis]
    slack = ROUNDING * np.abs(figures).max(axis=1, keepdims=True)
    below = ((figures < observed - slack).sum(axis=1) + (figures <= observed + slack).sum(axis=1)) / (2 * figures.shape[1])
    edge = 0.5 / figures.shape[1]
    bias = ndtri(np.clip(below, edge, 1 - edge))
    moved = bias + ndtri(tails)
    return np.asarray(ndtr(bias + moved / np.maximum(1 - of.acceleration * moved, 1e-9)))


def _studentised_interval(values: Floats, level: float, resamples: int, seed: int) -> Interval:
    student = Studentised.of(values)
    t, units = np.empty((values.shape[1], resamples)), student.units
    start = 0
    for counts in count_blocks(len(values), resamples, seed):
        t[:, start : start + len(counts)] = student.statistics(weighted_sums(counts, units)).T
        start += len(counts)
    error = student.standard_error
    low, high = ends(Resampled(error, t, error), BOOTSTRAP, level)
    with np.errstate(invalid="ignore"):
        reach = [np.where(error == 0, 0.0, error * t_end) for t_end in (high, low)]
    return Interval(exact_mean(values) - reach[0], exact_mean(values) - reach[1])


def _percentile(ordered: Floats, share: Floats) -> Floats:
    """The percentile of each row, interpolated linearly between neighbours."""
    place = share * (ordered.shape[1] - 1)
    below = np.clip(np.floor(place).astype(np.int64), 0, ordered.shape[1] - 1)
    above = np.minimum(below + 1, ordered.shape[1] - 1)
    row = np.arange(len(ordered))
    part = place - below
    left, right = ordered[row, below], ordered[row, above]
    with np.errstate(invalid="ignore"):
        return np.where((part == 0) | (left == right), left, left * (1 - part) + right * part)
