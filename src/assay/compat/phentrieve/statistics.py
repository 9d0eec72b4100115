"""`phentrieve.evaluation.statistics`: the bootstrap interval, and the paired bootstrap test."""

from __future__ import annotations

from collections.abc import Sequence

from assay.compat.phentrieve.differences import DIFFERENCES
from assay.stats import bootstrap_confidence_interval
from assay.stats import paired_bootstrap_test as engine_test

__all__ = ["bootstrap_confidence_interval", "paired_bootstrap_test"]

SMALL = 1e-9
"""A share that rounding explains."""


def paired_bootstrap_test(
    values_a: Sequence[float], values_b: Sequence[float], n_bootstrap: int = 10_000, seed: int = 0, alpha: float = 0.05
) -> tuple[float, bool]:
    """The p-value of the paired bootstrap test, and whether it is at most alpha. The p-value is never 0."""
    p, is_significant = engine_test(values_a, values_b, n_bootstrap, seed, alpha)
    if p <= (1 + SMALL) / (1 + n_bootstrap):
        DIFFERENCES.warn("p is 0")
    return p, is_significant
