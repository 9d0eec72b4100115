"""Variants: the sums of each user in each variant of a log, for tests that compare independent groups of users.

Users of different variants are different people, so there are no pairs. A test needs, for each variant, one numerator and
one denominator per user: the metric is Σ numerators ÷ Σ denominators, and users are independent. This is what `variant_sums`
returns. With very many users, a row is the sum of a random group of users, which is independent of the other rows as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.errors import UsageError
from assay.logs.cluster_sums import ClusterSums
from assay.logs.log_table import open_log
from assay.logs.scoring import parse_log_metrics, read_sums
from assay.metrics import BoundMetric, Given, written_metrics
from assay.model import RATIO_OF_SUMS, Composed


class UserSums(NamedTuple):
    """One metric in one variant: a numerator and a denominator for each user who counts."""

    numerator: Floats
    denominator: Floats
    n_users: int
    """The users of the variant, with those who do not count; groups if there are very many."""

    @property
    def value(self) -> float:
        """The value of the metric; nan if the denominators are 0."""
        bottom = float(self.denominator.sum())
        return float(self.numerator.sum()) / bottom if bottom else float("nan")


def variant_sums(
    log: Any, metrics: Given | Iterable[Given], *, by: str = "variant", first_rank: int = 1
) -> dict[str, dict[str, UserSums]]:
    """Metric → value of the tag → the sums of its users. Quantiles of times have no sums and are an error.

    A user with searches in several variants has a row in each of them; `assay log check` counts such users.
    """
    asked = parse_log_metrics(written_metrics(metrics)) or []
    if others := [metric.name for metric in asked if metric.metric.aggregation != RATIO_OF_SUMS]:
        raise UsageError(f"{others[0]} is not a quotient of two sums, so it has no sums for each user")
    with open_log(log) as opened:
        sums, _, _ = read_sums(opened, asked, by, first_rank)
    parts = {value: sums.part(by, value) for value in dict.fromkeys(sums.tags[by])}
    return {metric.name: {value: _sums(part, metric) for value, part in parts.items()} for metric in asked}


def _sums(part: ClusterSums, metric: BoundMetric) -> UserSums:
    """The sums of one metric. Rows of a user that another tag splits are added up."""
    scored = metric.score(part.view)
    parts = scored.parts if isinstance(scored, Composed) else np.zeros((part.n, 2))
    clusters, place = np.unique(part.cluster, return_inverse=True)
    counted = ~np.isnan(parts).any(axis=1)
    top, bottom = (
        np.bincount(place[counted], weights=parts[counted, side], minlength=len(clusters)).astype(float) for side in (0, 1)
    )
    is_there = np.bincount(place[counted], minlength=len(clusters)) > 0
    return UserSums(top[is_there], bottom[is_there], len(clusters))
