"""Unjudged documents: how far their grades could move the difference of two systems, and how much of each is judged."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.arrays import Floats
from assay.evaluation import GradedPair, Result, Unknown, graded_pair
from assay.metrics import BoundMetric, difference_bounds, find_metric
from assay.model import MEAN
from assay.serialize import to_json

DEFAULT_DEPTH = 10
"""The cutoff of judged@k if the metric has none."""
JUDGED_APART = 0.05
"""From this difference of judged@k on, a verdict shows judged@k of both systems."""
TOO_LARGE = "the runs are large, and the metric reads them as a whole. Add --residuals to read them again"
SEVERAL_RANKINGS = "queries were sent several times and returned different rankings"
NOT_A_MEAN = "it is known only for metrics that are means over queries"
NO_BOUNDS = "no bounds are known for {metric}"


@dataclass(frozen=True)
class Unjudged:
    """The range of the difference b − a over all grades that the unjudged documents could have."""

    metric: str
    a: str
    b: str
    low: float = math.nan
    high: float = math.nan
    is_exact: bool = False
    """Whether some grades lead to the ends of the range; if not, the true range may be smaller."""
    n_unjudged: int = 0
    """Unjudged results: pairs of a query and a document that one or both systems retrieved within the cutoff."""
    k: int | None = None
    """The cutoff of the metric."""
    depth: int = DEFAULT_DEPTH
    """The cutoff of judged@k."""
    judged_a: float = math.nan
    judged_b: float = math.nan
    are_apart: bool = False
    """Whether the judged shares of the retrieved documents differ by more than a few points."""
    unknown: str = ""
    """Why the range is unknown; empty if it is known."""
    is_missing: bool = False
    """Whether it is unknown because something was not stored or not read, so that it could be known."""

    @property
    def is_known(self) -> bool:
        """Whether there is a range."""
        return not math.isnan(self.low)

    def could_reverse(self, difference: float) -> bool:
        """Whether the range contains a difference of the opposite sign."""
        return self.low < -ROUNDING if difference > 0 else self.high > ROUNDING if difference < 0 else False

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; None if unknown."""
        plain = {name: value for name, value in to_json(self).items() if name not in LEFT_OUT}
        return {**plain, "unknown": self.unknown or None}


LEFT_OUT = ("metric", "a", "b", "are_apart", "is_missing")
"""Fields that plain values leave out: the pair has them, or they follow from others."""
ROUNDING = 1e-12
"""A smaller difference is a rounding error of floats and counts as 0."""


def unjudged_between(a: Result, b: Result, metric: BoundMetric, *, thorough: bool = True) -> Unjudged:
    """The range of the difference of two results on the same queries. Without rankings it is unknown, which is no error.

    Unless it is `thorough`, large files are not read again as a whole.
    """
    names = (metric.name, a.name, b.name)
    k = metric.params.get("k")
    if not thorough and k is None and any(result.grader is not None and result.grader.is_costly for result in (a, b)):
        return Unjudged(*names, unknown=TOO_LARGE, is_missing=True)
    if any(_has_noise(result, metric) for result in (a, b)):
        return Unjudged(*names, unknown=SEVERAL_RANKINGS, **_stored_judged(a, b, k))
    pair = graded_pair(a, b, metric)
    if isinstance(pair, Unknown):
        return Unjudged(*names, unknown=pair.reason, is_missing=pair.is_missing, **_stored_judged(a, b, k))
    about: dict[str, Any] = {"n_unjudged": len(pair.unjudged.query), "k": k, **_judged(pair, metric)}
    if metric.metric.aggregation != MEAN:
        return Unjudged(*names, unknown=NOT_A_MEAN, **about)
    bounds = difference_bounds(metric, *pair)
    if bounds is None:
        return Unjudged(*names, unknown=NO_BOUNDS.format(metric=metric.name), **about)
    before, after = (_scores(result, metric, pair.a.query_ids) for result in (a, b))
    defined = np.isfinite(before) & np.isfinite(after)
    if not defined.any():
        return Unjudged(*names, unknown="no query has a score in both systems", **about)
    shown = _mean((after - before)[defined])
    low, high = _mean(bounds.low[defined]), _mean(bounds.high[defined])
    is_exact = bounds.is_exact and low <= shown + ROUNDING and shown - ROUNDING <= high
    return Unjudged(*names, min(low, shown), max(high, shown), is_exact, **about)


def _has_noise(result: Result, metric: BoundMetric) -> bool:
    """Whether repeats of a query have different scores or rankings, so that the range of one ranking says too little."""
    repeats = result.repeats.get(metric.name)
    if repeats is None:
        return False
    is_scored_apart = bool((repeats != repeats[:, :1]).any())
    return is_scored_apart or any(other != result.run.get(query) for query, some in result.reruns.items() for other in some)


def _scores(result: Result, metric: BoundMetric, queries: tuple[str, ...]) -> Floats:
    place = {query: number for number, query in enumerate(result.query_ids)}
    scores: Floats = result.table.columns[metric.name].score[[place[query] for query in queries]].astype(float)
    return scores


def _judged(pair: GradedPair, metric: BoundMetric) -> dict[str, Any]:
    """The judged shares of both systems. Queries without documents count in judged@k, but do not make it differ."""
    depth = metric.params.get("k") or DEFAULT_DEPTH
    judged = find_metric(f"judged@{depth}")
    shares = [np.asarray(judged.score(run), dtype=float) for run in (pair.a, pair.b)]
    retrieved = [_mean(share[run.n_retrieved > 0]) for share, run in zip(shares, (pair.a, pair.b), strict=True)]
    return {
        "depth": depth,
        "judged_a": _mean(shares[0]),
        "judged_b": _mean(shares[1]),
        "are_apart": abs(retrieved[0] - retrieved[1]) > JUDGED_APART,
    }


def _stored_judged(a: Result, b: Result, k: int | None) -> dict[str, Any]:
    """The judged shares that two results have as a metric."""
    depth = k or DEFAULT_DEPTH
    shares = [result.summary.get(f"judged@{depth}", math.nan) for result in (a, b)]
    is_apart = abs(shares[0] - shares[1]) > JUDGED_APART
    return {"k": k, "depth": depth, "judged_a": shares[0], "judged_b": shares[1], "are_apart": is_apart}


def _mean(values: Floats) -> float:
    return math.fsum(values.tolist()) / len(values) if len(values) else math.nan
