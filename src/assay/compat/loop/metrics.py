"""`src.evaluation.metrics`: the functions for one query and for many, with the original names of their arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import assay.metrics as engine
from assay.compat.arguments import AGAIN, credited_once
from assay.compat.differences import warn_difference
from assay.errors import DataError
from assay.metrics import Relevant, binary_to_graded
from assay.model import text_id
from assay.monitoring import MetricAnomaly
from assay.monitoring import detect_metric_anomalies as detect_all_anomalies
from assay.text import shortened

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
    return engine.precision_at_k(once(retrieved_ids), relevant(relevant_ids), k)


def recall_at_k(retrieved_ids: Sequence[Any], relevant_ids: Relevant, k: int) -> float:
    """|relevant ∩ first k| ÷ |relevant|; 0.0 if nothing is relevant."""
    return engine.recall_at_k(once(retrieved_ids), relevant(relevant_ids), k)


def f1_at_k(retrieved_ids: Sequence[Any], relevant_ids: Relevant, k: int) -> float:
    """Harmonic mean of precision and recall at k; 0.0 if both are 0."""
    return engine.f1_at_k(once(retrieved_ids), relevant(relevant_ids), k)


def hit_rate_at_k(retrieved_ids: Sequence[Any], relevant_ids: Relevant, k: int) -> float:
    """1.0 if any of the first k is relevant, else 0.0."""
    return engine.hit_rate_at_k(once(retrieved_ids), relevant(relevant_ids), k)


def mrr_at_k(retrieved_ids: Sequence[Any], relevant_ids: Relevant, k: int) -> float:
    """1 ÷ the rank of the first relevant document; 0.0 if there is none among the first k."""
    return engine.mrr_at_k(once(retrieved_ids), relevant(relevant_ids), k)


def average_precision_at_k(retrieved_ids: Sequence[Any], relevant_ids: Relevant, k: int) -> float:
    """The sum of the precision at each relevant document among the first k, ÷ |relevant|."""
    return engine.average_precision_at_k(once(retrieved_ids), relevant(relevant_ids), k)


def dcg_at_k(relevance_scores: Sequence[float], k: int) -> float:
    """Σ grade ÷ log2(rank + 1) over the first k grades in rank order."""
    return engine.dcg_at_k(_grades(relevance_scores), k)


def ndcg_at_k(relevance_scores: Sequence[float], k: int) -> float:
    """DCG of the grades in rank order ÷ DCG of the same grades sorted best first; 0.0 if no grade is above 0.

    The list does not contain relevant documents that were missed. `assay.metrics.ndcg_at_k(…, ideal=[1])` counts them.
    """
    return engine.ndcg_at_k(_grades(relevance_scores), k)


def mean_precision_at_k(all_queries: Iterable[Any], k: int) -> float:
    """Mean of precision_at_k over (retrieved_ids, relevant_ids) pairs or dicts with these keys."""
    return _mean(engine.mean_precision_at_k, all_queries, k)


def mean_recall_at_k(all_queries: Iterable[Any], k: int) -> float:
    """Mean of recall_at_k over pairs or dicts."""
    return _mean(engine.mean_recall_at_k, all_queries, k)


def mean_mrr_at_k(all_queries: Iterable[Any], k: int) -> float:
    """Mean of mrr_at_k over pairs or dicts."""
    return _mean(engine.mean_mrr_at_k, all_queries, k)


def mean_average_precision_at_k(all_queries: Iterable[Any], k: int) -> float:
    """Mean of average_precision_at_k over pairs or dicts."""
    return _mean(engine.mean_average_precision_at_k, all_queries, k)


def mean_ndcg_at_k(all_queries: Iterable[Any], k: int) -> float:
    """Mean of ndcg_at_k over lists of grades in rank order, pairs, or dicts."""
    return _mean(engine.mean_ndcg_at_k, all_queries, k)


def detect_metric_anomalies(
    current_metrics: Mapping[str, float | None], previous_metrics: Mapping[str, float | None], threshold: float = 0.05
) -> dict[str, MetricAnomaly]:
    """Metric → how it got worse, for every metric that got worse by more than the share `threshold`, or is missing now.

    Improvements are left out, because the original reports what it finds as a regression. A metric that assay does not know
    is worse if it is lower. `assay.detect_metric_anomalies` has all changes.
    """
    anomalies = detect_all_anomalies(current_metrics, previous_metrics, threshold)
    return {metric: anomaly for metric, anomaly in anomalies.items() if _is_regression(anomaly)}


def _is_regression(anomaly: MetricAnomaly) -> bool:
    if anomaly.previous is None or anomaly.current is None:
        return anomaly.current is None
    return anomaly.current < anomaly.previous if anomaly.is_worse is None else anomaly.is_worse


class BatchEvaluator(engine.BatchEvaluator):
    """Metrics at several cutoffs over queries added one by one. A document that is retrieved twice is credited once."""

    _has_warned = False

    def evaluate_query(
        self,
        query_id: Any,
        retrieved_ids: Sequence[Any],
        relevant_ids: Relevant,
        relevance_scores: Sequence[float] | None = None,
    ) -> dict[str, float]:
        """Score one query and store its scores. `relevance_scores` are the grades of `retrieved_ids`, in the same order."""
        ids = once(retrieved_ids)
        if ids is not retrieved_ids and relevance_scores is not None and len(relevance_scores) == len(ids):
            is_again = (id_.startswith(AGAIN) for id_ in ids)
            relevance_scores = [0 if again else grade for again, grade in zip(is_again, relevance_scores, strict=True)]
        scores = super().evaluate_query(query_id, ids, relevant(relevant_ids), relevance_scores)
        if relevance_scores is not None:
            self._warn_of_missed(ids, relevant_ids)
        return scores

    def _warn_of_missed(self, ids: Sequence[Any], relevant_ids: Relevant) -> None:
        """Warn once if the ideal ranking has more documents than the grades, which are all that the original looks at."""
        if self._has_warned or set(relevant_ids) <= set(ids):
            return
        self._has_warned = True
        warn_difference(
            "a relevant document was not retrieved. Loop's nDCG ignores it, but here it is part of the ideal ranking, "
            "so nDCG is lower"
        )


def once(retrieved_ids: Any) -> Any:
    """The ids, each once; a repeated one is replaced by a name that no document has, so that the others keep their rank."""
    if isinstance(retrieved_ids, str | bytes | Mapping) or not isinstance(retrieved_ids, Sequence):
        return retrieved_ids  # the engine reads arrays, and refuses everything else
    are_text = set(map(type, retrieved_ids)) <= {str}
    if len(set(retrieved_ids if are_text else map(text_id, retrieved_ids))) == len(retrieved_ids):
        return retrieved_ids
    warn_difference("a document is retrieved twice. Loop counts it twice, but here only the first one counts")
    return credited_once(retrieved_ids)


def relevant(relevant_ids: Any) -> Any:
    """The relevant ids; a warning if some of them have grade 0."""
    if isinstance(relevant_ids, Mapping) and 0 in relevant_ids.values():
        warn_difference("a document is judged with grade 0. Loop counts it as relevant, but here only grades above 0 are")
    return relevant_ids


def _grades(relevance_scores: Any) -> Any:
    """The grades in rank order, if they are a list of numbers."""
    if isinstance(relevance_scores, str | bytes | Mapping | set | frozenset) or not isinstance(relevance_scores, Iterable):
        raise DataError(f"relevance_scores must be a list of grades in rank order, not {shortened(relevance_scores)}")
    return relevance_scores


def _mean(mean: Callable[[Any, int], float], all_queries: Any, k: int) -> float:
    """The mean over all queries, with each retrieved document credited once."""
    if isinstance(all_queries, str | bytes | Mapping) or not isinstance(all_queries, Iterable):
        raise DataError(
            f"all_queries must be a list of (retrieved_ids, relevant_ids) pairs or of dicts, not {shortened(all_queries)}"
        )
    return mean([_credited(query) for query in all_queries], k)


def _credited(query: Any) -> Any:
    if isinstance(query, Mapping):
        known = {"retrieved_ids": once, "relevant_ids": relevant}
        return {name: known[name](value) if name in known else value for name, value in query.items()}
    if isinstance(query, Sequence) and len(query) == 2 and not isinstance(query[0], int | float):
        return once(query[0]), relevant(query[1])
    return query
