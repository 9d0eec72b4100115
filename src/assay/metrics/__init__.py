"""[catalog METRIC] One metric per file, and plain functions over one query."""

from assay.metrics._batch import BatchEvaluator
from assay.metrics._functions import (
    average_precision_at_k,
    binary_to_graded,
    dcg_at_k,
    f1_at_k,
    hit_rate_at_k,
    mean_average_precision_at_k,
    mean_mrr_at_k,
    mean_ndcg_at_k,
    mean_precision_at_k,
    mean_recall_at_k,
    mrr_at_k,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
)
from assay.metrics._single_term import SingleTermRetrievalMetrics

__all__ = [
    "BatchEvaluator",
    "SingleTermRetrievalMetrics",
    "average_precision_at_k",
    "binary_to_graded",
    "dcg_at_k",
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
