"""The six metrics of the specification, relevant ids first; ids are one text, several separated by `;`, or a list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from math import fsum, sqrt
from statistics import stdev
from typing import Any

from assay.compat.arguments import checked, credited_once
from assay.compat.ragchat.differences import DIFFERENCES
from assay.errors import DataError, UnknownName, near_matches
from assay.grammar import cutoff
from assay.metrics import all_metrics, grade_query, score_query
from assay.model import is_finite_number, text_id
from assay.stats import calculate_confidence_interval as student_interval
from assay.text import shortened


def hit_at_k(relevant_ids: Ids, predicted_ids: Ids, k: int = 10) -> float:
    """1.0 if any of the first k is relevant, else 0.0."""
    return _score("hit", relevant_ids, predicted_ids, k=checked(cutoff, "k", k))


def ndcg_at_k(
    relevant_ids: Ids, predicted_ids: Ids, k: int = 10, relevance_grades: Mapping[str, float] | None = None
) -> float:
    """Discounted gain of the first k ÷ the best possible gain; 0.0 if nothing relevant has a grade above 0."""
    return _score("ndcg", relevant_ids, predicted_ids, relevance_grades, k=checked(cutoff, "k", k))


def recall_at_k(relevant_ids: Ids, predicted_ids: Ids, k: int = 10) -> float:
    """The share of the relevant ids among the first k."""
    return _score("recall", relevant_ids, predicted_ids, k=checked(cutoff, "k", k))


def precision_at_k(relevant_ids: Ids, predicted_ids: Ids, k: int = 10) -> float:
    """The share of the first k that is relevant. With fewer than k ids, the number of ids is the divisor."""
    return _score("precision", relevant_ids, predicted_ids, k=checked(cutoff, "k", k), over="retrieved")


def average_precision_at_k(relevant_ids: Ids, predicted_ids: Ids, k: int = 10) -> float:
    """The sum of the precision at each relevant id among the first k, ÷ the number of relevant ids."""
    return _score("map", relevant_ids, predicted_ids, k=checked(cutoff, "k", k))


def mean_reciprocal_rank(relevant_ids_list: Sequence[Ids], predicted_ids_list: Sequence[Ids]) -> float:
    """The mean of 1 ÷ the rank of the first relevant id; 0 for a query without one. Both lists need the same length."""
    return _mean(lambda *pair: _score("mrr", *pair), relevant_ids_list, predicted_ids_list)


def mean_average_precision(
    relevant_ids_list: Sequence[Ids], predicted_ids_list: Sequence[Ids], k: int | None = None
) -> float:
    """The mean of average precision, over the first k or over whole rankings."""
    cut = None if k is None else checked(cutoff, "k", k)
    return _mean(lambda *pair: _score("map", *pair, k=cut), relevant_ids_list, predicted_ids_list)


def check_equal_lengths(first: Sequence[Any], second: Sequence[Any], what: str = "relevant ids and predicted ids") -> None:
    """Raise if two lists have different lengths, or if one of them is not a list."""
    for entries in (first, second):
        if isinstance(entries, str | bytes | Mapping) or not isinstance(entries, Sized):
            raise DataError(f"{what} must be lists with one entry per query, not {shortened(entries)}")
    if len(first) != len(second):
        raise DataError(f"{what} must have the same length, found {len(first)} and {len(second)}")


def mean_of(scores: Sequence[float]) -> float:
    """The mean; 0.0 without scores."""
    return fsum(scores) / len(scores) if scores else 0.0


def _mean(function: Callable[..., float], relevant: Sequence[Ids], predicted: Sequence[Ids]) -> float:
    check_equal_lengths(relevant, predicted)
    return mean_of([function(*pair) for pair in zip(relevant, predicted, strict=True)])


def _score(
    name: str, relevant: Ids, predicted: Ids, relevance_grades: Mapping[str, float] | None = None, **settings: Any
) -> float:
    ids, grades = id_list(predicted), relevant_grades(relevant, relevance_grades)
    first = ids[: settings.get("k")]
    if relevance_grades and any(relevance_grades.get(id_, 0) > 0 and id_ not in grades for id_ in first):
        DIFFERENCES.warn("graded but not relevant")
    if name in BY_COPIES:
        warn_of_copies(first, grades)
    return score_query(all_metrics()[name].bind(**settings), grade_query(credited_once(ids), grades))


BY_COPIES = ("map", "ndcg", "precision")
"""Metrics that the copies of a relevant document change in the original."""


def warn_of_copies(ids: Sequence[str], grades: Mapping[str, float]) -> None:
    """Warn if an id that can count is there twice."""
    if len(set(ids)) < len(ids) and any(grades.get(id_, 0) > 0 and ids.count(id_) > 1 for id_ in set(ids)):
        DIFFERENCES.warn("twice")


def calculate_confidence_interval(scores: Sequence[float], confidence_level: float = 0.95) -> tuple[float, float]:
    """Student's t interval of the mean at any level."""
    low, high = student_interval(scores, confidence_level)
    theirs = (1.96 if confidence_level == 0.95 else 2.576) * stdev(scores) / sqrt(len(scores)) if len(scores) > 1 else 0.0
    if abs((high - low) / 2 - theirs) > NEARLY * theirs:
        DIFFERENCES.warn("interval")
    return low, high


