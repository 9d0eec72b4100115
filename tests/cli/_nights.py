"""Nights of evaluations in a store: one result each, with the figures a test wants."""

from __future__ import annotations

import numpy as np

from assay.evaluation.result import Result
from assay.metrics.parsing import parse_metric
from assay.model.policy import Policy
from assay.model.records import Query
from assay.model.scores import Column, ScoreTable


def night(day, value, provider="bm25", benchmark="rag", metric="mrr", ids=("q1", "q2", "q3", "q4")):
    """A result of a few queries that all score the same."""
    bound, n = parse_metric(metric), len(ids)
    table = ScoreTable(ids, {bound.name: Column.of(np.full(n, float(value)), bound.metric.aggregation)})
    return Result(
        name=provider,
        table=table,
        metrics=(bound,),
        counts={"judged": n, "scored": n, "missing": 0, "without_relevant": 0, "extra": 0},
        policy=Policy(),
        benchmark=benchmark,
        queries={query: Query(query, f"what is {query}?") for query in ids},
        provenance={"started": f"2026-10-01T{day // 60:02}:{day % 60:02}:00+00:00"},
    )


def save_nights(store, values, start=0, **more):
    """One evaluation after the other."""
    for day, value in enumerate(values, start):
        store.save([night(day, value, **more)])
