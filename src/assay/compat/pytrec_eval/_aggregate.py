"""compute_aggregated_measure: the values of all queries as one figure."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from assay.errors import DataError


def compute_aggregated_measure(measure: str, values: Iterable[float]) -> float:
    """One figure for a measure: sum of `num_…`, geometric mean of `gm_…` (whose values are logarithms), else the mean."""
    try:
        figures = np.array(list(values), dtype=float)
    except (TypeError, ValueError):
        raise DataError(f"{measure}: the values to aggregate are numbers, not {values!r}") from None
    if measure.startswith("num_"):
        return float(figures.sum())
    if not len(figures):
        return math.nan
    return float(np.exp(figures.mean()) if measure.startswith("gm_") else figures.mean())
