"""What tests of whole evaluations share: two saved benchmarks, plans over them, and a retriever that may fail."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from assay import Hit, Query
from assay.execution import Plan, RetryPolicy
from assay.execution.retrieve import wrap_retriever
from assay.metrics import parse_metrics

from ._retrievers import Told, benchmark, right

AT_ONCE = RetryPolicy(timeout=5.0, retries=0, backoff=0.0)


def save_benchmarks(folder: Path) -> Path:
    """Two benchmarks, one and two, with the same query ids and different documents relevant."""
    for name, shift in (("one", 0), ("two", 1)):
        (folder / name).mkdir()
        dataset = benchmark(3, name)
        dataset.qrels = {f"q{n}": {f"d{(n + shift) % 3}": 2.0, "dx": 1.0} for n in range(3)}
        dataset.documents[f"only {name}"] = replace(dataset.documents["d0"], doc_id=f"only {name}")
        dataset.save_json(folder / name / "b.json")
    return folder


def plan(saved: Path, *told: Any, folders: tuple[str, ...] = ("one",), **more: Any) -> Plan:
    """A plan that asks retrievers about saved benchmarks, each query once."""
    providers = tuple(wrap_retriever(one, f"told{number}") for number, one in enumerate(told))
    benchmarks = tuple(str(saved / folder / "b.json") for folder in folders)
    return Plan(benchmarks, providers, tuple(parse_metrics(["mrr", "ndcg@10"])), retry_policy=AT_ONCE, **more)


def fallible(*queries: str) -> tuple[Told, set[str]]:
    """A retriever that fails on these queries, and the set of them, from which they can be taken."""
    fails = set(queries)

    def answer(query: Query) -> list[Hit]:
        if query.query_id in fails:
            raise ValueError("told to fail")
        return right(query)

    return Told(answer), fails
