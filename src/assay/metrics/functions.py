"""Plain functions: scores of one or several queries from lists of ids, and single-term metrics."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np

from assay.errors import BadParameter, DataError
from assay.metrics.definition import BoundMetric, GradedRun
from assay.metrics.registry import all_metrics
from assay.model import Qrels, is_finite_number, text_id
from assay.text import shortened
from assay.views import graded_run

Relevant = Collection[Any] | Mapping[Any, float]
Pair = tuple[Sequence[Any], Relevant] | Mapping[str, Any]


def precision_at_k(retrieved: Sequence[Any], relevant: Relevant, k: int) -> float:
    """Share of the first k documents that are relevant."""
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
    """Mean over all relevant documents of the precision at the rank of each; 0 for those not among the first k."""
    return _score("map", retrieved, relevant, k)


def dcg_at_k(retrieved: Sequence[Any], relevant: Relevant | int | None = None, k: int | None = None) -> float:
    """DCG of the first k. Also `dcg_at_k([3, 2, 1], 3)`: grades in rank order, then k."""
    return _graded_score("dcg", retrieved, relevant, k)


def ndcg_at_k(
    retrieved: Sequence[Any], relevant: Relevant | int | None = None, k: int | None = None, *, ideal: Iterable[float] = ()
) -> float:
    """DCG of the first k divided by the DCG of the ideal ranking.

    Also `ndcg_at_k([3, 2, 1], 3)`: grades in rank order, then k. Here `ideal` has the grades of relevant documents
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
    """Turn a set of relevant ids into judgments: id → grade. A single string or a mapping is an error."""
    if isinstance(relevant, str | bytes | Mapping) or not isinstance(relevant, Iterable):
        raise DataError(f"relevant documents must be a list or set of ids, not {shortened(relevant)}")
    if not is_finite_number(grade):
        raise BadParameter(f"grade must be a finite number, not {grade!r}")
    return dict.fromkeys(map(text_id, relevant), grade)


def grade_query(retrieved: Sequence[Any], relevant: Relevant) -> GradedRun:
    """One query as a GradedRun, which metrics read."""
    if isinstance(retrieved, str | bytes | Mapping | set | frozenset) or not isinstance(retrieved, Iterable):
        raise DataError(f"retrieved documents must be a list of ids, best first, not {shortened(retrieved)}")
    grades = relevant if isinstance(relevant, Mapping) else binary_to_graded(relevant)
    qrels = Qrels({"query": grades})
    ids = [text_id(doc) for doc in retrieved]
    if len(set(ids)) != len(ids):
        twice = next(doc for place, doc in enumerate(ids) if doc in ids[:place])
        raise DataError(f"document {twice} is retrieved twice. Each document counts once, so remove the later ones")
    pairs = [(qrels.index[0][doc], rank) for rank, doc in enumerate(ids, 1) if doc in qrels.index[0]]
    judgment, rank = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return graded_run(qrels, judgment, rank, np.array([len(ids)]))


def score_query(metric: BoundMetric, view: GradedRun) -> float:
    """The score of the only query in the view."""
    return float(np.asarray(metric.score(view))[0])


def _score(name: str, retrieved: Sequence[Any], relevant: Relevant, k: int) -> float:
    return score_query(all_metrics()[name].bind(k=checked_cutoff(k)), grade_query(retrieved, relevant))


def _graded_score(
    name: str, retrieved: Sequence[Any], relevant: Relevant | int | None, k: int | None, ideal: Iterable[float] = ()
) -> float:
    if relevant is None or isinstance(relevant, int | np.integer):
        grades = {str(place): grade for place, grade in enumerate(retrieved)}
        missed = {f"missed {place}": grade for place, grade in enumerate(ideal)}
        return _score(name, list(grades), {**grades, **missed}, relevant if k is None else k)  # type: ignore[arg-type]
    if list(ideal):
        raise BadParameter("ideal is only for a plain list of grades. Here the ideal ranking follows from `relevant`")
    return _score(name, retrieved, relevant, k)  # type: ignore[arg-type]


