"""Variance between groups of queries: how much of it is more than sampling, with an interval and a permutation p.

The means of several groups differ even if a system is equally good on all of them, because each group is a sample. So the
variance of the means is above 0 on average. `group_variance` subtracts what sampling alone adds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from assay.arrays import Floats, Ints
from assay.errors import DataError
from assay.serialize import to_json
from assay.stats.numeric import ROUNDING, checked_fraction

SHUFFLES = 9_999
"""Random permutations of the groups' names."""
MANY_QUERIES = 500
"""With more queries than this, p is that of the F distribution, which is the same then and much faster."""
BLOCK_CELLS = 2**20
"""Scores that are shuffled at once. The permutations of a seed depend on this number."""


class GroupVariance(NamedTuple):
    """The variance of the means of several groups, and the part of it that is more than sampling."""

    observed: float
    """The population variance of the means; every group counts once."""
    sampling: float
    """What sampling adds on average: (k - 1) ÷ k of the mean squared standard error of k means; nan if it is unknown."""
    low: float
    """Lower end of the interval of the variance of the true means."""
    high: float
    p: float
    """Share of random permutations of the names of groups among queries whose means differ at least as much."""

    @property
    def beyond_sampling(self) -> float:
        """The variance of the true means, estimated: observed minus sampling, and 0 if that is negative."""
        return max(0.0, self.observed - self.sampling) if not math.isnan(self.sampling) else math.nan

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, None for nan."""
        return to_json({**self._asdict(), "beyond_sampling": self.beyond_sampling})


UNKNOWN_VARIANCE = GroupVariance(math.nan, math.nan, math.nan, math.nan, math.nan)


def group_variance(groups: Sequence[ArrayLike], level: float = 0.95, seed: int = 0) -> GroupVariance:
    """How much the means of groups of scores differ, and how much of that is more than sampling.

    The queries of different groups must be independent samples. If they are translations of the same queries, p is too
    large and the part beyond sampling too small. A single group has the variance 0. If a group has a single score, its
    standard error is unknown: only the observed variance is known. Without spread inside the groups, there is no interval.
    """
    checked_fraction("level", level, 0.95)
    samples = sorted(map(_checked, groups), key=lambda sample: (len(sample), sample.tolist()))
    if not samples or not all(len(sample) for sample in samples):
        return UNKNOWN_VARIANCE
    means = np.array([sample.mean() for sample in samples])
    observed = float(np.var(means))
    if len(samples) < 2 or min(map(len, samples)) < 2:
        return UNKNOWN_VARIANCE._replace(observed=observed)
    spread = _Spread.of(samples, means)
    low, high = spread.interval(level)
    n = sum(map(len, samples))
    p = spread.p if n > MANY_QUERIES and spread.square else _p_of_shuffles(samples, observed, seed)
    return GroupVariance(observed, (1 - 1 / len(samples)) * spread.square, low, high, p)


class _Spread(NamedTuple):
    """F of the means, which need not have the same standard error: for two groups it is the square of Welch's t."""

    n_groups: int
    square: float
    """The mean squared standard error."""
    df: float
    f: float

    @classmethod
    def of(cls, samples: Sequence[Floats], means: Floats) -> _Spread:
        squares = np.array([float(np.var(sample, ddof=1)) / len(sample) for sample in samples])
        largest = max(float(np.abs(sample).max()) for sample in samples)
        squares[squares <= (ROUNDING * largest) ** 2] = 0.0
        if not squares.any():
            return cls(len(samples), 0.0, math.nan, math.nan)
        df = squares.sum() ** 2 / float((squares**2 / (np.array([len(sample) for sample in samples]) - 1)).sum())
        square = float(squares.mean())
        return cls(len(samples), square, float(df), float(np.var(means, ddof=1)) / square)

    @property
    def p(self) -> float:
        from scipy.special import fdtrc

        return float(fdtrc(self.n_groups - 1, self.df, self.f))

    def interval(self, level: float) -> tuple[float, float]:
        """The noncentralities at which an F as large, or as small, is just rare enough, as variances of the means.

        The upper end is that of F = 1 if F is smaller: means that are closer than chance makes them do not show that the
        true means are equal.
        """
        if not self.square:
            return math.nan, math.nan
        ends = self._noncentrality(self.f, (1 + level) / 2), self._noncentrality(max(self.f, 1.0), (1 - level) / 2)
        return ends[0] * self.square / self.n_groups, ends[1] * self.square / self.n_groups

    def _noncentrality(self, f: float, chance: float) -> float:
        """The noncentrality at which an F up to this one has the given probability; 0 if none has."""
        from scipy.special import ncfdtr

        def is_above(noncentrality: float) -> bool:
            return bool(ncfdtr(self.n_groups - 1, self.df, noncentrality, f) > chance)

        if not is_above(0.0):
            return 0.0
        low, high = 0.0, 1.0
        while is_above(high):
            low, high = high, 2 * high
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if is_above(middle) else (low, middle)
        return high


def _p_of_shuffles(samples: Sequence[Floats], observed: float, seed: int) -> float:
    """(1 + permutations whose means vary as much) ÷ (1 + permutations); variances that differ only by rounding are equal.

    Scores and groups are sorted, so that the order of queries and groups does not matter.
    """
    scores = np.concatenate(samples)
    sizes: Ints = np.array([len(sample) for sample in samples])
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    largest = float(np.abs(scores).max())
    rows, n_as_large = max(1, BLOCK_CELLS // len(scores)), 0
    for block, start in enumerate(range(0, SHUFFLES, rows)):
        rng = np.random.default_rng([seed, block])
        n_rows = min(rows, SHUFFLES - start)
        shuffled = rng.permuted(np.broadcast_to(scores, (n_rows, len(scores))), axis=1)
        means = np.add.reduceat(shuffled, starts, axis=1) / sizes
        n_as_large += int(np.count_nonzero(np.var(means, axis=1) >= observed - ROUNDING * largest**2))
    return (1 + n_as_large) / (1 + SHUFFLES)


def _checked(group: ArrayLike) -> Floats:
    scores = np.asarray(group, dtype=float)
    if scores.ndim != 1 or not np.isfinite(scores).all():
        raise DataError("each group must be a list of finite scores")
    return np.sort(scores)
