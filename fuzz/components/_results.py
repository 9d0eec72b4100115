"""Two small results that saved forms, stores and pages begin with."""

from __future__ import annotations

from functools import cache

import assay
from assay import Result
from assay.model import Query

QRELS = {"q1": {"d1": 2, "d2": 1}, "q2": {"d3": 1, "d4": 0}, "q3": {"d5": 1}}
RUNS = {
    "bm25": {"q1": {"d1": 3.0, "x": 2.0}, "q2": {"x": 2.0, "d3": 1.0}, "q3": {"d5": 1.0}},
    "dense": {"q1": {"x": 3.0, "d2": 2.0}, "q2": {"d3": 2.0}, "q3": {"y": 1.0, "d5": 0.5}},
}
METRICS = ["ndcg@10", "mrr", "recall@5"]


@cache
def small_results() -> tuple[Result, ...]:
    """Two providers on one benchmark, with intervals, queries, rankings, a failure and provenance."""
    return tuple(_result(name) for name in RUNS)


def _result(name: str) -> Result:
    scored = assay.with_intervals(assay.evaluate(QRELS, RUNS[name], METRICS, name=name), metrics=["ndcg@10"])
    queries = {query: Query(query, f"what is {query}?", metadata={"language": "de", "n": 1}) for query in QRELS}
    provenance = {
        "dataset": {"name": "things", "version": "1.0", "format": "json", "fingerprints": {"queries": "aa"}},
        "provider": {"name": name, "configuration": {"provider": name, "k1": 0.9}},
        "started": "2026-10-01T02:00:00+00:00",
        "repository": {"commit": "0123abc", "dirty": False},
        "assay": "0.1.0",
    }
    failures = {"q3": "TimeoutError: too slow"} if name == "dense" else {}
    named = {"benchmark": "things", "provenance": provenance}
    return scored.with_fields(run=RUNS[name], queries=queries, failures=failures, **named)
