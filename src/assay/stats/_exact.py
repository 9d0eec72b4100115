"""Sums without rounding: scores on a grid so coarse that adding them up in any order gives the same bits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.model import Floats
from assay.stats._rounding import ROUNDING

BITS = 52
"""Whole numbers below 2^53 are exact in float64; one bit is left in reserve."""


class Exact(NamedTuple):
    """Scores as whole numbers: `units × 2^exponent` is the score, one exponent per column.

    Weights of a resample add up to the number of queries, so no weighted sum leaves the whole numbers that float64
    holds exactly. Blocks, threads and the order of summation therefore cannot change a bit of any result.
    """

    units: Floats
    exponent: NDArray[np.int64]

    def total(self) -> Floats:
        """Sum of the units of each column, without rounding."""
        return np.asarray(self.units.sum(axis=0))

    def slack(self) -> Floats:
        """Sums of units of a column nearer than this count as equal."""
        return slack_of(self.units)


def exact(values: Floats) -> Exact:
    """Queries × columns, each column rounded to multiples of a power of two that suits its largest score.

    A score moves by at most n · 2^-51 of the largest one in its column (5·10^-13 for 1,000 queries).
    """
    largest = np.abs(values).max(axis=0, initial=0.0)
    room = BITS - int(np.ceil(np.log2(max(len(values), 1))))
    exponent = np.asarray(np.frexp(largest)[1], dtype=np.int64) - room
    return Exact(np.rint(np.ldexp(values, -exponent)), exponent)


def slack_of(units: Floats) -> Floats:
    """Sums of units nearer than this count as equal: what rounding of the scores themselves may have moved."""
    return np.asarray(ROUNDING * np.abs(units).sum(axis=0) + len(units))


def exact_sum(values: Floats) -> Floats:
    """Sum of each column, the same bits whatever stands beside it."""
    units, exponent = exact(values)
    return np.asarray(np.ldexp(units.sum(axis=0), exponent))


def exact_mean(values: Floats) -> Floats:
    """Mean of each column, the same bits whatever stands beside it. Scores that are all equal are their own mean."""
    units, exponent = exact(values)
    rest = exact(values - np.ldexp(units, exponent))
    main, correction = units.sum(axis=0) / len(values), rest.total() / len(values)
    return np.asarray(np.ldexp(main, exponent) + np.ldexp(correction, rest.exponent))
