"""Timing: the `timing` view, with the response time of each query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.views.graded import GradedRun


class Times(NamedTuple):
    """Milliseconds of each query with a response; `are_shares` if queries were sent in batches and each has its share."""

    ms: Mapping[str, float]
    are_shares: bool = False


@dataclass(frozen=True)
class Timing:
    """Milliseconds per query; nan for a query without a response."""

    query_ids: tuple[str, ...]
    ms: Floats
    are_shares: bool = False

    @classmethod
    def of(cls, query_ids: tuple[str, ...], known: Times) -> Timing:
        """The times of these queries, in this order."""
        ms = np.array([known.ms.get(query, np.nan) for query in query_ids], dtype=np.float64)
        return cls(query_ids, ms, known.are_shares)

    @property
    def alone(self) -> Floats:
        """The times of queries that were sent one by one; nan if only the share of a batch is known."""
        return np.full_like(self.ms, np.nan) if self.are_shares else self.ms


@dataclass(frozen=True)
class Reranking:
    """The rankings before and after reranking, graded in the same way. A query that only one of them has does not count."""

    before: GradedRun
    after: GradedRun

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The queries that both rankings have, in the order of the second."""
        known = set(self.before.query_ids)
        return tuple(query for query in self.after.query_ids if query in known)

    def each(self, score: Callable[[GradedRun], Floats]) -> tuple[Floats, Floats]:
        """The score of every query, before and after."""
        return self._of(self.before, score), self._of(self.after, score)

    def _of(self, run: GradedRun, score: Callable[[GradedRun], Floats]) -> Floats:
        by_query = dict(zip(run.query_ids, score(run).tolist(), strict=True))
        return np.array([by_query[query] for query in self.query_ids], dtype=float)
