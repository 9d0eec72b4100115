"""Estimates: Student's t for means that are estimated from a sample of judgments, and for their differences.

The values are contributions to a mean, not scores: they may leave the range of the metric, and most of their spread comes
from the queries that people judged. A test that flips signs of such values finds too many differences. Student's t with one
degree of freedom less than the number of judged queries does not.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.errors import UsageError
from assay.model import Column
from assay.stats.student import half_width

FEWEST_JUDGED = 30
"""With fewer judged queries, Student's t covers less than it says."""
EVIDENCE = 3
"""The part of an estimate from pairs that says what the judged documents of a query say about a system."""


class EstimatedMean(NamedTuple):
    """A mean of values that are nearly normal, such as contributions of queries to an estimate."""

    value: float
    error: float
    """The standard error; nan with fewer than two values."""
    n: int
    """The number of values that it is based on: of an estimate, the queries that people judged."""

    @property
    def df(self) -> int:
        """The degrees of freedom of its t."""
        return self.n - 1

    def interval(self, level: float) -> tuple[float, float]:
        """The interval at this confidence level; unknown with fewer than two values."""
        if self.n < 2:
            return math.nan, math.nan
        half = float(half_width(self.error, self.df, level))
        return self.value - half, self.value + half

    def p(self, bound: float = 0.0, alternative: str = "two_sided") -> float:
        """The probability of a value as far from the bound if the true mean were the bound; 1 if it equals the bound."""
        from scipy.special import stdtr

        distance = self.value - bound
        if self.n < 2 or (not self.error and not distance):
            return 1.0
        t = distance / self.error if self.error else math.copysign(math.inf, distance)
        toward = {"two_sided": -abs(t), "greater": -t, "less": t}[alternative]
        below = 0.5**self.n if toward == -math.inf else float(stdtr(self.df, toward))
        return min(1.0, 2 * below if alternative == "two_sided" else below)


def estimated_mean(parts: Floats) -> EstimatedMean:
    """The mean of contributions: queries × (contribution, whether people judged it, variance that the sample cannot show).

    Further parts are only for differences. The spread of the contributions comes from n judged queries, so their variance is
    divided by n − 1 instead of n.
    """
    values, n = parts[:, 0], int(np.count_nonzero(parts[:, 1]))
    if not len(values):
        return EstimatedMean(math.nan, math.nan, 0)
    if n < 2:
        return EstimatedMean(float(values.mean()), math.nan, n)
    variance = float(values.var()) * n / (n - 1) + float(parts[:, 2].mean())
    return EstimatedMean(float(values.mean()), math.sqrt(variance / len(values)), n)


def estimated_difference(a: Column, b: Column, sign: int = 1) -> EstimatedMean:
    """The mean of b minus that of a, from judgments of the same queries; with sign = −1, a minus b.

    If pairs were drawn, a query counts as judged if its judged documents tell the systems apart. Two systems that have most
    documents in common are told apart by few, so their difference is known less well than its spread over queries suggests.
    """
    judged = (a.weight[:, 1] > 0) & (b.weight[:, 1] > 0)
    if a.weight.shape[1] > EVIDENCE and b.weight.shape[1] > EVIDENCE:
        judged &= ~np.isclose(a.weight[:, EVIDENCE], b.weight[:, EVIDENCE], rtol=1e-9, atol=1e-12)
    unseen = a.weight[:, 2] + b.weight[:, 2]
    return estimated_mean(np.column_stack([sign * (b.weight[:, 0] - a.weight[:, 0]), judged, unseen]))


def chance_of_claim(gain: EstimatedMean, claim: str, margin: float, alternative: str) -> tuple[float, float]:
    """The statistic and p of a claim about a gain: that it differs from 0, is not worse, or is equal within a margin."""
    if gain.n < 2:
        return math.nan, 1.0
    if claim == "differs":
        return _t(gain, 0.0), gain.p(0.0, alternative)
    not_worse = (_t(gain, -margin), gain.p(-margin, "greater"))
    not_better = (_t(gain, margin), gain.p(margin, "less"))
    return not_worse if claim == "not_worse" else max(not_worse, not_better, key=lambda outcome: outcome[1])


def _t(gain: EstimatedMean, bound: float) -> float:
    distance = gain.value - bound
    return distance / gain.error if gain.error else math.copysign(math.inf, distance) if distance else 0.0


def check_sides(a: Column, b: Column, metric: str) -> None:
    """Raise if only one of two columns is an estimate: it cannot be compared with scores."""
    if a.is_estimate != b.is_estimate:
        raise UsageError(
            f"{metric} is estimated from a sample of judgments for one system and scored for the other. Use the same "
            "judgments for both"
        )
