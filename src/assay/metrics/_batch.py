"""BatchEvaluator: queries come one at a time, the means at the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.metrics._functions import Relevant, grade_query, score_query
from assay.metrics._lookup import find_metrics
from assay.model import text_id

NAMES = ("precision", "recall", "f1", "hit", "mrr", "map", "ndcg")


class BatchEvaluator:
    """Precision, recall, F1, hit, MRR, MAP and nDCG at each of several cutoffs, over queries added one by one."""

    def __init__(self, k_values: Iterable[int] = (5, 10)) -> None:
        self.k_values = tuple(k_values)
        self.metrics = find_metrics(f"{name}@{k}" for k in self.k_values for name in NAMES)
        self.per_query: dict[str, dict[str, float]] = {}

    def evaluate_query(
        self,
        query_id: Any,
        retrieved_ids: Sequence[Any],
        relevant_ids: Relevant,
        relevance_scores: Sequence[float] | None = None,
    ) -> dict[str, float]:
        """Score one query and remember it. `relevance_scores` are the grades of `retrieved_ids`, in the same order.

        nDCG's ideal ranking holds every relevant document: one that was not retrieved has the grade that
        `relevant_ids` gives it, or 1 where that is a plain set.
        """
        name = text_id(query_id)
        if name in self.per_query:
            raise DataError(f"query {name} was evaluated already")
        binary = grade_query(retrieved_ids, relevant_ids)
        graded = binary
        if relevance_scores is not None:
            graded = grade_query(retrieved_ids, _merged(retrieved_ids, relevant_ids, relevance_scores))
        self.per_query[name] = {
            metric.name: score_query(metric, graded if metric.metric.name == "ndcg" else binary) for metric in self.metrics
        }
        return self.per_query[name]

    def get_aggregate_metrics(self) -> dict[str, float]:
        """The mean of each metric over all queries so far; 0.0 when there are none."""
        return {
            metric.name: float(np.mean([scores[metric.name] for scores in self.per_query.values()] or [0.0]))
            for metric in self.metrics
        }


def _merged(retrieved: Sequence[Any], relevant: Relevant, scores: Sequence[float]) -> dict[str, float]:
    """Grades of all documents: those retrieved as given in order, the others as the ground truth has them."""
    if len(scores) != len(retrieved):
        raise DataError(f"{len(retrieved)} documents were retrieved but {len(scores)} relevance scores were given")
    known = relevant if isinstance(relevant, Mapping) else dict.fromkeys(relevant, 1)
    return {text_id(doc): grade for doc, grade in [*known.items(), *zip(retrieved, scores, strict=True)]}
