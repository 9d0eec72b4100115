"""Analysis of variance: scores split into query, system and residual, to compare the means of many systems."""

from __future__ import annotations

from math import factorial, prod
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.stats.numeric import ROUNDING, group_sizes
from assay.stats.significance import Field, FieldOutcome, StatisticalTest
from assay.stats.student import chance_of_range


class TwoWay(NamedTuple):
    """Two-way analysis of variance without replication, on scores scaled to about 1."""

    means: Floats
    """For each system: its mean minus the mean of all."""
    residual: float
    """Mean square of what neither query nor system explains; 0 if that is only rounding."""
    df: int
    """Degrees of freedom of the residual."""
    n: int
    rounding: float

    @property
    def standing(self) -> Floats:
        """The means; those that differ only by rounding are made equal."""
        return standing(self.means, self.rounding)

    @property
    def effect(self) -> Floats:
        """System × system: the difference of two means in residual standard deviations; infinite without a residual."""
        gap = self.standing[None, :] - self.standing[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(gap == 0, 0.0, gap / np.sqrt(self.residual))


def two_way(scores: Floats) -> TwoWay:
    """The analysis of queries × systems; it needs at least two of each."""
    n, m = scores.shape
    largest = np.abs(scores).max()
    scaled = np.ldexp(scores, -np.frexp(largest)[1])
    within = scaled - scaled.mean(axis=1, keepdims=True)
    means = within.mean(axis=0)
    df = (n - 1) * (m - 1)
    residual = float(((within - means) ** 2).sum()) / df
    is_flat = residual <= ROUNDING**2
    return TwoWay(means, 0.0 if is_flat else residual, df, n, ROUNDING)


def arrangements(values: Floats, rounding: float) -> int:
    """The number of different orders of the values; equal values are interchangeable."""
    return factorial(len(values)) // prod(factorial(size) for size in group_sizes(values, rounding).tolist())


def standing(means: Floats, rounding: float) -> Floats:
    """The same values, but neighbours that differ only by rounding get one value."""
    order = np.argsort(means, kind="stable")
    ordered = means[order]
    group = np.cumsum(np.concatenate(([0], np.diff(ordered) > rounding)))
    same = np.empty(len(means))
    same[order] = ordered[np.searchsorted(group, group)]
    return same


def gaps(values: Floats) -> Floats:
    """System × system: the distance between their values."""
    return np.abs(values[:, None] - values)


def verdict_without_evidence(n: int, n_systems: int, *, has_pairs: bool = True) -> FieldOutcome:
    """Without a query: nan. With a single query or a single system: p = 1, because that is not evidence."""
    p = 1.0 if n and n_systems else np.nan
    pairwise = with_diagonal(np.full((n_systems, n_systems), p if has_pairs else np.nan), p)
    return FieldOutcome(np.nan, p, pairwise, np.zeros(n_systems))


def with_diagonal(pairwise: Floats, p: float = 1.0) -> Floats:
    """The same table, with the p of a system against itself on the diagonal."""
    np.fill_diagonal(pairwise, p)
    return pairwise


def anova(field: Field) -> FieldOutcome:
    """Whether any of several systems differs from the others in its mean, after accounting for queries.

    The statistic is the F of the systems. It does not say which systems differ. With two systems it equals paired_t.

    Identical systems and a single query have p = 1. If the systems differ in the same way on every query, F is infinite,
    and p is the probability that random orders of the scores on all queries are the same.
    """
    from scipy.special import fdtrc

    n, m = field.scores.shape
    if n < 2 or m < 2:
        return verdict_without_evidence(n, m, has_pairs=False)
    parts = two_way(field.scores)
    between = n * float((parts.means**2).sum()) / (m - 1)
    if parts.residual > 0:
        f = between / parts.residual
        p = float(fdtrc(m - 1, parts.df, f))
    else:
        is_nil = np.ptp(parts.means) <= parts.rounding
        f = 0.0 if is_nil else np.inf
        p = 1.0 if is_nil else float(arrangements(parts.means, parts.rounding)) ** (1 - n)
    return FieldOutcome(f, p, with_diagonal(np.full((m, m), np.nan)), parts.standing, df=(m - 1, parts.df))


ANOVA = StatisticalTest(
    "anova",
    anova,
    aliases=("two_way_anova", "f_test"),
    is_for_many=True,
    assumes="Without the effects of query and system, scores are about normal, with the same variance for all systems.",
    cite="Fisher 1925, Statistical Methods for Research Workers; Sakai 2018, Laboratory Experiments in IR",
)


def tukey_hsd(field: Field) -> FieldOutcome:
    """Which of several systems differ in their mean, for all pairs at once, after accounting for queries.

    The statistic is the largest gap between two means in standard errors; p is the smallest of all pairs.

    The p of a pair already accounts for all pairs, so do not correct it again. The test uses the error of the two-way
    anova, so hard and easy queries cancel out. With two systems this equals paired_t. Identical systems and a single query
    have p = 1. If the systems differ in the same way on every query, the p of a pair is (number of pairs) · 2 ÷ 2^n, at
    most 1.
    """
    n, m = field.scores.shape
    if n < 2 or m < 2:
        return verdict_without_evidence(n, m)
    parts = two_way(field.scores)
    apart = gaps(parts.means)
    if parts.residual > 0:
        q = apart / np.sqrt(parts.residual / n)
        p = chance_of_range(q, m, parts.df)
    else:
        q = np.where(apart <= parts.rounding, 0.0, np.inf)
        p = np.where(q > 0, min(1.0, m * (m - 1) / 2 * 2.0 ** (1 - n)), 1.0)
    return FieldOutcome(float(q.max()), float(p.min()), with_diagonal(p), parts.standing, effect=parts.effect)


TUKEY_HSD = StatisticalTest(
    "tukey_hsd",
    tukey_hsd,
    aliases=("tukey", "hsd"),
    is_for_many=True,
    assumes="Without the effects of query and system, scores are about normal, with the same variance for all systems.",
    cite="Tukey 1953, The Problem of Multiple Comparisons; Sakai 2018, Laboratory Experiments in IR",
)
