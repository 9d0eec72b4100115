"""Nights of evaluations in a store: one result each, with the figures a test wants."""

from __future__ import annotations

from tests._results import make_result


def night(day, value, provider="bm25", benchmark="rag", metric="mrr", ids=("q1", "q2", "q3", "q4")):
    """A result of a few queries that all score the same."""
    provenance = {"started": f"2026-10-01T{day // 60:02}:{day % 60:02}:00+00:00"}
    scores = {metric: [float(value)] * len(ids)}
    return make_result(scores, provider, query_ids=ids, benchmark=benchmark, provenance=provenance)


def save_nights(store, values, start=0, **more):
    """One evaluation after the other."""
    for day, value in enumerate(values, start):
        store.save([night(day, value, **more)])
