"""The functions over one query, and the means over several lists of ids; relevant ids come first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Sized
from math import fsum
from typing import Any

from assay.compat._checked_value import checked
from assay.compat._credited_once import credited_once
from assay.compat.ragchat._ids import Ids, id_list, relevant_grades
from assay.errors import DataError
from assay.grammar import cutoff
from assay.metrics import all_metrics, grade_query, score_query
from assay.text import shortened


def hit_at_k(relevant_ids: Ids, predicted_ids: Ids, k: int = 10) -> float:
    """1.0 if any of the first k is relevant, else 0.0."""
    return _score("hit", relevant_ids, predicted_ids, k=checked(cutoff, "k", k))


def ndcg_at_k(
    relevant_ids: Ids, predicted_ids: Ids, k: int = 10, relevance_grades: Mapping[str, float] | None = None
) -> float:
    """Discounted gain of the first k ÷ the best possible; 0.0 where nothing relevant has a grade above 0."""
    return _score("ndcg", relevant_ids, predicted_ids, relevance_grades, k=checked(cutoff, "k", k))


def recall_at_k(relevant_ids: Ids, predicted_ids: Ids, k: int = 10) -> float:
    """The share of the relevant ids that is among the first k."""
    return _score("recall", relevant_ids, predicted_ids, k=checked(cutoff, "k", k))


def precision_at_k(relevant_ids: Ids, predicted_ids: Ids, k: int = 10) -> float:
    """The share of the first k that is relevant; fewer than k are divided by their own number."""
    return _score("precision", relevant_ids, predicted_ids, k=checked(cutoff, "k", k), over="retrieved")


def average_precision_at_k(relevant_ids: Ids, predicted_ids: Ids, k: int = 10) -> float:
    """Precision at each relevant one of the first k, summed, ÷ all relevant ids."""
    return _score("map", relevant_ids, predicted_ids, k=checked(cutoff, "k", k))


def mean_reciprocal_rank(relevant_ids_list: Sequence[Ids], predicted_ids_list: Sequence[Ids]) -> float:
    """The mean of 1 ÷ the rank of the first relevant id; 0 for a query without one. Lists of unequal length are refused."""
    return _mean(lambda *pair: _score("mrr", *pair), relevant_ids_list, predicted_ids_list)


def mean_average_precision(
    relevant_ids_list: Sequence[Ids], predicted_ids_list: Sequence[Ids], k: int | None = None
) -> float:
    """The mean of average precision, within the first k or over whole rankings."""
    cut = None if k is None else checked(cutoff, "k", k)
    return _mean(lambda *pair: _score("map", *pair, k=cut), relevant_ids_list, predicted_ids_list)


def refuse_unequal(
    first: Sequence[Any], second: Sequence[Any], what: str = "lists of relevant and of predicted ids"
) -> None:
    """Raise where two lists that belong together differ in length, or where one of them is no list."""
    for one in (first, second):
        if isinstance(one, str | bytes | Mapping) or not isinstance(one, Sized):
            raise DataError(f"{what} are lists with an entry for each query, found {shortened(one)}")
    if len(first) != len(second):
        raise DataError(f"{what} belong together one by one; found {len(first)} and {len(second)}")


def mean_of(scores: Sequence[float]) -> float:
    """The mean; 0.0 of no scores."""
    return fsum(scores) / len(scores) if scores else 0.0


def _mean(function: Callable[..., float], relevant: Sequence[Ids], predicted: Sequence[Ids]) -> float:
    refuse_unequal(relevant, predicted)
    return mean_of([function(*pair) for pair in zip(relevant, predicted, strict=True)])


def _score(
    name: str, relevant: Ids, predicted: Ids, relevance_grades: Mapping[str, float] | None = None, **settings: Any
) -> float:
    view = grade_query(credited_once(id_list(predicted)), relevant_grades(relevant, relevance_grades))
    return score_query(all_metrics()[name].bind(**settings), view)
