"""Clusters of queries by a tag: queries that share its value, such as paraphrases or questions about one document."""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import UnknownName, UsageError, near_matches
from assay.evaluation.result import Result
from assay.model import Tags, known_as
from assay.stats import Clusters
from assay.text import counted

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
