"""compute_metrics: precision, recall and nDCG of one ranking, as code-chunk's `computeMetrics` has them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assay.compat._credited_once import credited_once
from assay.metrics import ndcg_at_k, precision_at_k, recall_at_k


def compute_metrics(retrieved_ids: Sequence[str], relevant_set: Collection[str], k: int) -> dict[str, float]:
    """`{"precision", "recall", "ndcg"}` at k: precision ÷ k, the ideal over all relevant ids; 0 where none is."""
    ranked = credited_once(retrieved_ids)
    return {
        "precision": precision_at_k(ranked, relevant_set, k),
        "recall": recall_at_k(ranked, relevant_set, k),
        "ndcg": ndcg_at_k(ranked, relevant_set, k),
    }
