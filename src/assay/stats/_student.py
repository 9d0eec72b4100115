"""Student's t on columns, and what counts as rounding: shared by the tests that look at means."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.model.ordering import Floats


class Student(NamedTuple):
    """How many standard errors the mean of each column is away from 0."""

    t: Floats
    """0 where every value is 0, infinite where all have one other value, nan for a single value."""
    n: int
    is_nil: NDArray[np.bool_]
    """Every value is 0 but for rounding."""


def student(values: Floats, rounding: Floats) -> Student:
    """The t of each column. A column gives the same bits alone and in company, and at any scale."""
    n = len(values)
    largest = np.maximum(np.abs(values).max(axis=0, initial=0.0), rounding)
    exponent = np.frexp(largest)[1]
    columns = np.ascontiguousarray(np.ldexp(values, -exponent).T)
    rounding = np.ldexp(rounding, -exponent)
    mean = columns.mean(axis=1)
    sd = columns.std(axis=1, ddof=1) if n > 1 else np.zeros(len(mean))
    is_flat = sd <= rounding
    is_nil = is_flat & (np.abs(mean) <= rounding)
    t = np.divide(mean * np.sqrt(n), sd, out=np.copysign(np.inf, mean), where=~is_flat)
    return Student(np.where(is_nil, 0.0, t if n > 1 else np.nan), n, is_nil)


def chance_below(found: Student) -> Floats:
    """Chance of a t up to this one if the mean were 0; for t = 0 and for a single value a half.

    Where all values are the same there is no spread to divide by; then it is the chance that all of n fair coins
    fall the same way, 2^-n, which needs no spread.
    """
    from scipy.special import stdtr

    if found.n < 2:
        return np.full(len(found.t), 0.5)
    coins = np.where(found.t > 0, 1.0 - 0.5**found.n, 0.5**found.n)
    return np.where(np.isinf(found.t), coins, stdtr(found.n - 1.0, found.t))


def chance_beyond(found: Student, alternative: str) -> Floats:
    """p: chance of a t as extreme as this one if the mean were 0; 1 where nothing differs and for a single value."""
    mirrored = found._replace(t=-found.t)
    if alternative == "two_sided":
        p = 2.0 * chance_below(found._replace(t=-np.abs(found.t)))
    else:
        p = chance_below(mirrored if alternative == "greater" else found)
        against = -np.inf if alternative == "greater" else np.inf
        p = np.where(found.t == against, 1.0, p)
    return np.where(found.is_nil | (found.n < 2), 1.0, p)
