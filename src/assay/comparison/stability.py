"""Stability: where the variance of scores comes from, and whether other queries would order the systems in the same way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.comparison.comparison import Comparison
from assay.comparison.pair_figures import sign_of
from assay.model import MEAN
from assay.stats import Components, OrderStability, order_stability, variance_components


@dataclass(frozen=True)
class SystemStability:
    """One metric over all systems of a comparison."""

    metric: str
    n: int
    """Queries on which all systems have a score."""
    components: Components
    order: OrderStability

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "metric": self.metric,
            "n": self.n,
            "components": self.components.to_dict(),
            "order": self.order.to_dict(),
        }


def system_stability(comparison: Comparison) -> tuple[SystemStability, ...]:
    """The stability on each metric that is a mean over queries. Clusters of queries are resampled as a whole."""
    stabilities = []
    for metric in comparison.metrics:
        if metric.metric.aggregation != MEAN:
            continue
        scores = comparison.aligned.scores(metric.name)
        defined = np.asarray(np.isfinite(scores).all(axis=1))
        scores = sign_of(metric) * scores[defined]
        clusters = comparison.clusters
        drawn = scores if clusters is None else clusters.taken(defined).sums(scores)  # the order of sums is that of means
        order = order_stability(drawn, comparison.how.seed)
        stabilities.append(SystemStability(metric.name, len(scores), variance_components(scores), order))
    return tuple(stabilities)
