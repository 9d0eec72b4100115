"""Cohen's κ: how far two judges agree beyond what chance alone would give."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.errors import BadParameter, DataError

WEIGHTS = ("none", "linear", "quadratic")
"""How bad a disagreement is: all alike, by its distance, or by the square of it."""


def cohen_kappa(a: Sequence[float], b: Sequence[float], weights: str = "none") -> float:
    """κ of two judges' grades for the same pairs, in the same order: 1 is full agreement, 0 that of chance.

    κ = 1 − Σ w·observed ÷ Σ w·expected, where w is 0 on the diagonal and 1 elsewhere, or grows with the distance of two
    grades. nan where both gave one and the same grade throughout: chance alone would explain that as well.
    (Cohen 1960; weights: Cohen 1968)
    """
    if weights not in WEIGHTS:
        raise BadParameter(f"weights is one of {', '.join(WEIGHTS)}, not {weights!r}")
    if len(a) != len(b):
        raise DataError(f"both judges grade the same pairs: one gave {len(a)} grades, the other {len(b)}")
    both = np.array([a, b], dtype=float)
    if not np.isfinite(both).all():
        raise DataError("grades are finite numbers")
    if not len(a):
        return float("nan")
    grades, numbers = np.unique(both, return_inverse=True)
    first, second = numbers.reshape(2, -1)
    n = len(grades)
    observed = np.bincount(first * n + second, minlength=n * n).reshape(n, n) / len(a)
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0))
    distance = np.abs(grades[:, None] - grades[None, :])
    badness = {"none": (distance > 0).astype(float), "linear": distance, "quadratic": distance**2}[weights]
    by_chance = float((badness * expected).sum())
    return 1 - float((badness * observed).sum()) / by_chance if by_chance else float("nan")
