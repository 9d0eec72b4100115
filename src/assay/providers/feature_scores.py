"""Feature scores: rank the documents of a query by a score that is computed from their features."""

from __future__ import annotations

from collections.abc import Sequence
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


class FeatureScorer:
    """Scores documents by their features. A subclass says how."""

    def __init__(self) -> None:
        self._table: FeatureTable | None = None

    def set_features(self, features: FeatureTable) -> None:
        """Set the features of all documents; an error if they do not fit."""
        self._table = features

    def score(self, values: Features) -> Floats:
        """The score of each row; absent features are nan."""
        raise NotImplementedError

    def search(self, queries: Sequence[Query], k: int) -> Answers:
        """For each query its documents by descending score. Equal scores stay in the order of the file."""
        table = self._table
        if table is None:
            raise PermanentFailure(NO_FEATURES)
        known = [query.query_id for query in queries if query.query_id in table.places]
        every = self._score_together(known, table)
        return [
            _best(table.ids(query.query_id), every[query.query_id], k)
            if query.query_id in every
            else PermanentFailure(f"query {query.query_id} has no documents with features")
            for query in queries
        ]

    def _score_together(self, queries: Sequence[str], table: FeatureTable) -> dict[str, Floats]:
        """The scores of the documents of each query, computed at once, because models score many rows faster than few."""
        if not queries:
            return {}
        rows = [table.rows(query) for query in queries]
        is_stretch = all(first.stop == second.start for first, second in pairwise(rows))
        stretch = slice(rows[0].start, rows[-1].stop)
        values = table.values[stretch] if is_stretch else np.concatenate([table.values[some] for some in rows])
        scores = np.asarray(self.score(np.asarray(values)), dtype=np.float64)
        if scores.shape != (len(values),):
            shape = "×".join(map(str, scores.shape))
            raise PermanentFailure(f"expected one score for each of {counted(len(values), 'document')}, found {shape}")
        if not np.isfinite(scores).all():
            raise PermanentFailure("a score is not a finite number")
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
