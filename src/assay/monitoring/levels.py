"""levels: the nights since the last step, the chart that tells a step from noise, and the test for a slow drift.

The chart (Shewhart 1931) calls a night too far from the mean x̄ of the k nights before it if
|x − x̄| > t(k − 1; 1 − α/2) · √(s² + f²) · √(1 + 1/k). s is their standard deviation. f is half a query of the range of the
metric: without it, a system that was quiet by chance would raise an alarm at its first noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.stats import sign_flip_p

NIGHTS = 60
"""The false alarm rates hold for this many nights."""
CHART_LOOK = 0.025 / (NIGHTS - 1)
"""α of the chart on each night: half of 5 %, because the noise of few queries is skewed, and other tests need a part."""
TREND_LOOK = 0.0002
"""α of the test for a slow drift on each night."""
LEAST_NIGHTS = 8
"""Nights since the last step that the chart needs before it can judge the next one."""
ROUNDING = 1e-12
"""Smaller differences are none."""
SMALLEST = 0.0005
"""The smallest standard deviation of values without a range (times, ratios …), as a share of the level."""


@dataclass(frozen=True)
class Measured:
    """What is known about the values of a series."""

    n_queries: int = 0
    """The number of queries of each value; 0 if it is unknown or differs."""
    width: float = math.inf
    """The width of the range of the metric; infinite if it has no range."""
    is_mean: bool = True
    """Whether a value grows with the mean of the scores of its queries, so that a paired test of them is about the value."""
    is_timing: bool = False
    """Whether values are times: they are skewed, so logarithms are compared, and a series of them is never steady."""

    def deviation(self, level: float) -> float:
        """The smallest standard deviation of a value: half a query; without a range, a small share of the level."""
        if self.is_timing:
            return SMALLEST
        has_range = self.n_queries > 0 and math.isfinite(self.width)
        return 0.5 * self.width / self.n_queries if has_range else SMALLEST * abs(level)


class Night(NamedTuple):
    """One night with a value."""

    place: int
    value: float
    scores: Floats | None

    def is_same(self, other: Night) -> bool:
        """Whether all scores are the same, except for rounding; without scores, whether the values are."""
        if self.scores is not None and self.scores is other.scores:
            return True
        if self.scores is None or other.scores is None:
            return abs(self.value - other.value) <= ROUNDING * max(1.0, abs(self.value))
        return not score_differences(self.scores, other.scores).any()


def score_differences(now: Floats, before: Floats) -> Floats:
    """The scores now minus before: 0 if it is only rounding or if both are undefined; nan if one of them is undefined."""
    raw = now - before
    limit = ROUNDING * max(1.0, float(np.fmax.reduce(np.abs(now), initial=0.0)))
    raw[np.abs(raw) <= limit] = 0.0
    if np.isnan(raw).any():
        raw[np.isnan(now) & np.isnan(before)] = 0.0
    return raw


@dataclass
class Level:
    """The nights since the last step: their number, mean and sum of squares, and the sum of each query's scores."""

    n: int = 0
    mean: float = 0.0
    squares: float = 0.0
    moment: float = 0.0
    """The sum of the number of each night times its distance from the first value, for the slope."""
    first: float = 0.0
    totals: Floats | None = None
    counts: Floats | None = None

    def add(self, night: Night) -> None:
        """Add one night."""
        if not self.n:
            self.first = night.value
        self.moment += self.n * (night.value - self.first)
        self.n += 1
        off = night.value - self.mean
        self.mean += off / self.n
        self.squares += off * (night.value - self.mean)
        if night.scores is None:
            return
        defined = ~np.isnan(night.scores)
        scores = np.where(defined, night.scores, 0.0)
        if self.totals is None or self.counts is None:
            self.totals, self.counts = scores, defined.astype(float)
        else:
            self.totals, self.counts = self.totals + scores, self.counts + defined

    def differences(self, night: Night) -> Floats | None:
        """For each query: tonight minus its mean; nan if one of them is undefined."""
        if night.scores is None or self.totals is None or self.counts is None:
            return None
        with np.errstate(invalid="ignore"):
            return score_differences(night.scores, self.totals / self.counts)

    def distance(self, value: float, measured: Measured) -> float:
        """The distance of a value from the mean in standard errors; 0 if there are too few nights to judge."""
        if self.n < LEAST_NIGHTS:
            return 0.0
        variance = self.squares / (self.n - 1) + measured.deviation(self.mean) ** 2
        off = value - self.mean
        return off / math.sqrt(variance * (1 + 1 / self.n)) if variance else math.copysign(math.inf, off) if off else 0.0

    def side(self, value: float, measured: Measured, alpha: float = CHART_LOOK) -> int:
        """1 if the chart calls a value too high, −1 if it is too low, else 0."""
        distance = self.distance(value, measured)
        return int(math.copysign(1, distance)) if distance and abs(distance) > _quantile(self.n - 1, alpha) else 0

    def trend(self, measured: Measured) -> int:
        """The sign of the slope of these nights if it is significant, else 0."""
        n = self.n
        if n <= LEAST_NIGHTS:
            return 0
        spread = n * (n * n - 1) / 12
        product = self.moment - (n - 1) / 2 * n * (self.mean - self.first)
        residual = max(0.0, self.squares - product**2 / spread) / (n - 2) + measured.deviation(self.mean) ** 2
        t = product / math.sqrt(spread * residual) if residual else 0.0
        return int(math.copysign(1, t)) if abs(t) > _quantile(n - 2, TREND_LOOK) else 0


@cache
def _quantile(freedom: int, alpha: float) -> float:
    """The quantile of Student's t for a two-sided look."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 1 - alpha / 2))


def paired_p(differences: Floats | None, alpha: float = 1.0) -> float:
    """Two-sided p of the randomisation test; nan without queries. p above alpha may be reported as 1 to save time."""
    if differences is None:
        return math.nan
    defined = differences[~np.isnan(differences)]
    if not len(defined):
        return math.nan
    squares = float(np.square(defined).sum())
    if alpha < 7 / 32:  # sums of random signs exceed their standard deviation with at least this probability
        n_changed = int(np.count_nonzero(defined))
        if float(defined.sum()) ** 2 <= 4 * squares or 2.0 ** (1 - n_changed) > alpha:
            return 1.0
    return float(sign_flip_p(defined))
