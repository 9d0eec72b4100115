"""shared_metrics: what several results can be compared by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.errors import UsageError
from assay.evaluation import Result
from assay.metrics import Asked, BoundMetric, Metric, parse_metrics
from assay.text import some_of


def shared_metrics(results: Sequence[Result], wanted: Asked | Iterable[Asked] | None = None) -> tuple[BoundMetric, ...]:
    """The metrics asked for, or those that all systems have and that somebody asked for when they were scored."""
    if wanted:
        return tuple(_asked_for(metric, results) for metric in asked_metrics(results, wanted))
    beside = {name for result in results for name in result.beside}
    shared = [
        metric
        for metric in results[0].metrics
        if metric.name not in beside and all(metric.name in result.summary for result in results)
    ]
    if not shared:
        raise UsageError("the systems have no metric in common")
    return tuple(shared)


def asked_metrics(results: Sequence[Result], asked: Asked | Iterable[Asked]) -> list[BoundMetric]:
    """The metrics that were asked for. What results have under the very name is meant, whether or not it is known here."""
    several = [asked] if isinstance(asked, str | BoundMetric | Metric) else asked
    recorded = {metric.name: metric for result in reversed(results) for metric in result.metrics}
    found = [recorded[one] if isinstance(one, str) and one in recorded else one for one in several]
    return parse_metrics(found, results[0].profile)


def _asked_for(metric: BoundMetric, results: Sequence[Result]) -> BoundMetric:
    """The metric as it was scored: a profile may have made another of it."""
    if not metric.metric.aggregation.summarise:
        raise UsageError(f"{metric.name} is text and cannot be compared; compare a metric with a figure, such as ndcg@10")
    name = next((result.own_name(metric) for result in results if metric in result), metric.name)
    if lacking := [result.name for result in results if name not in result.summary]:
        there = some_of(list(results[0].summary), 10)
        raise UsageError(f"{name} was not scored for {some_of(lacking)}; {results[0].name} has {there}")
    return next(bound for bound in results[0].metrics if bound.name == name)
