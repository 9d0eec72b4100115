"""Timing: the `timing` view; how long each query took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.model.ordering import Floats


class Times(NamedTuple):
    """Milliseconds of each answered query; `are_shares` where queries were answered together and each has its share."""

    ms: Mapping[str, float]
    are_shares: bool = False


@dataclass(frozen=True)
class Timing:
    """Milliseconds per query; nan where a query was not answered."""

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
        """The times of queries answered one by one; nan where only the share of a batch is known."""
        return np.full_like(self.ms, np.nan) if self.are_shares else self.ms
