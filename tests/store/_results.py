"""Results to be stored: small ones that differ by a number, and what it means that two are the same."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import numpy as np

import assay
from assay.evaluation.result import Confidence, Result
from assay.evaluation.saved import result_from_dict
from assay.model.records import Query

METRICS = ("ndcg@10", "mrr", "num_ret", "relstring")


def result_of(number: int = 0, benchmark: str = "small", provider: str = "bm25", started: str | None = None) -> Result:
    """Three queries, rankings that depend on the number, an interval, a failure and where it comes from."""
    qrels = {f"q{query}": {f"d{query}": 1, f"d{query + 1}": 2} for query in range(3)}
    run = {
        f"q{query}": {f"d{(query + rank + number) % 7}": 9.5 - rank - number / 1000 for rank in range(4)}
        for query in range(2)
    }
    result = assay.evaluate(qrels, run, METRICS, name=provider)
    described = {"name": benchmark, "version": "1.0", "format": "", "fingerprints": {"queries": "aa"}}
    return replace(
        result,
        benchmark=benchmark,
        run=run,
        queries={name: Query(name, f"words of {name}", metadata={"language": "de"}) for name in qrels},
        intervals={"ndcg@10": Confidence(0.1, 0.9, 0.95, "bootstrap")},
        failures={"q2": "TimeoutError: it took too long"},
        provenance={
            "dataset": described,
            "provider": {"name": provider, "configuration": {"number": number}},
            **({"started": started} if started else {}),
        },
    )


def saved_and_read(result: Result) -> Result:
    """What a file would give back."""
    return result_from_dict(json.loads(json.dumps(result.to_dict())))


def differences(one: Result, other: Result) -> dict[str, Any]:
    """The fields in which two results differ, with both values."""
    names = [field.name for field in fields(Result) if field.name != "table"]
    found = {name: (getattr(one, name), getattr(other, name)) for name in names}
    unlike = {name: both for name, both in found.items() if not _same(*both)}
    if one.table.query_ids != other.table.query_ids or list(one.table.columns) != list(other.table.columns):
        unlike["table"] = (one.table, other.table)
    for name, column in one.table.columns.items():
        if name in other.table.columns and not _same_column(column, other.table.columns[name]):
            unlike[name] = (column, other.table.columns[name])
    return unlike


def _same(one: Any, other: Any) -> bool:
    return one == other or repr(one) == repr(other)  # nan is nan


def _same_column(one: Any, other: Any) -> bool:
    if one.score.dtype == object:
        alike = other.score.dtype == object and one.score.tolist() == other.score.tolist()
    else:
        alike = np.array_equal(one.score, other.score, equal_nan=True)
    return alike and np.array_equal(one.weight, other.weight) and one.aggregation is other.aggregation
