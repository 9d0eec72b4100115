"""Discriminative power: the share of system pairs that a metric tells apart on the given runs (Sakai 2006)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.comparison.comparing import compare_results
from assay.comparison.options import ComparisonOptions
from assay.comparison.pairs import Pair
from assay.errors import UsageError
from assay.evaluation import Result
from assay.metrics import WrittenMetric
from assay.serialize import to_json

DISCRIMINATION_TEST = "randomized_tukey_hsd"
"""The test of all pairs at once: its p accounts for the number of systems."""
LEAST_SYSTEMS = 3


@dataclass(frozen=True)
class Discrimination:
    """One metric: the achieved significance level (p) of every pair of systems, the largest first."""

    metric: str
    pairs: tuple[Pair, ...]
    """The pairs with a p, in the order of Sakai's curve: the largest p first."""
    alpha: float

    @property
    def p(self) -> tuple[float, ...]:
        """The p of each pair, the largest first. Metrics with lower curves tell more pairs apart."""
        return tuple(pair.p for pair in self.pairs)

    @property
    def n_apart(self) -> int:
        """Pairs with p up to alpha."""
        return sum(p <= self.alpha for p in self.p)

    @property
    def share(self) -> float:
        """Discriminative power: the share of pairs with p up to alpha."""
        return self.n_apart / len(self.pairs)

    @property
    def median_p(self) -> float:
        """The median p of all pairs."""
        return float(np.median(self.p))

    @property
    def smallest_difference(self) -> float:
        """The smallest difference of two values that was told apart; nan if none was."""
        return min((abs(pair.difference) for pair in self.pairs if pair.p <= self.alpha), default=math.nan)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; None if undefined."""
        figures = {
            "metric": self.metric,
            "share": self.share,
            "n_apart": self.n_apart,
            "n_pairs": len(self.pairs),
            "median_p": self.median_p,
            "smallest_difference": self.smallest_difference,
            "pairs": [{"a": pair.a, "b": pair.b, "difference": pair.difference, "p": pair.p} for pair in self.pairs],
        }
        return {name: to_json(value) for name, value in figures.items()}


@dataclass(frozen=True)
class Discriminations:
    """The metrics, the one that tells most pairs apart first."""

    metrics: tuple[Discrimination, ...]
    systems: tuple[str, ...]
    n_queries: int
    test: str
    alpha: float
    seed: int
    left_out: tuple[str, ...] = ()
    """Metrics that the test cannot compare."""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "systems": list(self.systems),
            "n_queries": self.n_queries,
            "test": self.test,
            "alpha": self.alpha,
            "seed": self.seed,
            "metrics": [metric.to_dict() for metric in self.metrics],
            "left_out": list(self.left_out),
        }


def discriminative_power(
    results: Sequence[Result],
    metrics: Iterable[WrittenMetric] | None = None,
    *,
    test: str = DISCRIMINATION_TEST,
    alpha: float = 0.05,
    seed: int = 0,
    intersect: bool = False,
) -> Discriminations:
    """Rank metrics by the share of pairs of these systems that they tell apart; with equal shares, by the median p.

    A high share says that a metric is sensitive on these runs. It does not say that it measures what users want. With a test
    of two systems, p of each pair is not corrected, as in Sakai 2006.
    """
    if len(results) < LEAST_SYSTEMS:
        raise UsageError(f"discriminative power needs at least {LEAST_SYSTEMS} systems, found {len(results)}")
    how = ComparisonOptions(test=test, correction="none", alpha=alpha, interval="t", correct_metrics=True, seed=seed)
    if how.bound_test.test.claim != "differs":
        raise UsageError(f"discriminative power needs a test of whether two systems differ, not {how.bound_test.name}")
    comparison = compare_results(results, how, metrics=metrics, intersect=intersect)
    shown = [metric.name for metric in comparison.metrics if metric.name not in results[0].beside or metrics is not None]
    tested = {name: [pair for pair in comparison.pairs if pair.metric == name and not math.isnan(pair.p)] for name in shown}
    metrics_apart = [Discrimination(name, _by_p(pairs), alpha) for name, pairs in tested.items() if pairs]
    if not metrics_apart:
        raise UsageError(f"{how.bound_test.name} gives no p for pairs of systems on {', '.join(shown)}")
    ordered = sorted(metrics_apart, key=lambda apart: (-apart.share, apart.median_p, shown.index(apart.metric)))
    left_out = tuple(name for name, pairs in tested.items() if not pairs)
    return Discriminations(
        tuple(ordered), comparison.names, len(comparison.query_ids), how.bound_test.name, alpha, seed, left_out
    )


def _by_p(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """The largest p first."""
    return tuple(sorted(pairs, key=lambda pair: (-pair.p, pair.a, pair.b)))
