"""over: a result over some of its queries and metrics alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.evaluation import Result
from assay.metrics import BoundMetric


def over(result: Result, queries: Sequence[str], metrics: Sequence[BoundMetric]) -> Result:
    """The result over these queries in this order; queries that it has not scored are left out."""
    places = {query: number for number, query in enumerate(result.query_ids)}
    kept = tuple(query for query in queries if query in places)
    table = result.table.take(np.array([places[query] for query in kept], dtype=np.int64))
    columns = {metric.name: table.columns[metric.name] for metric in metrics}
    shown = replace(result, table=replace(table, columns=columns), metrics=tuple(metrics))
    return shown if set(kept) == set(places) else replace(shown, **_about(result, kept), **_OF_ALL_QUERIES)


_OF_ALL_QUERIES: dict[str, Any] = {"intervals": {}, "tie_bands": {}, "residuals": {}, "grader": None, "recorded": {}}
"""What a result knows only about all of its queries together."""


def _about(result: Result, kept: Sequence[str]) -> dict[str, Any]:
    """What a result knows about each query by itself, of these alone."""
    inside = set(kept)
    return {
        "counts": {**result.counts, "scored": len(kept)},
        "missing": tuple(query for query in result.missing if query in inside),
        "failures": {query: why for query, why in result.failures.items() if query in inside},
        "run": {query: result.run[query] for query in kept if query in result.run},
    }
