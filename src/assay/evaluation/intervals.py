"""intervals: give a result the intervals of its figures."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from math import inf

from assay.evaluation.confidence import Confidence
from assay.evaluation.result import Result
from assay.stats import AUTO, NONE, T, column_intervals


def with_intervals(
    result: Result, method: str = "auto", level: float = 0.95, seed: int = 0, metrics: Collection[str] | None = None
) -> Result:
    """The result with an interval for each metric that has one; for these metrics alone, where some are named.

    With the method `none` there are no intervals. Times have none where queries were answered together: shares of one time
    say nothing about its spread. Chosen by `auto`, no interval reaches beyond what the metric can be.
    """
    if method == NONE:
        return replace(result, intervals={})
    shared = {metric.name for metric in result.metrics if metric.metric.view == "timing" and result.has_shared_times}
    columns = {
        name: column
        for name, column in result.table.columns.items()
        if column.aggregation.summarise and name not in shared and (metrics is None or name in metrics)
    }
    found = column_intervals(columns, method=method, level=level, seed=seed)
    kept = {name: _possible(ends, result, name) if method == AUTO else ends for name, ends in found.items()}
    return replace(result, intervals={name: Confidence(low, high, level, used) for name, (low, high, used) in kept.items()})


def _possible(ends: tuple[float, float, str], result: Result, name: str) -> tuple[float, float, str]:
    """The interval as far as the metric goes: with few queries Student's t reaches beyond 1, where no figure can be."""
    least, most = {one.name: one.metric.range for one in result.metrics}.get(name, (-inf, inf))
    low, high, used = ends
    if used != T or not least <= result.summary[name] <= most:
        return ends
    return max(low, least), min(high, most), used
