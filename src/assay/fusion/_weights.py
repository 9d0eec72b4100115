"""Weights: how much each run counts."""

from __future__ import annotations

from assay.grammar import Param, numbers

EXPECTED = "a list of numbers from 0 up, one per run and not all 0, as in [0.7, 0.3]"


def parse_weights(text: str) -> tuple[float, ...]:
    """Several numbers from 0 up, not all of them 0."""
    try:
        weights = numbers(text)
    except ValueError:
        raise ValueError(EXPECTED) from None
    if min(weights) < 0 or not any(weights):
        raise ValueError(EXPECTED)
    return weights


WEIGHTS = Param("weights", parse_weights, (), "one number per run; none: all alike")
