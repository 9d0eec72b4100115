"""Independent users: results of search logs are about other users each time, so they are compared without pairs."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from assay.comparison.options import ComparisonOptions
from assay.comparison.pair_figures import sign_of
from assay.evaluation import CLUSTERED_BY, Result, clusters_of
from assay.metrics import BoundMetric
from assay.model import RATIOS, Column
from assay.stats import Estimate, Ratio, column_intervals, normal_quantile, ratio_difference

WELCH = "welch"


def is_about_users(metric: BoundMetric) -> bool:
    """Whether the rows of the metric are users of a search log, so that two results have no rows in common."""
    return metric.metric.view == "behaviour"


def column_of_users(result: Result, metric: str) -> Column:
    """The column of a metric with one row for each user: rows that a tag such as the day splits are added up."""
    column = result.table.columns[metric]
    if not (cluster := result.provenance.get(CLUSTERED_BY)) or not (column.is_composed and column.counts.any()):
        return column
    codes, counts = clusters_of([result], cluster).codes, column.counts
    n = int(codes.max(initial=-1)) + 1
    parts = [np.bincount(codes[counts], weights=part[counts], minlength=n) for part in column.weight.T]
    is_known = np.bincount(codes[counts], minlength=n) > 0
    return Column(np.full(n, np.nan), np.where(is_known[:, None], np.column_stack(parts), np.nan), column.aggregation)


def compare_users(metric: BoundMetric, before: Column, now: Column, how: ComparisonOptions) -> dict[str, Any]:
    """The difference between two groups of users with its interval and p, as fields of `Pair`.

    Rates are compared by Welch's t with the variance of the delta method; percentiles of times by the widths of their two
    intervals. Users of both groups count as independent, so if many are the same people, the interval is too wide.
    """
    values = before.summary(), now.summary()
    estimate = _estimate(before, now, how.level)
    direction = (sign_of(metric) * estimate.value > 0) - (sign_of(metric) * estimate.value < 0)
    unknown = dict.fromkeys(("d_z", "cliffs_delta", "p_better", "p_equal"), math.nan)
    return {
        "n": int(np.count_nonzero(now.counts)),
        "value_a": values[0],
        "value_b": values[1],
        "n_changed": int(np.count_nonzero(now.counts)),
        "difference": estimate.value,
        "relative": estimate.value / abs(values[0]) if values[0] else math.nan,
        "low": estimate.low,
        "high": estimate.high,
        "interval": WELCH,
        "statistic": estimate.value,
        "p": estimate.p,
        "p_corrected": math.nan,
        "is_significant": False,
        "improvement": sign_of(metric) * estimate.value + 0.0,
        "direction": direction,
        "draws": 0,
        **unknown,
        **dict.fromkeys(("wins", "ties", "losses"), 0),
    }


def _estimate(before: Column, now: Column, level: float) -> Estimate:
    scale = RATIOS.get(now.aggregation)
    if scale is not None and before.is_composed and now.is_composed:
        first, second = (column.weight[column.counts] for column in (before, now))
        sides = [Ratio.of(scale * sums[:, 0], sums[:, 1]) for sums in (first, second)]
        return ratio_difference(sides[0], sides[1], level)
    return _by_intervals(before, now, level)


def _by_intervals(before: Column, now: Column, level: float) -> Estimate:
    """The difference of two values whose errors are about normal, as their own intervals show them."""
    z = normal_quantile((1 + level) / 2)
    ends = column_intervals({"a": before, "b": now}, level=level)
    errors = [(high - low) / (2 * z) for low, high, _ in ends.values()]
    df = float(np.count_nonzero(before.counts) + np.count_nonzero(now.counts) - 2)
    return Estimate.by_t(now.summary() - before.summary(), float(np.square(errors).sum()), df, level)


class HasInterval(Protocol):
    """A difference with its interval."""

    @property
    def low(self) -> float:
        """Its low end."""

    @property
    def high(self) -> float:
        """Its high end."""


def users_needed(n: int, difference: HasInterval, gap: float, level: float, power: float = 0.8) -> int | None:
    """About how many users would show a gap of this size, if n users have this interval; None if no number would."""
    z = normal_quantile((1 + level) / 2)
    error = (difference.high - difference.low) / (2 * z)
    if not gap or not math.isfinite(gap) or not math.isfinite(error):
        return None
    return math.ceil(n * ((z + normal_quantile(power)) * error / gap) ** 2)
