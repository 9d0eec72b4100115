"""Variance components of scores (query, system, the rest), and how stable the order of systems is under other queries."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from assay.arrays import Floats
from assay.errors import DataError
from assay.serialize import to_json
from assay.stats.catalog.anova import two_way
from assay.stats.numeric import ROUNDING
from assay.stats.resampling import resampled_means

ORDER_RESAMPLES = 10_000
"""Random sets of queries: a share is then accurate to about 1 %."""


class Components(NamedTuple):
    """Variances of a score: how much queries, systems, and everything else contribute. They add up to that of one score."""

    query: float
    """Some queries are harder than others, for all systems."""
    system: float
    """Some systems are better than others, on all queries."""
    residual: float
    """Which system is better depends on the query; run-to-run noise is included."""

    @property
    def shares(self) -> tuple[float, float, float]:
        """The three as shares of their sum; nan if no score differs."""
        total = sum(self)
        query, system, residual = (part / total if total else math.nan for part in self)
        return query, system, residual

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, with shares; None for nan."""
        shares = dict(zip(("query_share", "system_share", "residual_share"), self.shares, strict=True))
        return to_json({**self._asdict(), **shares})


class OrderStability(NamedTuple):
    """How often other queries of the same kind would give the same order of systems, by the bootstrap over queries."""

    same_order: float
    """Share of resamples with exactly the same order."""
    tau: float
    """Mean Kendall τ between the order in a resample and the observed order: 1 is the same order, 0 no relation."""
    best_stays: float
    """Share of resamples in which the best system is still the best. If systems share the best value, it counts in part."""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, None for nan."""
        return to_json(self._asdict())


def variance_components(scores: ArrayLike) -> Components:
    """The components of queries × systems, from the mean squares of the two-way analysis of variance.

    An estimate below 0 is set to 0. With fewer than two queries or systems they are nan.
    """
    table = _checked(scores)
    n, m = table.shape
    if n < 2 or m < 2:
        return Components(math.nan, math.nan, math.nan)
    parts, scale = two_way(table), np.ldexp(1.0, int(np.frexp(np.abs(table).max())[1]))
    residual = parts.residual * scale**2
    queries = m * float(np.var(table.mean(axis=1), ddof=1))
    systems = n * float((parts.means**2).sum()) / (m - 1) * scale**2
    least = (ROUNDING * scale) ** 2
    query, system = ((square - residual) / count for square, count in ((queries, m), (systems, n)))
    return Components(*(float(value) if value > least else 0.0 for value in (query, system, residual)))


def order_stability(scores: ArrayLike, seed: int = 0, resamples: int = ORDER_RESAMPLES) -> OrderStability:
    """How stable the order of the means of several systems is, for queries × systems where higher is better.

    Systems with the same observed mean have no order, so any order of them counts as the same. nan without two systems.
    """
    table = _checked(scores)
    n, m = table.shape
    if not n or m < 2:
        return OrderStability(math.nan, math.nan, math.nan)
    rounding = ROUNDING * float(np.abs(table).max())
    observed, drawn = table.mean(axis=0), resampled_means(table, resamples, seed)
    first, second = np.triu_indices(m, 1)
    expected = _signs((observed[first] - observed[second])[:, None], rounding)
    ordered = expected[:, 0] != 0
    agreed = _signs(drawn[first] - drawn[second], rounding) * expected
    best = observed >= observed.max() - rounding
    top = drawn >= drawn.max(axis=0) - rounding
    stays = (top & best[:, None]).sum(axis=0) / top.sum(axis=0)
    if not ordered.any():
        return OrderStability(1.0, math.nan, float(stays.mean()))
    same = (agreed[ordered] > 0).all(axis=0)
    return OrderStability(float(same.mean()), float(agreed[ordered].mean()), float(stays.mean()))


def _signs(gaps: Floats, rounding: float) -> Floats:
    return np.where(np.abs(gaps) <= rounding, 0.0, np.sign(gaps))


def _checked(scores: ArrayLike) -> Floats:
    table = np.asarray(scores, dtype=float)
    if table.ndim != 2 or not np.isfinite(table).all():
        raise DataError("scores must be a table of queries × systems with finite numbers")
    return table
