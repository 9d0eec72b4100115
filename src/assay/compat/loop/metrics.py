"""`src.evaluation.metrics`: the functions for one query and for many, with the original names of their arguments."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import assay.metrics as engine
from assay.compat.arguments import AGAIN, credited_once
from assay.compat.loop.differences import DIFFERENCES
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
    return engine.precision_at_k(*checked_sides(retrieved_ids, relevant_ids, k), k)


def recall_at_k(retrieved_ids: Sequence[Any], relevant_ids: Relevant, k: int) -> float:
    """|relevant ∩ first k| ÷ |relevant|; 0.0 if nothing is relevant."""
    return engine.recall_at_k(*checked_sides(retrieved_ids, relevant_ids, k), k)


def f1_at_k(retrieved_ids: Sequence[Any], relevant_ids: Relevant, k: int) -> float:
    """Harmonic mean of precision and recall at k; 0.0 if both are 0."""
    return engine.f1_at_k(*checked_sides(retrieved_ids, relevant_ids, k), k)


def hit_rate_at_k(retrieved_ids: Sequence[Any], relevant_ids: Relevant, k: int) -> float:
    """1.0 if any of the first k is relevant, else 0.0."""
    return engine.hit_rate_at_k(*checked_sides(retrieved_ids, relevant_ids, k, by_first=True), k)


def mrr_at_k(retrieved_ids: Sequence[Any], relevant_ids: Relevant, k: int) -> float:
    """1 ÷ the rank of the first relevant document; 0.0 if there is none among the first k."""
    return engine.mrr_at_k(*checked_sides(retrieved_ids, relevant_ids, k, by_first=True), k)


def average_precision_at_k(retrieved_ids: Sequence[Any], relevant_ids: Relevant, k: int) -> float:
    """The sum of the precision at each relevant document among the first k, ÷ |relevant|."""
    return engine.average_precision_at_k(*checked_sides(retrieved_ids, relevant_ids, k), k)


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
    return _mean(engine.mean_mrr_at_k, all_queries, k, by_first=True)


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
    regressions = {metric: anomaly for metric, anomaly in anomalies.items() if _is_regression(anomaly)}
    if any(_is_change(anomaly) for metric, anomaly in anomalies.items() if metric not in regressions):
        DIFFERENCES.warn("improvement")
    return regressions


def _is_change(anomaly: MetricAnomaly) -> bool:
    """Whether the original reports it: it divides by the previous value, so that one must exist and not be 0."""
    return bool(anomaly.previous) and anomaly.current is not None


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
        ids, gold = checked_sides(retrieved_ids, relevant_ids, max(self.k_values, default=0))
        grades = relevance_scores
        if ids is not retrieved_ids and relevance_scores is not None and len(relevance_scores) == len(ids):
            is_again = (id_.startswith(AGAIN) for id_ in ids)
            grades = [0 if again else grade for again, grade in zip(is_again, relevance_scores, strict=True)]
        scores = super().evaluate_query(query_id, ids, gold, grades)
        if grades is not None and not self._has_warned and not _retrieved_all(ids, gold):
            self._warn_of_missed(scores, grades)
        return scores

    def _warn_of_missed(self, scores: Mapping[str, float], grades: Sequence[float]) -> None:
        """Warn once if nDCG is not that of the grades alone, which are all that the original looks at."""
        if any(abs(engine.ndcg_at_k(list(grades), k) - scores[f"ndcg@{k}"]) > SMALL for k in self.k_values):
            self._has_warned = True
            DIFFERENCES.warn("missed document")


SMALL = 1e-12
"""A difference that rounding explains."""


def _retrieved_all(ids: Iterable[Any], gold: Any) -> bool:
    """Whether every relevant document was retrieved."""
    wanted = {id_ for id_, grade in gold.items() if grade > 0} if isinstance(gold, Mapping) else set(gold)
    return wanted <= set(ids) or set(map(text_id, wanted)) <= set(map(text_id, ids))


def checked_sides(retrieved: Any, gold: Any, k: Any, *, by_first: bool = False) -> tuple[Any, Any]:
    """The retrieved ids, each once, and the relevant ids. Warnings say what the original would count among the first k.

    `by_first` is for metrics that only the first relevant document decides, so that copies do not matter.
    """
    ids = once(retrieved)
    are_lists = isinstance(retrieved, Sequence) and isinstance(gold, Iterable) and isinstance(k, int)
    if not are_lists or isinstance(retrieved, str | bytes) or isinstance(gold, str | bytes):
        return ids, gold  # the engine refuses them
    if isinstance(gold, Mapping) and any(map(_is_at_most_0, gold.values())):
        DIFFERENCES.warn("grade 0")
    are_text = set(map(type, retrieved)) | set(map(type, gold)) <= {str}
    if ids is retrieved and are_text:
        return ids, gold
    wanted = gold if are_text else set(map(text_id, gold))
    copies = [own for id_, own in zip(ids[:k], retrieved[:k], strict=True) if isinstance(id_, str) and id_.startswith(AGAIN)]
    if not by_first and any(text_id(own) in wanted for own in copies):
        DIFFERENCES.warn("twice")
    if not are_text and _matches_by_text(retrieved[:k], gold, wanted):
        DIFFERENCES.warn("whole number")
    return ids, gold


def _is_at_most_0(grade: Any) -> bool:
    return isinstance(grade, int | float) and grade <= 0


def _matches_by_text(retrieved: Sequence[Any], gold: Iterable[Any], wanted: Collection[str]) -> bool:
    """Whether a retrieved id is relevant only because both are read as text."""
    known = set(gold)
    return any(id_ not in known and text_id(id_) in wanted for id_ in retrieved)


def once(retrieved_ids: Any) -> Any:
    """The ids, each once; a repeated one is replaced by a name that no document has, so that the others keep their rank."""
    if isinstance(retrieved_ids, str | bytes | Mapping) or not isinstance(retrieved_ids, Sequence):
        return retrieved_ids  # the engine reads arrays, and refuses everything else
    are_text = set(map(type, retrieved_ids)) <= {str}
    if len(set(retrieved_ids if are_text else map(text_id, retrieved_ids))) == len(retrieved_ids):
        return retrieved_ids
    return credited_once(retrieved_ids)


def _grades(relevance_scores: Any) -> Any:
    """The grades in rank order, if they are a list of numbers."""
    if isinstance(relevance_scores, str | bytes | Mapping | set | frozenset) or not isinstance(relevance_scores, Iterable):
        raise DataError(f"relevance_scores must be a list of grades in rank order, not {shortened(relevance_scores)}")
    return relevance_scores


def _mean(mean: Callable[[Any, int], float], all_queries: Any, k: int, *, by_first: bool = False) -> float:
    """The mean over all queries, with each retrieved document credited once."""
    if isinstance(all_queries, str | bytes | Mapping) or not isinstance(all_queries, Iterable):
        raise DataError(
            f"all_queries must be a list of (retrieved_ids, relevant_ids) pairs or of dicts, not {shortened(all_queries)}"
        )
    return mean([_credited(query, k, by_first) for query in all_queries], k)


def _credited(query: Any, k: int, by_first: bool) -> Any:
    if isinstance(query, Mapping):
        if not {"retrieved_ids", "relevant_ids"} <= query.keys():
            return query
        sides = checked_sides(query["retrieved_ids"], query["relevant_ids"], k, by_first=by_first)
        return {**query, "retrieved_ids": sides[0], "relevant_ids": sides[1]}
    if isinstance(query, Sequence) and len(query) == 2 and not isinstance(query[0], int | float):
        return checked_sides(query[0], query[1], k, by_first=by_first)
    return query
