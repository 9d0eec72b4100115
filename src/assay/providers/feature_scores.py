"""Feature scores: rank the documents of a query by a score that is computed from their features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from assay.arrays import Floats
from assay.model import Features, FeatureTable, Hit, Query, sorted_ids
from assay.providers.provider import hits_of_ids
from assay.providers.responses import Answers
from assay.providers.retriever import PermanentFailure
from assay.text import counted

NO_FEATURES = "no features are set: call set_features(features) before search, or use a benchmark in the format letor"
BY_FEATURES: dict[str, Any] = {"indexes": False, "is_repeatable": True, "is_exhaustive": True, "reads_features": True}
"""The fields that the records of all such providers share."""
Score = Callable[[Features], Floats]
"""Rows → the score of each; absent features are nan."""


class FeatureScorer:
    """Ranks documents by a score. A subclass computes it in `score`, or has its own `search`."""

    def __init__(self) -> None:
        self._table: FeatureTable | None = None

    @property
    def table(self) -> FeatureTable:
        """The features; an error if they are not set."""
        if self._table is None:
            raise PermanentFailure(NO_FEATURES)
        return self._table

    def set_features(self, features: FeatureTable) -> None:
        """Set the features of all documents; an error if they do not fit."""
        self._table = features

    def score(self, values: Features) -> Floats:
        """The score of each row."""
        raise NotImplementedError

    def search(self, queries: Sequence[Query], k: int) -> Answers:
        """For each query its documents by descending score. Equal scores stay in the order of the file."""
        return ranked_rows(self.table, queries, k, self.score)


def ranked_rows(table: FeatureTable, queries: Sequence[Query], k: int, score: Score) -> Answers:
    """For each query its k best documents. All rows are scored at once, because models score many rows faster than few."""
    known = [query.query_id for query in queries if query.query_id in table.places]
    every = _score_together(table, known, score)
    return [
        _best(table.ids(query.query_id), every[query.query_id], k)
        if query.query_id in every
        else PermanentFailure(f"query {query.query_id} has no documents with features")
        for query in queries
    ]


def _score_together(table: FeatureTable, queries: Sequence[str], score: Score) -> dict[str, Floats]:
    """The scores of the documents of each query."""
    if not queries:
        return {}
    rows = [table.rows(query) for query in queries]
    is_stretch = all(first.stop == second.start for first, second in pairwise(rows))
    stretch = slice(rows[0].start, rows[-1].stop)
    values = table.values[stretch] if is_stretch else np.concatenate([table.values[some] for some in rows])
    scores = np.asarray(score(np.asarray(values)), dtype=np.float64)
    if scores.shape != (len(values),):
        shape = "×".join(map(str, scores.shape)) or "one"
        raise PermanentFailure(f"expected one score for each of {counted(len(values), 'document')}, found {shape}")
    if not np.isfinite(scores).all():
        raise PermanentFailure(f"a score is not a finite number: {scores[~np.isfinite(scores)][0]}")
    ends = np.cumsum([some.stop - some.start for some in rows])
    return dict(zip(queries, np.split(scores, ends[:-1]), strict=True))


def _best(ids: Sequence[str], scores: Floats, k: int) -> list[Hit]:
    """The k best documents. If equal scores are cut, those are kept that come first in every run, by descending id."""
    order = np.argsort(-scores, kind="stable")
    if k < len(order) and scores[order[k - 1]] == scores[order[k]]:
        tied = scores == scores[order[k]]
        n_kept = k - int((scores > scores[order[k]]).sum())
        kept = set(sorted_ids([ids[row] for row in np.flatnonzero(tied).tolist()], reverse=True)[:n_kept])
        order = np.array([row for row in order.tolist() if not tied[row] or ids[row] in kept], dtype=np.int64)
    places = order[:k].tolist()
    return hits_of_ids([ids[row] for row in places], scores[places].tolist())
