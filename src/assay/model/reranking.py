"""Reranking: the `reranking` view; the same queries ranked twice, before and after their hits got a new order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assay.model.graded import GradedRun
from assay.model.ordering import Floats


@dataclass(frozen=True)
class Reranking:
    """Both rankings, graded alike. A query that only one of them has counts in neither."""

    before: GradedRun
    after: GradedRun

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The queries that both have, in the order of the ranking after."""
        known = set(self.before.query_ids)
        return tuple(query for query in self.after.query_ids if query in known)

    def each(self, score: Callable[[GradedRun], Floats]) -> tuple[Floats, Floats]:
        """A score of every query, before and after."""
        return self._of(self.before, score), self._of(self.after, score)

    def _of(self, run: GradedRun, score: Callable[[GradedRun], Floats]) -> Floats:
        by_query = dict(zip(run.query_ids, score(run).tolist(), strict=True))
        return np.array([by_query[query] for query in self.query_ids], dtype=float)
