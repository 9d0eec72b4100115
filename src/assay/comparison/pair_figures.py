"""Figures of pairs: for two columns of scores the difference with its interval, effects and p; many pairs at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats
from assay.comparison.options import ComparisonOptions
from assay.metrics import BoundMetric
from assay.model import MEAN, SUM, Column, Figure
from assay.stats import (
    AUTO,
    AVERAGED,
    RESAMPLES,
    ROUNDING,
    Clusters,
    Interval,
    Pairs,
    agree_with_test,
    auto_intervals,
    averaged,
    chance_of_claim,
    check_sides,
    clustered_difference,
    d_z,
    difference_intervals,
    effects,
    estimated_difference,
    figure_difference,
    jackknifed_gap,
    nothing,
    posterior,
)


def sign_of(metric: BoundMetric) -> int:
    """1 if higher is better, -1 if lower is better."""
    return 1 if metric.metric.higher_is_better else -1


class PairRequest(NamedTuple):
    """Two systems, by position, and a metric."""

    metric: BoundMetric
    a: int
    b: int

    @property
    def sign(self) -> int:
        """1 if higher is better, -1 if lower is better."""
        return sign_of(self.metric)


@dataclass
class PairColumns:
    """Pairs with scores on the same queries, which are computed together."""

    numbers: list[int] = field(default_factory=list)
    requests: list[PairRequest] = field(default_factory=list)
    a: list[Column] = field(default_factory=list)
    b: list[Column] = field(default_factory=list)
    clusters: Clusters | None = None
    """The clusters of the queries; None if each query stands for itself."""

    def add(self, a: Column, b: Column, defined: NDArray[np.bool_]) -> None:
        """Add two columns, without the queries that are undefined in one of them."""
        is_composed = a.is_composed and b.is_composed
        for (score, weight, aggregation), side in zip((a, b), (self.a, self.b), strict=True):
            known = np.nan_to_num(score[defined].astype(float)) if is_composed else score[defined].astype(float)
            side.append(Column(known, weight[defined], aggregation))


def compare_columns(columns: PairColumns, how: ComparisonOptions) -> Iterator[dict[str, Any]]:
    """For each pair the difference with its interval, effects and p before correction, as fields of `Pair`."""
    figures = _figures(columns, how)
    for place, request in enumerate(columns.requests):
        own: dict[str, Any] = {name: values[place].item() for name, values in figures.items()}
        both = (columns.a[place], columns.b[place])
        check_sides(*both, request.metric.name)
        own |= _values(*both, request)
        own |= _figures_by_aggregation(own, both, request, how, columns.clusters)
        own |= {"direction": round(own["direction"]), "claim": how.bound_test.test.claim}
        yield {"n": len(both[0].score), "p_corrected": math.nan, "is_significant": False, **own}


def _values(a: Column, b: Column, request: PairRequest) -> dict[str, float]:
    """Both values over the same queries, and their difference."""
    value_a, value_b = a.summary(), b.summary()
    difference = value_b - value_a
    difference = 0.0 if abs(difference) <= ROUNDING * max(abs(value_a), abs(value_b)) else difference
    return {
        "value_a": value_a,
        "value_b": value_b,
        "difference": difference,
        "relative": difference / abs(value_a) if value_a else math.nan,
        "improvement": request.sign * difference + 0.0,
    }


def _figures_by_aggregation(
    own: Mapping[str, Any],
    both: tuple[Column, Column],
    request: PairRequest,
    how: ComparisonOptions,
    clusters: Clusters | None,
) -> dict[str, Any]:
    """Numbers that differ if the summary is not a mean. A summary that is not an average is bootstrapped as a whole."""
    aggregation, n = both[0].aggregation, len(both[0].score)
    if both[0].is_estimate:
        return _estimated_figures(both, request, how)
    if aggregation.figure is not None and both[0].is_composed and both[1].is_composed:
        return _figures_of_lists(both, aggregation.figure, request, how, clusters)
    if aggregation == MEAN:
        return {}
    if aggregation == SUM:
        return {"low": n * own["low"], "high": n * own["high"]} | (_NO_ROPE if how.rope else {})
    alternative = str(how.bound_test.params.get("alternative", "two_sided"))
    if request.sign < 0:
        alternative = {"greater": "less", "less": "greater"}.get(alternative, alternative)
    if clusters is None:
        difference = figure_difference(*both, alternative, how.level, seed=how.seed)
    else:
        difference = clustered_difference(*both, clusters, alternative, how.level, seed=how.seed)
    interval: dict[str, Any] = {"low": difference.low, "high": difference.high, "interval": "bootstrap"}
    if aggregation in AVERAGED:
        return interval | (_NO_ROPE if how.rope else {})
    direction = (own["improvement"] > 0) - (own["improvement"] < 0)
    tested = {"p": difference.p, "statistic": own["difference"], "direction": direction, "draws": RESAMPLES}
    return {**interval, **tested, **_NO_ROPE, "d_z": math.nan}


def _estimated_figures(both: tuple[Column, Column], request: PairRequest, how: ComparisonOptions) -> dict[str, Any]:
    """Numbers of estimates from a sample of judgments: Student's t, whatever test was chosen, and nothing about queries."""
    gain, gap = estimated_difference(*both, request.sign), estimated_difference(*both)
    low, high = gap.interval(how.level)
    test = how.bound_test
    alternative = str(test.params.get("alternative", "two_sided"))
    statistic, p = chance_of_claim(gain, test.test.claim, test.scale, alternative)
    tested = {"statistic": statistic, "p": p, "draws": 0, "direction": (gain.value > 0) - (gain.value < 0)}
    unknown = {"d_z": math.nan, "n_changed": len(both[0].score)}  # equal contributions need not be equal scores
    if both[0].is_difference:  # the values of single systems are unknown
        unknown |= {"difference": gap.value, "improvement": gain.value + 0.0}
    return {"low": low, "high": high, "interval": "t", **tested, **_NO_ROPE, **unknown}


