"""Threshold sweep: results of one run at several thresholds of relevance, side by side in one result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assay.evaluation import Result, in_requested_order, with_columns
from assay.grammar import Param, fraction
from assay.metrics import BoundMetric
from assay.model import ScoreTable

F1_THRESHOLD = Param("f1_threshold", fraction, None, "lowest F1 at which the resolver token counts a text as relevant")


def merge_thresholds(results: Mapping[float, Result]) -> Result:
    """One result with a column for each metric and threshold: `mrr(f1_threshold=0.1)`.

    Additional metrics, such as judged@10, and everything else are those of the first threshold.
    """
    named = {threshold: _at_threshold(result, threshold) for threshold, result in results.items()}
    first, *others = named.values()
    merged = first
    for other in others:
        merged = with_columns(merged, other.table, [metric for metric in other.metrics if metric.name not in other.beside])
    by_metric = zip(*([metric.name for metric in result.metrics] for result in named.values()), strict=True)
    notes = dict.fromkeys(note for result in named.values() for note in result.notes)
    ordered = in_requested_order(merged, [name for names in by_metric for name in names])
    return ordered.with_fields(notes=tuple(notes))


def _at_threshold(result: Result, threshold: float) -> Result:
    """The result with the threshold in the names of its metrics."""
    named = {metric.name: metric if metric.name in result.beside else _named(metric, threshold) for metric in result.metrics}
    columns = {named[name].name: column for name, column in result.table.columns.items() if name in named}
    settings = tuple(
        replace(setting, metric=named[setting.metric.name], asked=named[setting.metric.name])
        for setting in result.settings
        if setting.metric.name in named
    )
    table = ScoreTable(result.table.query_ids, columns)
    return result.with_fields(table=table, metrics=tuple(named.values()), settings=settings)


def _named(metric: BoundMetric, threshold: float) -> BoundMetric:
    definition = replace(metric.metric, params=(*metric.metric.params, F1_THRESHOLD), meaning=metric.metric.meaning)
    return replace(metric, metric=definition, params={**metric.params, F1_THRESHOLD.name: threshold})
