"""What the tests of slices share: results with scores and tags written down by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assay.evaluation.result import Result
from assay.metrics.parsing import parse_metric
from assay.model.policy import Policy
from assay.model.records import Query
from assay.model.scores import Column, ScoreTable


def tagged(
    name: str,
    scores: Mapping[str, Sequence[float]],
    tags: Mapping[str, Sequence[str | None]] | None = None,
    benchmark: str = "",
) -> Result:
    """Metric → scores of q0, q1, …; tag → its value for each of them, None where a query lacks it."""
    metrics = tuple(map(parse_metric, scores))
    n = len(next(iter(scores.values())))
    query_ids = tuple(f"q{number}" for number in range(n))
    columns = {
        metric.name: Column.of(np.array(values, dtype=float), metric.metric.aggregation)
        for metric, values in zip(metrics, scores.values(), strict=True)
    }
    queries = {
        query: Query(query, metadata={tag: values[place] for tag, values in (tags or {}).items() if values[place]})
        for place, query in enumerate(query_ids)
    }
    counts = {"judged": n, "scored": n, "missing": 0, "extra": 0, "without_relevant": 0}
    table = ScoreTable(query_ids, columns)
    return Result(name, table, metrics, counts, Policy(), queries=queries, benchmark=benchmark)
