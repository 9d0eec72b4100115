"""Intervals: the confidence interval of each summary of a result."""

from __future__ import annotations

from collections.abc import Collection
from math import inf

from assay.evaluation.clusters import clusters_of
from assay.evaluation.result import Result
from assay.evaluation.result_parts import Confidence
from assay.stats import AUTO, NONE, Clusters, T, clustered_intervals, column_intervals


def with_intervals(
    result: Result,
    method: str = "auto",
    level: float = 0.95,
    seed: int = 0,
    metrics: Collection[str] | None = None,
    cluster: str | None = None,
) -> Result:
    """The result with a confidence interval for each metric, or for the named metrics only.

    The method `none` removes intervals. Times of queries that were sent in batches have none, because shares of one time say
    nothing about its spread. With `auto`, intervals are cut to the range of the metric. `cluster` is a tag: queries that
    share its value vary together.
    """
    if method == NONE:
        return result.with_fields(intervals={})
    shared = {metric.name for metric in result.metrics if metric.metric.view == "timing" and result.has_shared_times}
    columns = {
        name: column
        for name, column in result.table.by_id().columns.items()
        if column.aggregation.summarise and name not in shared and (metrics is None or name in metrics)
    }
    clusters = _clusters_by_id(result, cluster) if cluster else None
    if clusters is None or clusters.is_single:
        intervals = column_intervals(columns, method=method, level=level, seed=seed)
    else:
        intervals = clustered_intervals(columns, clusters, method=method, level=level, seed=seed)
    possible_intervals = {
        name: _within_range(ends, result, name) if method == AUTO else ends for name, ends in intervals.items()
    }
    about = (cluster, clusters.n) if cluster and clusters is not None else ()
    return result.with_fields(
        intervals={
            name: Confidence(low, high, level, used, *about) for name, (low, high, used) in possible_intervals.items()
        }
    )


def _clusters_by_id(result: Result, cluster: str) -> Clusters:
    """The clusters of the queries in the order of their ids."""
    order = sorted(range(len(result.query_ids)), key=result.query_ids.__getitem__)
    return Clusters(clusters_of([result], cluster).codes[order])


def _within_range(ends: tuple[float, float, str], result: Result, name: str) -> tuple[float, float, str]:
    """The interval cut to the range of the metric: with few queries, an interval by Student's t can exceed 1."""
    lowest, highest = {metric.name: metric.metric.range for metric in result.metrics}.get(name, (-inf, inf))
    low, high, used = ends
    if used != T or not lowest <= result.summary[name] <= highest:
        return ends
    return max(low, lowest), min(high, highest), used
