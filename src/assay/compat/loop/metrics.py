"""`src.evaluation.metrics`: the functions for one query and for many, with the original names of their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import assay.metrics as engine
from assay.metrics import (
    BatchEvaluator,
    Relevant,
    binary_to_graded,
    mean_average_precision_at_k,
    mean_mrr_at_k,
    mean_ndcg_at_k,
    mean_precision_at_k,
    mean_recall_at_k,
)
from assay.monitoring import detect_metric_anomalies

__all__ = [
    "BatchEvaluator",
    "average_precision_at_k",
    "binary_to_graded",
    "dcg_at_k",
    "detect_metric_anomalies",
    "f1_at_k",
    "hit_rate_at_k",
    "mean_average_precision_at_k",
    "mean_mrr_at_k",
    "mean_ndcg_at_k",
    "mean_precision_at_k",
    "mean_recall_at_k",
    "mrr_at_k",
    "ndcg_at_k",
    "precision_at_k",
    "recall_at_k",
]


def precision_at_k(retrieved_ids: Sequence[Any], relevant_ids: Relevant, k: int) -> float:
    """|relevant ∩ first k| ÷ k; 0.0 if nothing was retrieved."""
    return engine.precision_at_k(retrieved_ids, relevant_ids, k)


def recall_at_k(retrieved_ids: Sequence[Any], relevant_ids: Relevant, k: int) -> float:
    """|relevant ∩ first k| ÷ |relevant|; 0.0 if nothing is relevant."""
    return engine.recall_at_k(retrieved_ids, relevant_ids, k)


def f1_at_k(retrieved_ids: Sequence[Any], relevant_ids: Relevant, k: int) -> float:
    """Harmonic mean of precision and recall at k; 0.0 if both are 0."""
    return engine.f1_at_k(retrieved_ids, relevant_ids, k)


def hit_rate_at_k(retrieved_ids: Sequence[Any], relevant_ids: Relevant, k: int) -> float:
    """1.0 if any of the first k is relevant, else 0.0."""
    return engine.hit_rate_at_k(retrieved_ids, relevant_ids, k)


def mrr_at_k(retrieved_ids: Sequence[Any], relevant_ids: Relevant, k: int) -> float:
    """1 ÷ the rank of the first relevant document; 0.0 if there is none among the first k."""
    return engine.mrr_at_k(retrieved_ids, relevant_ids, k)


def average_precision_at_k(retrieved_ids: Sequence[Any], relevant_ids: Relevant, k: int) -> float:
    """The sum of the precision at each relevant document among the first k, ÷ |relevant|."""
    return engine.average_precision_at_k(retrieved_ids, relevant_ids, k)


def dcg_at_k(relevance_scores: Sequence[float], k: int) -> float:
    """Σ grade ÷ log2(rank + 1) over the first k grades in rank order."""
    return engine.dcg_at_k(relevance_scores, k)


def ndcg_at_k(relevance_scores: Sequence[float], k: int) -> float:
    """DCG of the grades in rank order ÷ DCG of the same grades sorted best first; 0.0 if no grade is above 0.

    The list does not contain relevant documents that were missed. `assay.metrics.ndcg_at_k(…, ideal=[1])` counts them.
    """
    return engine.ndcg_at_k(relevance_scores, k)
