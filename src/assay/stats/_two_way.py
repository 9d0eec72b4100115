"""Scores taken apart into query, system and rest: shared by the tests that compare many systems."""

from __future__ import annotations

from math import factorial, prod
from typing import NamedTuple

import numpy as np

from assay.model import Floats
from assay.stats._ranks import group_sizes
from assay.stats._rounding import ROUNDING
from assay.stats._test import FieldOutcome


class TwoWay(NamedTuple):
    """Two-way analysis of variance without replication, on scores brought to a scale of about 1."""

    means: Floats
    """Per system, its mean above the mean of all."""
    residual: float
    """Mean square of what neither query nor system explains; 0 where that is rounding only."""
    df: int
    """Degrees of freedom of the residual."""
    n: int
    rounding: float

    @property
    def standing(self) -> Floats:
        """The means, those that differ by rounding only being equal."""
        return standing(self.means, self.rounding)


def two_way(scores: Floats) -> TwoWay:
    """Needs two queries and two systems."""
    n, m = scores.shape
    largest = np.abs(scores).max()
    scaled = np.ldexp(scores, -np.frexp(largest)[1])
    within = scaled - scaled.mean(axis=1, keepdims=True)
    means = within.mean(axis=0)
    df = (n - 1) * (m - 1)
    residual = float(((within - means) ** 2).sum()) / df
    is_flat = residual <= ROUNDING**2
    return TwoWay(means, 0.0 if is_flat else residual, df, n, ROUNDING)


def arrangements(values: Floats, rounding: float) -> int:
    """In how many different orders the values can stand; equal ones make no difference."""
    return factorial(len(values)) // prod(factorial(size) for size in group_sizes(values, rounding).tolist())


def standing(means: Floats, rounding: float) -> Floats:
    """The same figures, where neighbours that differ by rounding only are given one value."""
    order = np.argsort(means, kind="stable")
    ordered = means[order]
    group = np.cumsum(np.concatenate(([0], np.diff(ordered) > rounding)))
    same = np.empty(len(means))
    same[order] = ordered[np.searchsorted(group, group)]
    return same


def gaps(values: Floats) -> Floats:
    """System × system: how far apart they are."""
    return np.abs(values[:, None] - values)


def verdict_without_evidence(n: int, n_systems: int, *, has_pairs: bool = True) -> FieldOutcome:
    """Of no query: nan. Of a single query or a single system: p = 1, as nothing can be told from it."""
    p = 1.0 if n and n_systems else np.nan
    pairwise = with_diagonal(np.full((n_systems, n_systems), p if has_pairs else np.nan), p)
    return FieldOutcome(np.nan, p, pairwise, np.zeros(n_systems))


def with_diagonal(pairwise: Floats, p: float = 1.0) -> Floats:
    """The same table with p of a system against itself."""
    np.fill_diagonal(pairwise, p)
    return pairwise
