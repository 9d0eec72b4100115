"""Effect sizes: not whether two systems differ, but by how much, and on how many queries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import BadParameter, DataError
from assay.model import Floats, Ints
from assay.stats._rounding import rounding_of
from assay.stats._student import student
from assay.stats._test import Pairs
from assay.text import counted


class Effects(NamedTuple):
    """One figure per column. All but the first two are above 0 where b is *better*, also where less is better."""

    difference: Floats
    """Mean of b minus mean of a."""
    relative_change: Floats
    """The difference as a share of the size of a's mean: 0.1 is ten percent more; nan where that mean is 0."""
    improvement: Floats
    """How much better b's mean is: the difference, or its opposite where less is better."""
    cohens_d: Floats
    """Improvement in standard deviations of the differences: 0 without any difference, infinite where it is the same
    on every query, nan for a single query."""
    cliffs_delta: Floats
    """Chance that a score of b beats a score of a minus the chance that it loses, over all pairs of queries: -1 … 1."""
    wins: Ints
    """Queries on which b is better by more than the tolerance."""
    ties: Ints
    losses: Ints


def effects(
    a: ArrayLike, b: ArrayLike, tolerance: float = 0.0, higher_is_better: bool | NDArray[np.bool_] = True
) -> Effects:
    """Effect sizes of b against a, queries × columns (one list is one column); without queries all are nan.

    Differences up to the tolerance are ties, and so is what is rounding only. `higher_is_better` may differ by column.
    """
    if not tolerance >= 0 or not np.isfinite(tolerance):
        raise BadParameter(f"tolerance is a number from 0 up, not {tolerance!r}")
    first, second = _checked(a, b)
    n, n_columns = first.shape
    sign = np.where(np.broadcast_to(higher_is_better, n_columns), 1.0, -1.0)
    if not n:
        nan, none = np.full(n_columns, np.nan), np.zeros(n_columns, dtype=np.int64)
        return Effects(nan, nan, nan, nan, nan, none, none, none)
    gains, rounding = (second - first) * sign, rounding_of(first, second)
    improvement = _mean(gains)
    improvement[np.abs(improvement) <= rounding] = 0.0
    baseline = np.abs(_mean(first))
    difference = improvement * sign + 0.0
    relative = np.divide(difference, baseline, out=np.full(n_columns, np.nan), where=baseline > 0)
    spread = cohens_d(Pairs(first * sign, second * sign))
    wins = np.count_nonzero(gains > tolerance + rounding, axis=0)
    losses = np.count_nonzero(gains < -tolerance - rounding, axis=0)
    delta = sign * _cliffs_delta(first, second, rounding)
    return Effects(difference, relative, improvement, spread, delta, wins, n - wins - losses, losses)


def cohens_d(pairs: Pairs) -> Floats:
    """The mean difference in standard deviations of the differences, as `Effects` tells it; nan below two queries."""
    n, n_columns = pairs.a.shape
    if n < 2:
        return np.full(n_columns, np.nan)
    return student(pairs.b - pairs.a, rounding_of(pairs.a, pairs.b)).t / np.sqrt(n)


def _mean(values: Floats) -> Floats:
    """Per column, the same bits alone and in company."""
    return np.ascontiguousarray(values.T).mean(axis=1)


def _cliffs_delta(a: Floats, b: Floats, rounding: Floats) -> Floats:
    """Counted by looking each score of b up among the ordered scores of a, so no table of all pairs is made."""
    n, ordered = len(a), np.sort(a, axis=0)
    delta = np.empty(a.shape[1])
    for column, (ladder, scores) in enumerate(zip(ordered.T, b.T, strict=True)):
        beaten = np.searchsorted(ladder, scores - rounding[column], side="left")
        not_above = np.searchsorted(ladder, scores + rounding[column], side="right")
        delta[column] = (int(beaten.sum()) - int((n - not_above).sum())) / n**2
    return delta


def _checked(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    first, second = (np.asarray(scores, dtype=float) for scores in (a, b))
    if first.shape != second.shape:
        raise DataError(
            f"both systems need a score for the same queries: a has {counted(len(np.atleast_1d(first)), 'query')} "
            f"(shape {first.shape}), b has {counted(len(np.atleast_1d(second)), 'query')} (shape {second.shape})"
        )
    if first.ndim not in (1, 2):
        raise DataError(f"scores are a list, or a table of queries × columns; found {first.ndim} dimensions")
    for name, scores in (("a", first), ("b", second)):
        if not np.isfinite(scores).all():
            raise DataError(f"every score must be a finite number; {name} has {scores[~np.isfinite(scores)][0]}")
    return (first[:, None], second[:, None]) if first.ndim == 1 else (first, second)
