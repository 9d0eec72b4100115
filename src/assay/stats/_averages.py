"""Averages: figures that follow from the mean of something per query, and what that is."""

from __future__ import annotations

import numpy as np

from assay.model import (
    GEOMETRIC_FLOOR,
    GEOMETRIC_MEAN,
    MEAN,
    PERCENTAGE,
    SUM,
    Aggregation,
    Floats,
)

AVERAGED = (MEAN, SUM, PERCENTAGE, GEOMETRIC_MEAN)
"""Summaries that grow with a mean over queries, so that a test of that mean is a test of the summary."""


def averaged(score: Floats, aggregation: Aggregation) -> Floats:
    """What is averaged: the scores, as shares where they are percentages, or their logarithms for a geometric mean."""
    if aggregation == GEOMETRIC_MEAN:
        return np.log(np.maximum(score, GEOMETRIC_FLOOR))
    return score / 100 if aggregation == PERCENTAGE else score


def summarised(mean: float, n: int, aggregation: Aggregation) -> float:
    """The summary that belongs to such a mean over n queries."""
    if aggregation == GEOMETRIC_MEAN:
        return float(np.exp(mean))
    return mean * {SUM: n, PERCENTAGE: 100}.get(aggregation, 1)
