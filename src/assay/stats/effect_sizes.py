"""Effect sizes: by how much two systems differ, and whether a subset of queries scores low.

Retrieval scores are skewed and have many ties, and slices are small. So the probability of a low subset is found by
simulation: queries are shuffled many times, and the first n queries are a random slice of n queries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.arrays import Floats, Ints
from assay.errors import BadParameter, DataError
from assay.stats.numeric import exact, rounding_of, slack_of
from assay.stats.significance import Pairs
from assay.stats.student import chance_of_gap, student, two_samples
from assay.text import counted


class Effects(NamedTuple):
    """One value per column. All but the first two are above 0 if b is *better*, also if lower scores are better."""

    difference: Floats
    """Mean of b minus mean of a."""
    relative_change: Floats
    """The difference as a share of the absolute mean of a: 0.1 is 10 % more; nan if that mean is 0."""
    improvement: Floats
    """How much better the mean of b is: the difference, or its negative if lower is better."""
    d_z: Floats
    """Improvement in standard deviations of the differences (Cohen's d for paired scores): 0 without any difference,
    infinite if the difference is the same on every query, nan for a single query."""
    cliffs_delta: Floats
    """Probability that a score of b beats one of a, minus the probability that it loses, over all pairs: -1 … 1."""
    wins: Ints
    """Queries on which b is better by more than the tolerance."""
    ties: Ints
    losses: Ints


def effects(
    a: ArrayLike, b: ArrayLike, tolerance: float = 0.0, higher_is_better: bool | NDArray[np.bool_] = True
) -> Effects:
    """Effect sizes of b against a: queries × columns (a list is one column); nan without queries.

    Differences up to the tolerance are ties, and so are differences that are only rounding. `higher_is_better` can differ by
    column.
    """
    if not tolerance >= 0 or not np.isfinite(tolerance):
        raise BadParameter(f"tolerance must be a number of at least 0, not {tolerance!r}")
    first, second = _checked_samples(a, b)
    n, n_columns = first.shape
    sign = np.where(np.broadcast_to(higher_is_better, n_columns), 1.0, -1.0)
    if not n:
        nan, none = np.full(n_columns, np.nan), np.zeros(n_columns, dtype=np.int64)
        return Effects(nan, nan, nan, nan, nan, none, none, none)
    gains, rounding = (second - first) * sign, rounding_of(first, second)
    improvement = _mean(gains)
    improvement[np.abs(improvement) <= rounding] = 0.0
    baseline = np.abs(_mean(first))
    difference = improvement * sign + 0.0
    relative = np.divide(difference, baseline, out=np.full(n_columns, np.nan), where=baseline > 0)
    spread = d_z(Pairs(first * sign, second * sign))
    wins = np.count_nonzero(gains > tolerance + rounding, axis=0)
    losses = np.count_nonzero(gains < -tolerance - rounding, axis=0)
    delta = sign * _cliffs_delta(first, second, rounding)
    return Effects(difference, relative, improvement, spread, delta, wins, n - wins - losses, losses)


def d_z(pairs: Pairs) -> Floats:
    """The mean difference in standard deviations of the differences, as in `Effects`; nan with fewer than two queries."""
    n, n_columns = pairs.a.shape
    if n < 2:
        return np.full(n_columns, np.nan)
    return student(pairs.b - pairs.a, rounding_of(pairs.a, pairs.b)).t / np.sqrt(n)


def _mean(values: Floats) -> Floats:
    """Mean of each column; other columns do not change a bit of it."""
    return np.ascontiguousarray(values.T).mean(axis=1)


def _cliffs_delta(a: Floats, b: Floats, rounding: Floats) -> Floats:
    """Cliff's delta, found by looking up each score of b in the sorted scores of a, without a table of all pairs."""
    n, ordered = len(a), np.sort(a, axis=0)
    delta = np.empty(a.shape[1])
    for column, (ladder, scores) in enumerate(zip(ordered.T, b.T, strict=True)):
        beaten = np.searchsorted(ladder, scores - rounding[column], side="left")
        not_above = np.searchsorted(ladder, scores + rounding[column], side="right")
        delta[column] = (int(beaten.sum()) - int((n - not_above).sum())) / n**2
    return delta


def _checked_samples(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    first, second = (np.asarray(scores, dtype=float) for scores in (a, b))
    if first.shape != second.shape:
        raise DataError(
            f"both systems need scores for the same queries: a has {counted(len(np.atleast_1d(first)), 'query')} "
            f"(shape {first.shape}), b has {counted(len(np.atleast_1d(second)), 'query')} (shape {second.shape})"
        )
    if first.ndim not in (1, 2):
        raise DataError(f"scores must be a list or a table of queries × columns, not an array of {first.ndim} dimensions")
    for name, scores in (("a", first), ("b", second)):
        if not np.isfinite(scores).all():
            raise DataError(f"every score must be a finite number, but {name} has {scores[~np.isfinite(scores)][0]}")
    return (first[:, None], second[:, None]) if first.ndim == 1 else (first, second)


LARGE_SUBSET = 500
"""With at least this many queries inside and outside a slice, Student's t gives the same result as shuffling, but faster."""
SHUFFLED_CELLS = 2**18
"""Queries × shuffles of one block. The shuffles of a seed depend on this number."""
FEWEST, MOST = 9_999, 99_999
"""Fewest and most shuffles."""


def n_shuffles(n_slices: int, alpha: float) -> int:
    """Enough shuffles that the smallest possible p is still significant after a correction for this many slices."""
    return min(MOST, max(FEWEST, int(np.ceil(2 * n_slices / alpha))))


def chance_of_lower(scores: Floats, subsets: Sequence[Ints], resamples: int, seed: int = 0) -> Floats:
    """For each subset of queries: the probability that as many random queries have a sum as low.

    Large subsets use Student's t. If all scores are equal, the probability is 1.
    """
    sizes = np.array([len(subset) for subset in subsets], dtype=np.int64)
    is_large = (sizes >= LARGE_SUBSET) & (len(scores) - sizes >= LARGE_SUBSET)
    chance = np.ones(len(subsets))
    for place in np.flatnonzero(is_large).tolist():
        chance[place] = _by_t(scores, subsets[place])
    small = np.flatnonzero(~is_large)
    if len(small) and len(scores):
        chance[small] = _by_shuffling(scores, [subsets[place] for place in small.tolist()], resamples, seed)
    return chance


def _by_shuffling(scores: Floats, subsets: Sequence[Ints], resamples: int, seed: int) -> Floats:
    """(1 + shuffles that are as low) ÷ (1 + shuffles); sums that differ only by rounding are equal."""
    units = exact(scores[:, np.newaxis]).units[:, 0]
    limit = np.array([units[subset].sum() for subset in subsets]) + slack_of(units)
    sizes, column = np.unique([len(subset) for subset in subsets], return_inverse=True)
    as_low = np.zeros(len(subsets), dtype=np.int64)
    rows, done = max(1, SHUFFLED_CELLS // len(units)), 0
    while done < resamples:
        rng = np.random.default_rng([seed, done // rows])
        n_rows = min(rows, resamples - done)
        shuffled = rng.permuted(np.broadcast_to(units, (rows, len(units))), axis=1)[:n_rows]
        sums = np.cumsum(shuffled, axis=1)[:, sizes - 1]
        as_low += _n_below(sums, column, limit)
        done += rows
    return (1 + as_low) / (1 + resamples)


def _n_below(sums: Floats, column: Ints, limit: Floats) -> Ints:
    """For each subset: how many rows of its column are at most its limit."""
    ordered = np.sort(sums, axis=0)
    return np.array(
        [np.searchsorted(ordered[:, place], most, side="right") for place, most in zip(column, limit, strict=True)],
        dtype=np.int64,
    )


def _by_t(scores: Floats, subset: Ints) -> float:
    """Student's t with one pooled variance, one-sided."""
    is_outside = np.ones(len(scores), dtype=bool)
    is_outside[subset] = False
    samples = two_samples(scores[is_outside, np.newaxis], scores[~is_outside, np.newaxis])
    return float(chance_of_gap(samples, "less")[0])
