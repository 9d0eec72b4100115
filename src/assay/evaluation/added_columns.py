"""added_columns: metrics that are scored apart from the rankings, put beside those of a result."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from assay.evaluation.grader import aligned_tables
from assay.evaluation.result import Result
from assay.metrics import BoundMetric
from assay.model import Column, ScoreTable


def with_columns(result: Result, table: ScoreTable, metrics: Iterable[BoundMetric], beside: Collection[str] = ()) -> Result:
    """The result with more metrics, some of them `beside` what was asked for. What it has already stays as it is; where one
    side lacks a query, there is no score.
    """
    added = {metric.name: metric for metric in metrics if metric.name not in result.table.columns}
    if not added:
        return result
    known = {metric.name: metric for metric in result.metrics} | added
    new = ScoreTable(table.query_ids, {name: table.columns[name] for name in added})
    merged = replace(result, table=aligned_tables([result.table, new]), metrics=tuple(known.values()))
    return _shown(merged, known.values(), {*result.beside, *beside})


def without_scores(result: Result, metrics: Sequence[BoundMetric], beside: Collection[str] = ()) -> Result:
    """The result with metrics that are undefined for every query: nobody told what they are about."""
    n = len(result.query_ids)
    columns = {metric.name: Column.undefined(n, metric.metric.aggregation) for metric in metrics}
    return with_columns(result, ScoreTable(result.query_ids, columns), metrics, beside)


def in_asked_order(result: Result, asked: Sequence[str]) -> Result:
    """The result with its metrics as they were asked for; the others follow."""
    place = {name: number for number, name in enumerate(asked)}
    return _shown(result, sorted(result.metrics, key=lambda metric: place.get(metric.name, len(place))), result.beside)


def with_the_same_metrics(results: Sequence[Result]) -> list[Result]:
    """Results on one benchmark with the metrics of all of them, in one order, so that one table holds them."""
    found: list[Result] = []
    for result in results:
        alike = [one for one in results if one.benchmark == result.benchmark]
        known = {metric.name: metric for one in alike for metric in one.metrics}
        if all(len(one.metrics) == len(known) for one in alike):
            found.append(result)
            continue
        beside = [name for name in known if any(name in one.beside for one in alike)]
        found.append(_shown(without_scores(result, list(known.values()), beside), known.values(), beside))
    return found


def _shown(result: Result, metrics: Iterable[BoundMetric], beside: Collection[str]) -> Result:
    """The result with these metrics in this order, what was asked for before what stands beside it."""
    ordered = tuple(sorted(metrics, key=lambda metric: metric.name in beside))
    columns = {metric.name: result.table.columns[metric.name] for metric in ordered}
    kept = tuple(metric.name for metric in ordered if metric.name in beside)
    return replace(result, metrics=ordered, beside=kept, table=replace(result.table, columns=columns))
