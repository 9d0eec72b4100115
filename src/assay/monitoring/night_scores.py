"""night_scores: the scores of the queries of each night, from a store, always in the same order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from assay.arrays import Floats
from assay.model import Aggregation
from assay.stats import AVERAGED, averaged


class NightScores(Protocol):
    """The scores of one result as a store returns them."""

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The queries."""

    @property
    def scores(self) -> Floats:
        """Their scores."""


class ScoreReader(Protocol):
    """Reads scores and provenance of stored results, like a `Store`."""

    def query_scores(self, metric: str, results: Sequence[int]) -> Iterable[NightScores | None]:
        """The scores of the queries of each result."""

    def provenances(self, results: Sequence[int]) -> Mapping[int, Mapping[str, Any]]:
        """Result → its provenance."""


class AlignedScores:
    """The scores of each night in the order of the sorted query ids of the first night that has scores.

    A query that a night does not have is undefined there. Queries that the first night does not have are left out: nights on
    the same data have the same queries.
    """

    def __init__(self, nights: Iterable[NightScores | None], aggregation: Aggregation) -> None:
        self.query_ids: tuple[str, ...] = ()
        self._nights = nights
        self._aggregation = aggregation

    def __iter__(self) -> Iterator[Floats | None]:
        last: NightScores | None = None
        aligned: Floats | None = None
        order = np.zeros(0, dtype=np.int64)
        for night in self._nights:
            if night is None or not len(night.query_ids):
                yield None
                continue
            if last is None or night.query_ids != last.query_ids:
                order = self._order(night.query_ids)
            if last is None or night is not last:  # equal nights stay one object, so that they are compared at once
                scores = np.append(night.scores, np.nan)[order]
                aligned = averaged(scores, self._aggregation) if self._aggregation in AVERAGED else scores
            last = night
            yield aligned

    def _order(self, query_ids: tuple[str, ...]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """For each query of the first night its position among these; the position after the last if it is missing."""
        if not self.query_ids:
            self.query_ids = tuple(sorted(query_ids))
        place = {query: number for number, query in enumerate(query_ids)}
        return np.array([place.get(query, len(query_ids)) for query in self.query_ids], dtype=np.int64)
