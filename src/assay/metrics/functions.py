"""Plain functions: scores of one query or a few from lists of ids, a batch of queries, and single-term figures."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np

from assay.errors import BadParameter, DataError
from assay.metrics.definition import BoundMetric, GradedRun
from assay.metrics.lookup import find_metrics
from assay.metrics.registry import all_metrics
from assay.model import Qrels, text_id
from assay.text import shortened
from assay.views import graded_run

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
    pairs = [(qrels.index[0][doc], rank) for rank, doc in enumerate(ids, 1) if doc in qrels.index[0]]
    judgment, rank = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
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


BATCH_METRICS = ("precision", "recall", "f1", "hit", "mrr", "map", "ndcg")


class BatchEvaluator:
    """Precision, recall, F1, hit, MRR, MAP and nDCG at each of several cutoffs, over queries added one by one."""

    def __init__(self, k_values: Iterable[int] = (5, 10)) -> None:
        self.k_values = tuple(k_values)
        self.metrics = find_metrics(f"{name}@{k}" for k in self.k_values for name in BATCH_METRICS)
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


K_VALUES = (1, 3, 5, 10)
"""Cutoffs, unless somebody says which."""
AT_K = {
    "hit_rate_at_k": "hit",
    "max_ont_sim_at_k": "max_ont_sim",
    "ndcg_at_k": "ndcg",
    "recall_at_k": "recall",
    "precision_at_k": "precision",
    "map_at_k": "map",
}
"""Field → the metric it holds at every cutoff."""


class Figures(Protocol):
    """Anything with a figure for each metric by name, such as a result or a dict."""

    def __getitem__(self, metric: str, /) -> float:
        """The figure of a metric."""


@dataclass(frozen=True)
class SingleTermRetrievalMetrics:
    """Means over queries: `mrr`, and by cutoff `hit_rate_at_k`, `max_ont_sim_at_k`, `ndcg_at_k`, `recall_at_k`,
    `precision_at_k` and `map_at_k`, each a map such as {1: 0.36, 10: 0.64}.

    Precision is ÷ k and average precision ÷ the number of relevant terms, as everywhere here. `names()` are the metrics to
    ask for, `of(result)` makes one of a result that has them.
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
        """The metrics to ask for, by their names: `assay.run(…, SingleTermRetrievalMetrics.names())`."""
        chosen = _checked_cutoffs(k_values)
        return ["mrr", *(f"{metric}@{k}" for metric in AT_K.values() for k in chosen)]

    @classmethod
    def of(cls, figures: Figures, k_values: Iterable[int] = K_VALUES) -> SingleTermRetrievalMetrics:
        """The figures out of a result that has them all; one that it lacks is its error."""
        chosen = _checked_cutoffs(k_values)
        at_k = {field: {k: float(figures[f"{metric}@{k}"]) for k in chosen} for field, metric in AT_K.items()}
        return cls(mrr=float(figures["mrr"]), **at_k)

    def to_dict(self) -> dict[str, Any]:
        """Plain values; cutoffs are text, as JSON wants them."""
        values = {column.name: getattr(self, column.name) for column in fields(self)}
        return {
            name: {str(k): figure for k, figure in value.items()} if isinstance(value, Mapping) else value
            for name, value in values.items()
        }


def _checked_cutoffs(cutoffs: Iterable[int]) -> tuple[int, ...]:
    """The cutoffs, each once, from the first to the deepest."""
    values = list(cutoffs)
    if not values or any(type(k) is not int or k < 1 for k in values):
        raise BadParameter(f"k_values are whole numbers from 1 up, such as 1, 3, 5, 10, not {shortened(values)}")
    return tuple(sorted(set(values)))
