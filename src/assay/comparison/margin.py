"""Margin: whether a system is worse than another by more than a margin; the decision of the gate.

Two errors are limited to half of 1 − level, 2.5 % at 95 %. A system that is worse by the margin passes: here Gaffke's bound
decides, which holds if most queries did not change. A system that is as good fails: here the randomisation test decides,
which assumes that its gains and losses are about symmetric.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats
from assay.comparison.independent_users import is_about_users, users_needed
from assay.comparison.options import ComparisonOptions
from assay.comparison.pair_figures import sign_of
from assay.comparison.pairs import Pair, decide
from assay.errors import BadParameter
from assay.metrics import BoundMetric
from assay.model import MEAN, Column
from assay.stats import (
    Clusters,
    gaffke_bound,
    gaffke_of_counts,
    gaffke_p,
    half_width,
    parse_test,
    queries_needed,
    sign_flip_p,
)
from assay.stats import Pairs as PairedScores

NOT_WORSE, WORSE, UNDECIDED, SAME = "pass", "fail", "undecided", "same"
GAFFKE, T, BOOTSTRAP, USERS = "gaffke", "t", "bootstrap", "users"
FEWEST_QUERIES = 5
"""With fewer queries, nothing is shown to be as good as the baseline."""
MAX_NEEDED = 10_000_000
"""A larger number of queries is not useful advice."""
USUAL_POWER = 0.8
EDGE = 1e-9
"""A drop that exceeds the margin by less than this share is only rounding."""


@dataclass(frozen=True)
class MarginDecision:
    """Whether system b is worse than system a by more than a margin, with the numbers that decided."""

    status: str
    """pass: not worse by the margin; fail: worse; same: no query has another score; else undecided."""
    pair: Pair
    margin: float
    level: float
    low: float
    """The interval of the difference b − a. The end on the worse side is the bound that decides whether b passes."""
    high: float
    p_not_worse: float
    """p of a drop as large as the margin; nan if the value is not a mean."""
    p_worse: float
    """p of equal systems, one-sided: small if b is worse; nan if the value is not a mean."""
    alpha_worse: float
    """b fails if `p_worse` is at most this, and the drop is larger than the margin."""
    method: str
    """gaffke, t (a metric without a largest value), bootstrap (a value that is not a mean) or users (of two search logs)."""
    gains: Floats
    """The difference of each query with both scores, or of each cluster; above 0 if b is better."""
    width: float
    """The largest possible difference of a query or a cluster."""
    unit: str = "query"
    """What varies: a query, a cluster or a user."""

    @property
    def n(self) -> int:
        """The number of queries with both scores, of clusters, or of users."""
        return len(self.gains)

    @property
    def has_test(self) -> bool:
        """Whether tests decide; otherwise the interval of the difference does, because the value is not a mean."""
        return self.method in (GAFFKE, T)

    @property
    def has_range(self) -> bool:
        """Whether differences have a largest value; otherwise Student's t replaces Gaffke's bound."""
        return self.method != T

    @property
    def has_enough_queries(self) -> bool:
        """Whether there are enough queries to pass at all."""
        return self.n >= FEWEST_QUERIES and math.isfinite(self.low) and math.isfinite(self.high)

    def needed(self) -> int | None:
        """About how many such queries or clusters would decide, if the difference stays; None if no number would."""
        alpha = (1 - self.level) / 2
        if self.n < 2 or not math.isfinite(self.pair.improvement):
            return None
        if self.method == USERS:
            gap = self.pair.improvement + (self.margin if self.pair.improvement >= -self.margin else 0.0)
            needed = users_needed(self.n, self.pair, gap, self.level)
        elif self.method == BOOTSTRAP:
            is_below = self.pair.improvement < -self.margin
            gap = self.pair.improvement + (0.0 if is_below else self.margin)
            needed = _queries_by_width(self.n, (self.high - self.low) / 2, abs(gap), alpha)
        elif self.pair.improvement < -self.margin:
            needed = _queries_to_fail(self.gains, self.pair.improvement, min(alpha, self.alpha_worse))
        elif self.method == GAFFKE:
            needed = _queries_to_pass(self.gains, self.margin, alpha, self.width)
        else:
            needed = _queries_to_fail(self.gains, self.pair.improvement + self.margin, alpha)
        return None if needed is None or needed > MAX_NEEDED else max(needed, self.n + 1)


def decide_margin(
    metric: BoundMetric,
    before: Column,
    now: Column,
    margin: float,
    level: float = 0.95,
    *,
    alpha_worse: float | None = None,
    can_fail: bool = True,
    clusters: Clusters | None = None,
    known: Pair | None = None,
) -> MarginDecision:
    """Decide whether `now` is worse than `before` by more than a margin, in units of the metric.

    It passes if a drop as large as the margin is rejected at (1 − level) ÷ 2, and fails if equal systems are rejected at
    `alpha_worse` (by default the same) and the drop is larger than the margin. Fewer than five queries never pass. If
    `can_fail` is false, it never fails. If there are `clusters` of the queries, clusters take the place of queries. For a
    value that is not a mean, or of a search log, the interval at `level` decides, and `alpha_worse` changes nothing. A
    difference may be `known`, because an experiment decided it at this level; then its corrected p decides as well.
    """
    alpha, how = round((1 - level) / 2, 12), ComparisonOptions(alpha=round(1 - level, 12), correction="none")
    pair = known or decide(metric, before, now, how, clusters=clusters)
    is_of_users = known is not None or is_about_users(metric)
    gains, reach = (np.zeros(pair.n), 1.0) if is_of_users else _gains_and_reach(metric, before, now, clusters)
    low, high = metric.metric.range
    width = (high - low) * reach
    method, is_up = _method_of(now, width, is_of_users=is_of_users), metric.metric.higher_is_better
    worst, best = (pair.low, pair.high) if is_up else (-pair.high, -pair.low)
    p_not_worse, bound = _not_worse(gains, margin, alpha, width) if method in (GAFFKE, T) else (math.nan, worst)
    p_worse = math.nan if method not in (GAFFKE, T) else sign_flip_p(gains, "less") if len(gains) else 1.0
    alpha_worse = alpha if alpha_worse is None else alpha_worse
    passes = (p_not_worse <= alpha if method in (GAFFKE, T) else bound > -margin) and len(gains) >= FEWEST_QUERIES
    is_shown = p_worse <= alpha_worse if method in (GAFFKE, T) else best < 0 and (pair.is_significant or known is None)
    fails = can_fail and is_shown and pair.improvement < -margin - EDGE * max(1.0, margin)
    status = SAME if pair.is_same else WORSE if fails else NOT_WORSE if passes else UNDECIDED
    bound = min(max(bound, low - high), pair.improvement) if math.isfinite(bound) else bound
    ends = (bound, best) if is_up else (-best, -bound)
    unit = "user" if is_of_users else "query" if clusters is None else "cluster"
    return MarginDecision(status, pair, margin, level, *ends, p_not_worse, p_worse, alpha_worse, method, gains, width, unit)


def _method_of(column: Column, width: float, *, is_of_users: bool) -> str:
    if is_of_users:
        return USERS
    return BOOTSTRAP if column.aggregation != MEAN else GAFFKE if math.isfinite(width) else T


def gains_of(metric: BoundMetric, before: Column, now: Column, clusters: Clusters | None = None) -> Floats:
    """The gain of each query with both scores, sorted; below 0 if it is worse, and 0 if the difference is only rounding.

    If a value is composed of parts, queries without scores have the gain of their first part. With clusters, it is the gain
    of each cluster.
    """
    return _gains_and_reach(metric, before, now, clusters)[0]


def _gains_and_reach(metric: BoundMetric, before: Column, now: Column, clusters: Clusters | None) -> tuple[Floats, float]:
    """The gains, and the largest possible gain as a multiple of that of one query: 1 without clusters."""
    a, b = (np.asarray(column.score, dtype=float) for column in (before, now))
    inside: NDArray[np.bool_] = np.isfinite(a) & np.isfinite(b)
    if before.is_composed and now.is_composed:
        raw = np.where(inside, b - a, now.weight[:, 0] - before.weight[:, 0])
        inside = before.counts & now.counts
        differences = raw[inside, np.newaxis]
    else:
        differences = PairedScores(a[inside, np.newaxis], b[inside, np.newaxis]).differences
    if not inside.any():
        return np.empty(0), 1.0
    counted = None if clusters is None else clusters.taken(inside)
    sums = differences if counted is None else counted.sums(differences)
    return np.sort(sign_of(metric) * sums[:, 0]), 1.0 if counted is None else counted.reach


def _not_worse(gains: Floats, margin: float, alpha: float, width: float) -> tuple[float, float]:
    """The p of a drop as large as the margin, and the lower bound of the gain; by t if differences can be of any size."""
    if not len(gains):
        return 1.0, math.nan
    if math.isfinite(width):
        return gaffke_p(gains, margin, -width), gaffke_bound(gains, alpha, -width)
    test = parse_test(f"non_inferiority(margin={margin!r})")
    p = float(test.compare(PairedScores(np.zeros((len(gains), 1)), gains[:, np.newaxis])).p[0])
    if len(gains) < 2:
        return p, math.nan
    error = float(gains.std(ddof=1)) / math.sqrt(len(gains))
    return p, float(gains.mean() - half_width(error, len(gains) - 1, 1 - 2 * alpha))


def _queries_to_pass(gains: Floats, margin: float, alpha: float, width: float) -> int | None:
    """The number of such queries that pass in four of five cases: p of the same differences, each seen more often."""
    from scipy.special import ndtr, ndtri

    values, counts = np.unique(gains, return_counts=True)
    goal = float(ndtr(ndtri(alpha) - ndtri(USUAL_POWER)))

    def is_enough(n: int) -> bool:
        return bool(gaffke_of_counts(values, counts[np.newaxis, :] * (n / len(gains)), margin, -width)[0] <= goal)

    low, high = 1, 2
    while not is_enough(high):
        low, high = high, 2 * high
        if high > MAX_NEEDED:
            return None
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _queries_by_width(n: int, half: float, gap: float, alpha: float) -> int | None:
    """The number of such queries with which an interval leaves out a value at this distance in four of five cases.

    Half of the present interval is given. Intervals are assumed to become narrower with the square root of the number.
    """
    from scipy.special import ndtri

    if not gap or not math.isfinite(half):
        return None
    return math.ceil(n * (half * (1 + ndtri(USUAL_POWER) / -ndtri(alpha)) / gap) ** 2)


def _queries_to_fail(gains: Floats, effect: float, alpha: float) -> int | None:
    """The number of such queries with which a drop of this size is significant in four of five cases."""
    if not effect or not math.isfinite(effect):
        return None
    try:
        return queries_needed(gains, effect, alpha=2 * alpha)
    except BadParameter:  # the difference is too small for any number of queries
        return None