def _figures_of_lists(
    both: tuple[Column, Column], figure: Figure, request: PairRequest, how: ComparisonOptions, clusters: Clusters | None
) -> dict[str, Any]:
    """Numbers of values that all lists have together: Student's t of jackknife values, whatever test was chosen."""
    gap = jackknifed_gap(both[0].weight, both[1].weight, figure, None if clusters is None else clusters.codes)
    low, high = gap.mean.interval(how.level)
    gain = gap.mean._replace(value=request.sign * gap.mean.value)
    alternative = str(how.bound_test.params.get("alternative", "two_sided"))
    statistic, p = chance_of_claim(gain, "differs", 0.0, alternative)
    direction = (gain.value > 0) - (gain.value < 0)
    tested = {"statistic": statistic, "p": p, "draws": 0, "direction": direction, "n_changed": gap.n_changed}
    return {"low": low, "high": high, "interval": "t", **tested, **_NO_ROPE, "d_z": math.nan}


_NO_ROPE: dict[str, Any] = {"p_better": math.nan, "p_equal": math.nan}
"""A region of practical equivalence is about means, in units of a query's score."""


def _figures(columns: PairColumns, how: ComparisonOptions) -> dict[str, NDArray[Any]]:
    """Field of a pair → its value in each column, as if all summaries were averages."""
    a, b = (np.column_stack([column.score for column in side]) for side in (columns.a, columns.b))
    is_up = np.array([request.sign > 0 for request in columns.requests])
    tested_a, tested_b = (
        np.column_stack([averaged(column.score, column.aggregation) for column in side]) for side in (columns.a, columns.b)
    )
    sign = np.where(is_up, 1.0, -1.0)
    better = Pairs(tested_a * sign, tested_b * sign, how.seed, _widths(columns))
    tested = better if columns.clusters is None else _summed(better, columns.clusters)
    test = how.bound_test
    outcome = nothing(len(is_up)) if test.test.is_for_many else test.compare(tested)
    (low, high), methods = _intervals(Pairs(a, b).differences, outcome.p, columns, how)
    effect, chances = effects(a, b, how.tolerance, is_up), posterior(tested, how.rope)
    figures = {name: getattr(effect, name) for name in ("cliffs_delta", "wins", "ties", "losses")}
    figures |= {"n_changed": np.count_nonzero(Pairs(a, b).differences, axis=0), "interval": methods}
    figures |= {"low": low, "high": high, "statistic": outcome.statistic, "p": outcome.p, "direction": outcome.direction}
    figures |= {"d_z": d_z(better)}
    figures |= {"draws": np.broadcast_to(outcome.draws, len(is_up))}
    return {**figures, "p_better": chances.p_better, "p_equal": chances.p_equal}


def _intervals(
    differences: Floats, p: Floats, columns: PairColumns, how: ComparisonOptions
) -> tuple[Interval, NDArray[np.str_]]:
    """The interval of each column and its method. With `auto`, zero is outside exactly if the test is significant."""
    method = how.interval_method
    if method != AUTO:
        units = differences if columns.clusters is None else columns.clusters.linear(differences)
        interval = difference_intervals(np.zeros_like(units), units, method, how.level, seed=how.seed)
        return interval, np.full(units.shape[1], method)
    widths = _widths(columns)
    if columns.clusters is None:
        interval, methods = auto_intervals(differences, widths, how.level)
    else:
        interval, methods = _auto_by_cluster(differences, widths, columns.clusters, how.level)
    test = how.bound_test
    if test.test.is_of_mean and test.params.get("alternative", "two_sided") == "two_sided":
        p_of = partial(_p_of_differences, how, columns.clusters)
        interval = agree_with_test(interval, differences, p, how.alpha, p_of)
    return interval, methods


def _auto_by_cluster(
    differences: Floats, widths: Floats, clusters: Clusters, level: float
) -> tuple[Interval, NDArray[np.str_]]:
    """Gaffke's bound of the sums of the clusters, which reach further than single queries; or t, which needs no range."""
    sums, linear = clusters.sums(differences), clusters.linear(differences)
    interval, methods = auto_intervals(sums, widths * clusters.reach, level, linear)
    return Interval(np.maximum(interval.low, -widths), np.minimum(interval.high, widths)), methods


def _summed(pairs: Pairs, clusters: Clusters) -> Pairs:
    """The scores of clusters. Differences of queries that are only rounding stay 0."""
    differences = clusters.sums(pairs.differences)
    widths = None if pairs.widths is None else pairs.widths * clusters.reach
    return Pairs(np.zeros_like(differences), differences, pairs.seed, widths)


def _widths(columns: PairColumns) -> Floats:
    """The largest possible difference of each column."""
    return np.array([high - low for low, high in (request.metric.metric.range for request in columns.requests)])


def _p_of_differences(how: ComparisonOptions, clusters: Clusters | None, differences: Floats) -> Floats:
    pairs = Pairs(np.zeros_like(differences), differences, how.seed)
    return how.bound_test.compare(pairs if clusters is None else _summed(pairs, clusters)).p
