"""What the monitoring tests share: results made of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.evaluation.result import Result
from assay.metrics.parsing import parse_metric
from assay.model.policy import Policy
from assay.model.records import Query
from assay.model.scores import Column, ScoreTable


def result(
    scores: Mapping[str, Sequence[float]],
    name: str = "bm25",
    *,
    tags: Mapping[str, Sequence[str]] | None = None,
    **more: Any,
) -> Result:
    """Metric → the scores of q1, q2, …; tag → its value for each of them."""
    n = len(next(iter(scores.values())))
    ids = tuple(f"q{number}" for number in range(1, n + 1))
    metrics = tuple(map(parse_metric, scores))
    columns = {
        metric.name: Column.of(np.array(values, dtype=float), metric.metric.aggregation)
        for metric, values in zip(metrics, scores.values(), strict=True)
    }
    queries = {
        query: Query(query, f"what is {query}?", metadata={tag: values[place] for tag, values in (tags or {}).items()})
        for place, query in enumerate(ids)
    }
    counts = {"judged": n, "scored": n, "missing": 0, "without_relevant": 0, "extra": 0}
    given = {"benchmark": "rag", "counts": counts, "policy": Policy(), "queries": queries, **more}
    return Result(name=name, table=ScoreTable(ids, columns), metrics=metrics, **given)
