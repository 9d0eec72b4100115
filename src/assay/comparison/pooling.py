"""pooling: the results of one system on several benchmarks as one, to be told apart by a tag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.evaluation import Result
from assay.model import Column, Query, ScoreTable

BENCHMARK = "benchmark"


def pooled(results: Sequence[Result]) -> list[Result]:
    """One result for each system, over the queries of all its benchmarks; the same results where there is only one.

    Queries are then called `benchmark/query`, and their benchmark is a tag. Only metrics of all benchmarks are kept.
    """
    if len({result.benchmark for result in results}) < 2:
        return list(results)
    by_name: dict[str, list[Result]] = {}
    for result in results:
        by_name.setdefault(result.name, []).append(result)
    return [_together(same) for same in by_name.values()]


def _together(results: Sequence[Result]) -> Result:
    first = results[0]
    names = [name for name in first.table.columns if all(name in result.table.columns for result in results)]
    query_ids = tuple(_named(result, query) for result in results for query in result.query_ids)
    columns = {name: _stacked([result.table.columns[name] for result in results]) for name in names}
    queries = {_named(result, query): _tagged(result, query) for result in results for query in result.query_ids}
    everywhere: dict[str, Any] = {
        "missing": tuple(_named(result, query) for result in results for query in result.missing),
        "failures": {_named(result, query): why for result in results for query, why in result.failures.items()},
        "provenance": _times([result for result in results if result.has_shared_times]),
        "relevant": {
            _named(result, query): result.relevant[query]
            for result in results
            for query in result.query_ids
            if query in result.relevant
        },
        "run": {_named(result, query): ranking for result in results for query, ranking in result.run.items()},
        "counts": _summed([result.counts for result in results]),
        "notes": tuple(dict.fromkeys(note for result in results for note in result.notes)),
    }
    return replace(
        first,
        benchmark="",
        table=ScoreTable(query_ids, columns),
        metrics=tuple(metric for metric in first.metrics if metric.name in names),
        queries=queries,
        **everywhere,
        **_OF_ONE_BENCHMARK,
    )


_OF_ONE_BENCHMARK: dict[str, Any] = {
    **{name: {} for name in ("intervals", "tie_bands", "residuals", "relevance", "recorded", "nonrelevant")},
    "grader": None,
}
"""What a result knows only about its own benchmark."""


def _times(shared: Sequence[Result]) -> dict[str, Any]:
    """That queries were answered together on some benchmark; nothing where they were not."""
    return {"latency_ms": shared[0].provenance["latency_ms"]} if shared else {}


def _named(result: Result, query: str) -> str:
    return f"{result.benchmark}/{query}"


def _tagged(result: Result, query: str) -> Query:
    """The query with its benchmark as a tag."""
    known = result.queries.get(query, Query(query))
    return replace(known, query_id=_named(result, query), metadata={**(known.metadata or {}), BENCHMARK: result.benchmark})


def _stacked(columns: Sequence[Column]) -> Column:
    score, weight = (np.concatenate([getattr(column, name) for column in columns]) for name in ("score", "weight"))
    return Column(score, weight, columns[0].aggregation)


def _summed(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    return {name: sum(one.get(name, 0) for one in counts) for name in counts[0]}
