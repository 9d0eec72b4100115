"""intervals: give a result the intervals of its figures."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from assay.evaluation.confidence import Confidence
from assay.evaluation.result import Result
from assay.stats import column_intervals


def with_intervals(
    result: Result, method: str = "auto", level: float = 0.95, seed: int = 0, metrics: Collection[str] | None = None
) -> Result:
    """The result with an interval for each metric that has one; for these metrics alone, where some are named.

    Times have none where queries were answered together: shares of one time say nothing about its spread.
    """
    shared = {metric.name for metric in result.metrics if metric.metric.view == "timing" and result.has_shared_times}
    columns = {
        name: column
        for name, column in result.table.columns.items()
        if column.aggregation.summarise and name not in shared and (metrics is None or name in metrics)
    }
    found = column_intervals(columns, method=method, level=level, seed=seed)
    return replace(result, intervals={name: Confidence(low, high, level, used) for name, (low, high, used) in found.items()})