def checked_cutoff(k: Any) -> int:
    """The cutoff, if it is a whole number of at least 1."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise BadParameter(f"k must be a whole number of at least 1, not {k!r}")
    return int(k)


def _is_grades(query: Any) -> bool:
    return not isinstance(query, Mapping) and all(isinstance(grade, int | float | np.number) for grade in query)


def _pair(query: Any) -> tuple[Sequence[Any], Relevant]:
    if isinstance(query, Mapping):
        if not {"retrieved_ids", "relevant_ids"} <= set(query):
            raise DataError(
                f"a query must have retrieved_ids and relevant_ids, but this one has {', '.join(map(str, query))}"
            )
        return query["retrieved_ids"], query["relevant_ids"]
    retrieved, relevant = query
    return retrieved, relevant


def _mean(scores: Iterable[float]) -> float:
    values = list(scores)
    return float(np.mean(values)) if values else 0.0


K_VALUES = (1, 3, 5, 10)
"""The default cutoffs."""
AT_K = {
    "hit_rate_at_k": "hit",
    "max_ont_sim_at_k": "max_ont_sim",
    "ndcg_at_k": "ndcg",
    "recall_at_k": "recall",
    "precision_at_k": "precision",
    "map_at_k": "map",
}
"""Field → its metric at every cutoff."""


class Figures(Protocol):
    """Anything that has a value for each metric by name, such as a result or a dict."""

    def __getitem__(self, metric: str, /) -> float:
        """The value of a metric."""


@dataclass(frozen=True)
class SingleTermRetrievalMetrics:
    """Means over queries: `mrr`, and for each cutoff `hit_rate_at_k`, `max_ont_sim_at_k`, `ndcg_at_k`, `recall_at_k`,
    `precision_at_k` and `map_at_k`, each a map such as {1: 0.36, 10: 0.64}.

    Precision is divided by k and average precision by the number of relevant terms, as in all of assay. `names()` returns
    the metrics to compute; `of(result)` reads them from a result.
    """

    mrr: float
    hit_rate_at_k: Mapping[int, float]
    max_ont_sim_at_k: Mapping[int, float]
    ndcg_at_k: Mapping[int, float]
    recall_at_k: Mapping[int, float]
    precision_at_k: Mapping[int, float]
    map_at_k: Mapping[int, float]

    @staticmethod
    def names(k_values: Iterable[int] = K_VALUES) -> list[str]:
        """The names of the metrics to compute: `assay.run(…, SingleTermRetrievalMetrics.names())`."""
        chosen = _checked_cutoffs(k_values)
        return ["mrr", *(f"{metric}@{k}" for metric in AT_K.values() for k in chosen)]

    @classmethod
    def of(cls, figures: Figures, k_values: Iterable[int] = K_VALUES) -> SingleTermRetrievalMetrics:
        """Read the values from a result. A metric that is missing from it raises the error of the result."""
        chosen = _checked_cutoffs(k_values)
        at_k = {field: {k: float(figures[f"{metric}@{k}"]) for k in chosen} for field, metric in AT_K.items()}
        return cls(mrr=float(figures["mrr"]), **at_k)

    def to_dict(self) -> dict[str, Any]:
        """Plain values; cutoffs are strings, as in JSON."""
        values = {column.name: getattr(self, column.name) for column in fields(self)}
        return {
            name: {str(k): figure for k, figure in value.items()} if isinstance(value, Mapping) else value
            for name, value in values.items()
        }


def _checked_cutoffs(cutoffs: Iterable[int]) -> tuple[int, ...]:
    """The cutoffs, each once, in ascending order."""
    values = list(cutoffs)
    if not values or any(type(k) is not int or k < 1 for k in values):
        raise BadParameter(f"k_values must be whole numbers of at least 1, such as 1, 3, 5, 10, not {shortened(values)}")
    return tuple(sorted(set(values)))