NEARLY = 0.01
"""The largest share by which the width of two intervals differs without a warning."""


Ids = str | Iterable[Any]


def id_list(ids: Ids | None) -> list[str]:
    """The ids in their order. Spaces around ids and empty ids between two `;` are ignored; None means no ids."""
    if ids is None:
        return []
    if isinstance(ids, str):
        return [id_.strip() for id_ in ids.split(";") if id_.strip()]
    if isinstance(ids, bytes) or not isinstance(ids, Iterable):
        raise DataError(f"ids must be text (several ids separated by ';') or a list, not {shortened(ids)}")
    return [text_id(id_) for id_ in ids]


def relevant_grades(relevant: Ids | Mapping[Any, float] | None, grades: Mapping[Any, float] | None) -> dict[str, float]:
    """Relevant id → grade: 1 each, or the given grades. With grades, a relevant id without a grade has grade 0."""
    if isinstance(relevant, Mapping):
        return _check_grades(relevant)
    known = None if grades is None else _check_grades(grades)
    return {id_: 1.0 if not known else known.get(id_, 0.0) for id_ in id_list(relevant)}


def _check_grades(grades: Any) -> dict[str, float]:
    """Id as text → grade, which may be any finite number."""
    if not isinstance(grades, Mapping):
        raise DataError(f"grades must be a map of ids to grades, not {shortened(grades)}")
    for id_, grade in grades.items():
        if not is_finite_number(grade):
            raise DataError(f"the grade of {id_} must be a finite number, not {shortened(grade)}")
    return {text_id(id_): grade for id_, grade in grades.items()}


class RetrievalMetricsSuite:
    """`suite.evaluate("ndcg", relevant_ids, predicted_ids, k=5)`. `suite.metrics` maps names to functions; add your own.

    hit, ndcg, recall and precision need the ids of one query; mrr and map need lists of ids, one per query.
    """

    def __init__(self) -> None:
        self.metrics: dict[str, Callable[..., float]] = {
            "hit": hit_at_k,
            "ndcg": ndcg_at_k,
            "mrr": mean_reciprocal_rank,
            "map": mean_average_precision,
            "recall": recall_at_k,
            "precision": precision_at_k,
        }

    def evaluate(self, metric_name: str, *args: Any, **kwargs: Any) -> float:
        """Call the metric of this name with its arguments. An unknown name is a ValueError, as in the original."""
        if metric_name not in self.metrics:
            near = near_matches(metric_name, self.metrics)
            raise UnknownName("metric", metric_name, near, f"choose from {', '.join(self.metrics)}")
        return self.metrics[metric_name](*args, **kwargs)
