"""align: bring results together that may be compared, query by query; refuse those that may not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any

import numpy as np

from assay.errors import DataError, UnknownName, UsageError, near_matches
from assay.evaluation.result import Result
from assay.metrics._metric import BoundMetric
from assay.metrics._parse import parse_metrics
from assay.model.ordering import Floats
from assay.model.policy import Policy
from assay.text import counted, some_of


@dataclass(frozen=True)
class Aligned:
    """Results of several systems over the same queries in the same order, and the metrics that all of them have."""

    results: tuple[Result, ...]
    metrics: tuple[BoundMetric, ...]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The systems."""
        return tuple(result.name for result in self.results)

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The queries they were compared on."""
        return self.results[0].query_ids

    def scores(self, metric: str) -> Floats:
        """Queries × systems; nan where a score is undefined."""
        return np.column_stack([result.table.columns[metric].score for result in self.results]).astype(float)

    def place(self, name: str) -> int:
        """The number of a system."""
        if name not in self.names:
            raise UnknownName("system", name, near_matches(name, self.names), f"there are {', '.join(self.names)}")
        return self.names.index(name)


def align(results: Sequence[Result], metrics: Sequence[str] | None = None, *, intersect: bool = False) -> Aligned:
    """Results that are about the same thing. With `intersect`, what differs is told, and only shared queries count."""
    if len(results) < 2:
        here = f"here is one, {results[0].name}" if results else "here is none"
        raise UsageError(f"at least two systems are needed for a comparison, and {here}")
    names = [result.name for result in results]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"two systems are called {some_of(twice)}; give them names, as in base=a.json new=b.json")
    shared = _shared_metrics(results, metrics)
    found = [difference for one, other in pairwise(results) for difference in _differences(one, other)]
    if found and not intersect:
        raise DataError(f"these cannot be compared: {'; '.join(dict.fromkeys(found))}. --intersect compares what they share")
    others = [set(one.query_ids) for one in results[1:]]
    queries = [query for query in results[0].query_ids if all(query in some for some in others)]
    if found and not queries:
        raise DataError(f"these cannot be compared: no query is in all of them. {'; '.join(dict.fromkeys(found))}")
    return Aligned(tuple(_on(result, queries, shared) for result in results), shared, tuple(dict.fromkeys(found)))


def _shared_metrics(results: Sequence[Result], wanted: Sequence[str] | None) -> tuple[BoundMetric, ...]:
    """The metrics asked for, or those that all systems have and that say how good they are."""
    if wanted:
        asked = parse_metrics(wanted)
        for metric in asked:
            if lacking := [result.name for result in results if metric.name not in result.summary]:
                there = some_of(list(results[0].summary), 10)
                raise UsageError(f"{metric.name} was not scored for {some_of(lacking)}; {results[0].name} has {there}")
        return tuple(asked)
    beside = {name for result in results for name in result.beside}
    shared = [
        metric
        for metric in results[0].metrics
        if metric.name not in beside and all(metric.name in result.summary for result in results)
    ]
    if not shared:
        raise UsageError("the systems have no metric in common")
    return tuple(shared)


def _differences(one: Result, other: Result) -> Iterator[str]:
    """What makes two results be about different things, in words."""
    who = f"{one.name} and {other.name}"
    if one.benchmark and other.benchmark and one.benchmark != other.benchmark:
        yield f"{who} are about different benchmarks, {one.benchmark} and {other.benchmark}"
    elif what := _changed_data(one, other):
        yield f"{who} rest on different {what}"
    for field in fields(Policy):
        ours, theirs = getattr(one.policy, field.name), getattr(other.policy, field.name)
        if ours != theirs:
            yield f"{field.name.replace('_', ' ')} is {ours} for {one.name} and {theirs} for {other.name}"
    if one.profile != other.profile:
        yield f"profile is {one.profile or 'none'} for {one.name} and {other.profile or 'none'} for {other.name}"
    yield from _alone(one, other)
    yield from _alone(other, one)


def _changed_data(one: Result, other: Result) -> str:
    """Which data differ; nothing where they are the same, or where nobody knows."""
    prints = [result.provenance.get("dataset", {}).get("fingerprints") for result in (one, other)]
    if all(prints):
        return " and ".join(name for name in prints[0] if prints[0][name] != prints[1].get(name))
    if any(result.relevance.get("strategy_used", "qrels") != "qrels" for result in (one, other)):
        return ""  # what was retrieved was judged then, so that each system has judgments of its own
    ours, theirs = (result.fingerprints.get("judgments") for result in (one, other))
    return "judgments" if ours and theirs and ours != theirs else ""


def _alone(one: Result, other: Result) -> Iterator[str]:
    others = set(other.query_ids)
    alone = [query for query in one.query_ids if query not in others]
    if alone:
        yield f"{counted(len(alone), 'query')} only in {one.name} ({some_of(alone)})"


def _on(result: Result, queries: Sequence[str], metrics: Sequence[BoundMetric]) -> Result:
    """The result over these queries and metrics alone."""
    places = {query: number for number, query in enumerate(result.query_ids)}
    table = result.table.take(np.array([places[query] for query in queries], dtype=np.int64))
    columns = {metric.name: table.columns[metric.name] for metric in metrics}
    same = tuple(queries) == result.query_ids
    bands: dict[str, Any] = {} if same else {"intervals": {}, "tie_bands": {}, "residuals": {}}
    return replace(result, table=replace(table, columns=columns), metrics=tuple(metrics), **bands)
