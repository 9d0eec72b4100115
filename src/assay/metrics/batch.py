"""BatchEvaluator: seven metrics at several cutoffs, over queries that are added one by one.

One query is too small for arrays, so its usual case is scored in plain Python. A test holds that the scores are those of
the metrics in the catalog, which score all other cases.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import isfinite, log2
from typing import Any

import numpy as np

from assay.errors import BadParameter, DataError
from assay.metrics.functions import Relevant, checked_cutoff, grade_query, score_query
from assay.metrics.lookup import find_metrics
from assay.model import text_id
from assay.text import shortened

BATCH_METRICS = ("precision", "recall", "f1", "hit", "mrr", "map", "ndcg")
Case = tuple[list[str], dict[str, float], Sequence[float] | None]
"""Ids in rank order, relevant id → grade, and the grades of the ranking if they are given."""
PLAIN_SETS = (set, frozenset, list, tuple)
PLAIN_LISTS = (list, tuple)
NUMBERS = {int, float}


class BatchEvaluator:
    """Precision, recall, F1, hit, MRR, MAP and nDCG at each of several cutoffs, over queries added one by one."""

    def __init__(self, k_values: Iterable[int] = (5, 10)) -> None:
        if isinstance(k_values, str) or not isinstance(k_values, Iterable):
            raise BadParameter(f"k_values must be whole numbers of at least 1, such as [5, 10], not {shortened(k_values)}")
        self.k_values = tuple(map(checked_cutoff, k_values))
        self.metrics = find_metrics(f"{name}@{k}" for k in self.k_values for name in BATCH_METRICS)
        self.per_query: dict[str, dict[str, float]] = {}
        self._names = [metric.name for metric in self.metrics]
        self._cutoffs = tuple(dict.fromkeys(self.k_values))

    def evaluate_query(
        self,
        query_id: Any,
        retrieved_ids: Sequence[Any],
        relevant_ids: Relevant,
        relevance_scores: Sequence[float] | None = None,
    ) -> dict[str, float]:
        """Score one query and store its scores. `relevance_scores` are the grades of `retrieved_ids`, in the same order.

        The ideal ranking of nDCG has every relevant document. One that was not retrieved has the grade that
        `relevant_ids` gives it, or 1 if that is a plain set.
        """
        name = text_id(query_id)
        if name in self.per_query:
            raise DataError(f"query {name} has already been evaluated")
        usual = _usual_case(retrieved_ids, relevant_ids, relevance_scores)
        if usual is None:
            self.per_query[name] = self._scores_by_catalog(retrieved_ids, relevant_ids, relevance_scores)
        else:
            self.per_query[name] = dict(zip(self._names, _usual_scores(*usual, self._cutoffs), strict=True))
        return self.per_query[name]

    def _scores_by_catalog(
        self, retrieved: Sequence[Any], relevant: Relevant, scores: Sequence[float] | None
    ) -> dict[str, float]:
        """The scores by the metrics of the catalog. All errors are raised here."""
        binary = grade_query(retrieved, relevant)
        graded = binary if scores is None else grade_query(retrieved, _merged(retrieved, relevant, scores))
        return {
            metric.name: score_query(metric, graded if metric.metric.name == "ndcg" else binary) for metric in self.metrics
        }

    def get_aggregate_metrics(self) -> dict[str, float]:
        """The mean of each metric over all queries so far; 0.0 if there are none."""
        return {name: float(np.mean([scores[name] for scores in self.per_query.values()] or [0.0])) for name in self._names}


def _merged(retrieved: Sequence[Any], relevant: Relevant, scores: Sequence[float]) -> dict[str, float]:
    """Grades of all documents: retrieved ones from the scores, the others from the ground truth."""
    if len(scores) != len(retrieved):
        raise DataError(
            f"relevance_scores must have one score per retrieved document: expected {len(retrieved)}, found {len(scores)}"
        )
    known = relevant if isinstance(relevant, Mapping) else dict.fromkeys(relevant, 1)
    return {text_id(doc): grade for doc, grade in [*known.items(), *zip(retrieved, scores, strict=True)]}


def _usual_case(retrieved: Any, relevant: Any, scores: Any) -> Case | None:
    """The query, if its ids are different strings or whole numbers, and its grades are finite; None for all other cases."""
    is_graded = type(relevant) is dict
    if type(retrieved) not in PLAIN_LISTS or not (is_graded or type(relevant) in PLAIN_SETS):
        return None
    ids, gold = _plain_ids(retrieved), _plain_ids(relevant)
    if ids is None or gold is None or len(set(ids)) != len(ids) or (is_graded and not _are_grades(relevant.values())):
        return None
    if scores is not None and not (type(scores) in PLAIN_LISTS and len(scores) == len(ids) and _are_grades(scores)):
        return None
    return ids, dict(zip(gold, relevant.values(), strict=True)) if is_graded else dict.fromkeys(gold, 1.0), scores


def _plain_ids(ids: Iterable[Any]) -> list[str] | None:
    """The ids as text, if they are strings or whole numbers."""
    kinds = set(map(type, ids))
    if kinds <= {str}:
        return list(ids)
    return list(map(str, ids)) if kinds <= {str, int} else None


def _are_grades(grades: Iterable[Any]) -> bool:
    return set(map(type, grades)) <= NUMBERS and all(map(isfinite, grades))


def _usual_scores(
    retrieved: list[str], grades: dict[str, float], scores: Sequence[float] | None, cutoffs: tuple[int, ...]
) -> Iterator[float]:
    """The scores in the order of `BATCH_METRICS`, cutoff by cutoff."""
    hits = [rank for rank, doc in enumerate(retrieved, 1) if grades.get(doc, 0) > 0]
    n_relevant = sum(grade > 0 for grade in grades.values())
    precisions = list(accumulate((place / rank for place, rank in enumerate(hits, 1)), initial=0.0))
    gains = grades if scores is None else grades | dict(zip(retrieved, scores, strict=True))
    ranks = [rank for rank, doc in enumerate(retrieved, 1) if gains.get(doc, 0) > 0]
    dcg = _discounted([gains[retrieved[rank - 1]] for rank in ranks], ranks)
    ideal_gains = sorted((gain for gain in gains.values() if gain > 0), reverse=True)[: max(cutoffs, default=0)]
    ideal = _discounted(ideal_gains, range(1, len(ideal_gains) + 1))
    for k in cutoffs:
        n_hits = bisect_right(hits, k)
        yield n_hits / k
        yield n_hits / n_relevant if n_relevant else 0.0
        yield 2 * n_hits / (k + n_relevant)
        yield 1.0 if n_hits else 0.0
        yield 1 / hits[0] if n_hits else 0.0
        yield precisions[n_hits] / n_relevant if n_relevant else 0.0
        yield dcg[bisect_right(ranks, k)] / ideal[min(k, len(ideal_gains))] if ideal_gains else 0.0


def _discounted(gains: Sequence[float], ranks: Iterable[int]) -> list[float]:
    """The sum of the first 0, 1, 2 … gains, each divided by log2(rank + 1)."""
    return list(accumulate((gain / log2(rank + 1) for gain, rank in zip(gains, ranks, strict=True)), initial=0.0))
