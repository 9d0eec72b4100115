"""Fused scores: what a metric says about one fusion after another of the same lists, without making runs of them."""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats, Ints
from assay.errors import UsageError
from assay.fusion import BoundFusion, Lists, argsort_stretches
from assay.metrics import BoundMetric
from assay.model import Column, Policy, Qrels, Run
from assay.views import Ranked, grade, graded_run, settle


class FusedScores:
    """Judged documents are looked up once; each fusion is then ranked and scored by arrays alone."""

    def __init__(self, lists: Lists, qrels: Qrels, metric: BoundMetric) -> None:
        if metric.metric.view not in ("ranking", "subtopics") or metric.metric.aggregation.summarise is None:
            raise UsageError(f"fusion cannot be tuned by {metric.name}; take a metric of rankings, such as ndcg@10")
        self.metric = metric
        self._lists, self._qrels = lists, qrels
        self._by_id = _pairs_by_id(lists)
        self._judgment, pair = _judged_pairs(lists, qrels)
        places = np.empty(lists.n_pairs, dtype=np.int64)
        places[self._by_id] = np.arange(lists.n_pairs)
        self._judged = places[pair]
        number = {query: place for place, query in enumerate(lists.query_ids)}
        self._of_query = np.array([number.get(query, -1) for query in qrels.query_ids], dtype=np.int64)
        plain = self._column(np.zeros(lists.n_pairs))
        self._defined = ~np.isnan(plain)
        self.n_undefined = int((~self._defined).sum())
        self.query_ids = tuple(query for query, kept in zip(qrels.query_ids, self._defined.tolist(), strict=True) if kept)

    def of(self, fusion: BoundFusion, learn_from: NDArray[np.bool_] | None = None) -> Floats:
        """The score of each query, fused; a fusion that learns does so from the chosen queries."""
        trained = None
        if learn_from is not None:
            chosen = [query for query, wanted in zip(self.query_ids, learn_from.tolist(), strict=True) if wanted]
            trained = fusion.train(self._lists, Qrels({query: self._qrels[query] for query in chosen}))
        return self._column(fusion.score(self._lists, trained))[self._defined]

    def of_run(self, run: Run) -> Floats:
        """The score of each query in a run by itself."""
        view = grade(run, self._qrels, Policy()).run
        return np.asarray(Column.of(self.metric.score(view), self.metric.metric.aggregation).score)[self._defined]

    def _column(self, values: Floats) -> Floats:
        """The score of every judged query when each pair has its value."""
        lists = self._lists
        best_first = argsort_stretches(values[self._by_id], lists.query_start, lists.n_candidates, stable=True)
        rank = np.empty(len(values), dtype=np.int64)
        rank[best_first] = np.arange(1, len(values) + 1) - np.repeat(lists.query_start, lists.n_candidates)
        is_missing = self._of_query < 0
        n_retrieved = np.where(is_missing, 0, lists.n_candidates[self._of_query]) if len(lists.docs) else 0 * self._of_query
        graded = graded_run(self._qrels, self._judgment, rank[self._judged], n_retrieved)
        view = settle(Ranked(graded, is_missing, 0, 0), Policy()).run
        scores = Column.of(self.metric.score(view), self.metric.metric.aggregation).score
        return np.asarray(scores, dtype=float)


def _pairs_by_id(lists: Lists) -> Ints:
    """Pairs, query by query, by document id descending: a stable sort by value then breaks ties as every run does."""
    ordered = (sorted(range(len(docs)), key=docs.__getitem__, reverse=True) for docs in lists.docs)
    flat = np.fromiter(chain.from_iterable(ordered), np.int64, lists.n_pairs)
    return flat + np.repeat(lists.query_start, lists.n_candidates)


def _judged_pairs(lists: Lists, qrels: Qrels) -> tuple[Ints, Ints]:
    """Judgments of documents that any run has, and the number of the pair of each."""
    judgments: list[int] = []
    pairs: list[int] = []
    for query, docs, first in zip(lists.query_ids, lists.docs, lists.query_start.tolist(), strict=True):
        if query not in qrels.numbers:
            continue
        judged = qrels.index[qrels.numbers[query]]
        for place, doc in enumerate(docs):
            if doc in judged:
                judgments.append(judged[doc])
                pairs.append(first + place)
    return np.array(judgments, dtype=np.int64), np.array(pairs, dtype=np.int64)
