"""Intervals: the confidence interval of each summary of a result, and the clusters of queries that vary together.

A cluster has the queries that share the value of a tag, such as paraphrases or questions about one document.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import inf

from assay.errors import UnknownName, UsageError, near_matches
from assay.evaluation.result import Result
from assay.evaluation.result_parts import Confidence
from assay.model import Tags, known_as
from assay.stats import AUTO, NONE, Clusters, T, clustered_intervals, column_intervals
from assay.text import counted

CLUSTERED_BY = "clustered_by"
"""The key in the provenance of a result that names the tag of its clusters, if its rows are not independent."""
HOW_TO_GIVE = (
    "Name the benchmark with --dataset (qrels=a BenchmarkDataset in Python), and give its queries the field as metadata"
)


def clusters_of(results: Sequence[Result], field: str) -> Clusters:
    """The clusters of the queries of the first result, by the value of a tag. A query without the tag is its own cluster.

    A tag that no query has is an error with the known tags.
    """
    tags = Tags.of(results)
    name = _named(tags, field)
    return Clusters.of([_key(tags, query, name) for query in results[0].query_ids])


def clusters_inside(results: Sequence[Result], field: str) -> Clusters:
    """The same for a part of the queries, such as a slice, none of which needs to have the tag."""
    tags = Tags.of(results)
    name = known_as(field, tags.names)
    return Clusters.of([_key(tags, query, name) for query in results[0].query_ids])


def _key(tags: Tags, query: str, name: str) -> tuple[str, str]:
    value = tags.by_query[query].get(name)
    return ("query", query) if value is None else ("value", value)


def _named(tags: Tags, field: str) -> str:
    name = known_as(field, tags.names)
    if name in tags.names:
        return name
    if field in tags.listed:
        has = f"{field} is a list in {counted(tags.listed[field], 'query')}"
        raise UsageError(f"cannot cluster by {field}: {has}, and a query can be in only one cluster. Give it one value")
    if not tags.names:
        raise UsageError(f"cannot cluster by {field}: runs and judgments have no fields of queries. {HOW_TO_GIVE}")
    raise UnknownName("tag", field, near_matches(field, tags.names), f"choose from {', '.join(tags.names)}")


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
    share its value vary together. By default, they are the clusters that the result itself names, if any.
    """
    cluster = cluster or result.provenance.get(CLUSTERED_BY) or None
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
        name: within_range(ends, result, name) if method == AUTO else ends for name, ends in intervals.items()
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


def within_range(ends: tuple[float, float, str], result: Result, name: str) -> tuple[float, float, str]:
    """The interval cut to the range of the metric: with few queries, an interval by Student's t can exceed 1."""
    lowest, highest = {metric.name: metric.metric.range for metric in result.metrics}.get(name, (-inf, inf))
    low, high, used = ends
    if used != T or not lowest <= result.summary[name] <= highest:
        return ends
    return max(low, lowest), min(high, highest), used
