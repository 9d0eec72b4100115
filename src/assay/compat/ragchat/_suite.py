"""RetrievalMetricsSuite: the six metrics of the specification by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.compat.ragchat import _metrics
from assay.errors import UnknownName, near_matches


class RetrievalMetricsSuite:
    """`suite.evaluate("ndcg", relevant_ids, predicted_ids, k=5)`; `suite.metrics` is name → function, and may be added to.

    hit, ndcg, recall and precision take the ids of one query; mrr and map take lists of them, one for each query.
    """

    def __init__(self) -> None:
        self.metrics: dict[str, Callable[..., float]] = {
            "hit": _metrics.hit_at_k,
            "ndcg": _metrics.ndcg_at_k,
            "mrr": _metrics.mean_reciprocal_rank,
            "map": _metrics.mean_average_precision,
            "recall": _metrics.recall_at_k,
            "precision": _metrics.precision_at_k,
        }

    def evaluate(self, metric_name: str, *args: Any, **kwargs: Any) -> float:
        """The metric of that name, with its arguments; an unknown one is an error (a ValueError, as printed)."""
        if metric_name not in self.metrics:
            near = near_matches(metric_name, self.metrics)
            raise UnknownName("metric", metric_name, near, f"there are {', '.join(self.metrics)}")
        return self.metrics[metric_name](*args, **kwargs)
