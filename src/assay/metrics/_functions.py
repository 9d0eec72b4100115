"""Plain functions over one query, built on the same formulas as everything else.

`retrieved` is the ranked list of ids, best first; `relevant` a set or list of ids, or a dict id → grade.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from assay.errors import BadParameter, DataError
from assay.metrics._metric import BoundMetric, GradedRun
from assay.metrics._registry import all_metrics
from assay.model import Qrels, graded_run, text_id

Relevant = Collection[Any] | Mapping[Any, float]
Pair = tuple[Sequence[Any], Relevant] | Mapping[str, Any]


def precision_at_k(retrieved: Sequence[Any], relevant: Relevant, k: int) -> float:
    """Share of the first k ranks that hold a relevant document."""
    return _score("precision", retrieved, relevant, k)


def recall_at_k(retrieved: Sequence[Any], relevant: Relevant, k: int) -> float:
    """Share of the relevant documents that are among the first k."""
    return _score("recall", retrieved, relevant, k)


def f1_at_k(retrieved: Sequence[Any], relevant: Relevant, k: int) -> float:
    """Harmonic mean of precision and recall at k."""
    return _score("f", retrieved, relevant, k)


def hit_rate_at_k(retrieved: Sequence[Any], relevant: Relevant, k: int) -> float:
    """1.0 if any of the first k documents is relevant, else 0.0."""
    return _score("hit", retrieved, relevant, k)


def mrr_at_k(retrieved: Sequence[Any], relevant: Relevant, k: int) -> float:
    """One over the rank of the first relevant document within the first k."""
    return _score("mrr", retrieved, relevant, k)


def average_precision_at_k(retrieved: Sequence[Any], relevant: Relevant, k: int) -> float:
    """Precision at each relevant document within the first k, averaged over all relevant documents."""
    return _score("map", retrieved, relevant, k)


def dcg_at_k(retrieved: Sequence[Any], relevant: Relevant | int | None = None, k: int | None = None) -> float:
    """Discounted gain of the first k. Also `dcg_at_k([3, 2, 1], 3)`: grades in rank order, then k."""
    return _graded_score("dcg", retrieved, relevant, k)


def ndcg_at_k(
    retrieved: Sequence[Any], relevant: Relevant | int | None = None, k: int | None = None, *, ideal: Iterable[float] = ()
) -> float:
    """Discounted gain of the first k as a share of the best possible.

    Also `ndcg_at_k([3, 2, 1], 3)`: grades in rank order, then k; `ideal` holds the grades of relevant documents
    that were not retrieved.
    """
    return _graded_score("ndcg", retrieved, relevant, k, ideal)


def mean_precision_at_k(all_queries: Iterable[Pair], k: int) -> float:
    """Mean of precision_at_k over (retrieved, relevant) pairs or dicts with `retrieved_ids` and `relevant_ids`."""
    return _mean(precision_at_k(*_pair(query), k) for query in all_queries)


def mean_recall_at_k(all_queries: Iterable[Pair], k: int) -> float:
    """Mean of recall_at_k over (retrieved, relevant) pairs or dicts."""
    return _mean(recall_at_k(*_pair(query), k) for query in all_queries)


def mean_mrr_at_k(all_queries: Iterable[Pair], k: int) -> float:
    """Mean of mrr_at_k over (retrieved, relevant) pairs or dicts."""
    return _mean(mrr_at_k(*_pair(query), k) for query in all_queries)


def mean_average_precision_at_k(all_queries: Iterable[Pair], k: int) -> float:
    """Mean of average_precision_at_k over (retrieved, relevant) pairs or dicts."""
    return _mean(average_precision_at_k(*_pair(query), k) for query in all_queries)


def mean_ndcg_at_k(all_queries: Iterable[Pair | Sequence[float]], k: int) -> float:
    """Mean of ndcg_at_k over (retrieved, relevant) pairs, dicts, or bare lists of grades in rank order."""
    return _mean(
        ndcg_at_k(query, k) if _is_grades(query) else ndcg_at_k(*_pair(query), k)  # type: ignore[arg-type]
        for query in all_queries
    )


def binary_to_graded(relevant: Collection[Any], grade: float = 1) -> dict[str, float]:
    """A set of relevant ids as judgments: id → grade."""
    return dict.fromkeys(map(text_id, relevant), grade)


def grade_query(retrieved: Sequence[Any], relevant: Relevant) -> GradedRun:
    """One query as the view that metrics read."""
    if isinstance(retrieved, str) or isinstance(relevant, str):
        raise DataError("documents are given as a list or set of ids, not as one text")
    grades = relevant if isinstance(relevant, Mapping) else binary_to_graded(relevant)
    qrels = Qrels({"query": grades})
    ids = [text_id(doc) for doc in retrieved]
    if len(set(ids)) != len(ids):
        twice = next(doc for place, doc in enumerate(ids) if doc in ids[:place])
        raise DataError(f"document {twice} is retrieved twice; each document counts once, so drop the later ones")
    found = [(qrels.index[0][doc], rank) for rank, doc in enumerate(ids, 1) if doc in qrels.index[0]]
    judgment, rank = np.array(found, dtype=np.int64).reshape(-1, 2).T
    return graded_run(qrels, judgment, rank, np.array([len(ids)]))


def score_query(metric: BoundMetric, view: GradedRun) -> float:
    """The score of the single query in the view."""
    return float(np.asarray(metric.score(view))[0])


def _score(name: str, retrieved: Sequence[Any], relevant: Relevant, k: int) -> float:
    return score_query(all_metrics()[name].bind(k=_checked(k)), grade_query(retrieved, relevant))


def _graded_score(
    name: str, retrieved: Sequence[Any], relevant: Relevant | int | None, k: int | None, ideal: Iterable[float] = ()
) -> float:
    if relevant is None or isinstance(relevant, int | np.integer):
        grades = {str(place): grade for place, grade in enumerate(retrieved)}
        missed = {f"missed {place}": grade for place, grade in enumerate(ideal)}
        return _score(name, list(grades), {**grades, **missed}, relevant if k is None else k)  # type: ignore[arg-type]
    if list(ideal):
        raise BadParameter("ideal goes with a bare list of grades; here `relevant` holds the ideal ranking")
    return _score(name, retrieved, relevant, k)  # type: ignore[arg-type]


def _checked(k: Any) -> int:
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise BadParameter(f"k is a whole number from 1 up, not {k!r}")
    return int(k)


def _is_grades(query: Any) -> bool:
    return not isinstance(query, Mapping) and all(isinstance(grade, int | float | np.number) for grade in query)


def _pair(query: Any) -> tuple[Sequence[Any], Relevant]:
    if isinstance(query, Mapping):
        if not {"retrieved_ids", "relevant_ids"} <= set(query):
            raise DataError(f"a query needs retrieved_ids and relevant_ids; this one has {', '.join(map(str, query))}")
        return query["retrieved_ids"], query["relevant_ids"]
    retrieved, relevant = query
    return retrieved, relevant


def _mean(scores: Iterable[float]) -> float:
    values = list(scores)
    return float(np.mean(values)) if values else 0.0
