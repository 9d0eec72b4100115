"""Results for tests: made of scores, read back from their saved form, compared field by field."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from assay import Policy, Query, Result
from assay.evaluation import Evidence, Provenance, Scores, result_from_dict
from assay.metrics import find_metric
from assay.model import Column, ScoreTable


def make_result(
    scores: Mapping[str, Sequence[Any]],
    name: str = "bm25",
    *,
    query_ids: Sequence[str] = (),
    tags: Mapping[str, Sequence[Any]] | None = None,
    **values: Any,
) -> Result:
    """A result of scores: metric → that of each query; queries are q1, q2 … unless they are named.

    `tags` are tag → its value for each query, None for a query without; `values` are fields of the result.
    """
    metrics = tuple(map(find_metric, scores))
    n = len(next(iter(scores.values())))
    ids = tuple(query_ids) or tuple(f"q{number}" for number in range(1, n + 1))
    columns = {
        metric.name: Column.of(_values(given), metric.metric.aggregation)
        for metric, given in zip(metrics, scores.values(), strict=True)
    }
    counts = {"judged": n, "scored": n, "missing": 0, "without_relevant": 0, "extra": 0}
    result = Result(name, Scores(ScoreTable(ids, columns), metrics, counts), Provenance(Policy()), Evidence())
    return result.with_fields(**{"queries": _make_queries(ids, tags or {}), **values})


def _values(given: Sequence[Any]) -> Any:
    return list(given) if len(given) and isinstance(given[0], str) else np.array(given, dtype=float)


def _make_queries(ids: Sequence[str], tags: Mapping[str, Sequence[Any]]) -> dict[str, Query]:
    return {
        query: Query(
            query,
            f"what is {query}?",
            metadata={tag: values[place] for tag, values in tags.items() if values[place] is not None},
        )
        for place, query in enumerate(ids)
    }


def saved_and_read(result: Result) -> Result:
    """What a file would give back."""
    return result_from_dict(json.loads(json.dumps(result.to_dict())))


def differences(one: Result, other: Result) -> dict[str, Any]:
    """The fields in which two results differ, with both values."""
    different = {} if one.name == other.name else {"name": (one.name, other.name)}
    if one.benchmark != other.benchmark:
        different["benchmark"] = (one.benchmark, other.benchmark)
    for part in (Scores, Evidence, Provenance):
        for field in fields(part):
            values = getattr(one, field.name), getattr(other, field.name)
            if not (_same_table(*values) if field.name == "table" else _same(*values)):
                different[field.name] = values
    return different


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other, equal_nan=True)
    return one is other or one == other or repr(one) == repr(other)  # nan is nan


def _same_table(one: ScoreTable, other: ScoreTable) -> bool:
    is_same = one.query_ids == other.query_ids and list(one.columns) == list(other.columns)
    return is_same and all(_same_column(column, other.columns[name]) for name, column in one.columns.items())


def _same_column(one: Column, other: Column) -> bool:
    if one.score.dtype == object:
        is_same = other.score.dtype == object and one.score.tolist() == other.score.tolist()
    else:
        is_same = np.array_equal(one.score, other.score, equal_nan=True)
    return is_same and np.array_equal(one.weight, other.weight, equal_nan=True) and one.aggregation is other.aggregation
