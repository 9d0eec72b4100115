"""Timing: the `timing` view; how long each query took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from assay.model.ordering import Floats


@dataclass(frozen=True)
class Timing:
    """Milliseconds per query; nan where a query was not answered."""

    query_ids: tuple[str, ...]
    ms: Floats

    @classmethod
    def of(cls, query_ids: tuple[str, ...], known: Mapping[str, float]) -> Timing:
        """The times of these queries, in this order."""
        return cls(query_ids, np.array([known.get(query, np.nan) for query in query_ids], dtype=np.float64))
