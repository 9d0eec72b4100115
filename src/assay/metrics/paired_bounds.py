"""Bounds of a difference: the lowest and highest difference of two systems over all grades of unjudged documents.

A document that both systems retrieved has one grade. An unjudged document that turns out to be relevant also counts in the
ideal ranking of the system that did not retrieve it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.arrays import Bools, Floats, Ints, ratio
from assay.metrics.ap_difference import ApSettings, ap_difference_bounds
from assay.metrics.gains import discounts, gains, scaled_gains
from assay.metrics.ndcg_difference import ndcg_difference_bounds
from assay.metrics.recency import by_age
from assay.metrics.residuals import residual_scores, top_grade
from assay.model import Column
from assay.views import GradedRun, UnjudgedDocuments

if TYPE_CHECKING:
    from assay.metrics.definition import BoundMetric


class DifferenceBounds(NamedTuple):
    """Lowest and highest difference (b − a) of each query. If it is not exact, the true bounds may be closer together."""

    low: Floats
    high: Floats
    is_exact: bool


class Systems(NamedTuple):
    """Two systems on the same queries with the same judgments, and their unjudged documents within the cutoff."""

    a: GradedRun
    b: GradedRun
    unjudged: UnjudgedDocuments

    def sums(self, values: Floats | Bools) -> Floats:
        """The sum over the unjudged documents of each query."""
        return np.bincount(self.unjudged.query, weights=values, minlength=self.a.n_queries).astype(float, copy=False)


def difference_bounds(
    metric: BoundMetric, a: GradedRun, b: GradedRun, unjudged: UnjudgedDocuments
) -> DifferenceBounds | None:
    """The bounds of each difference over all grades of the unjudged documents within the cutoff; None if unknown.

    With judged_only, a document counts as soon as it has a grade; the difference without any new grade is inside the bounds.
    With a half-life, unjudged documents count as new, so the true bounds may be closer together.
    """
    if metric.half_life is not None:
        plain_metric, (a, b) = by_age(metric, a, b)
        bounds = difference_bounds(plain_metric, a, b, unjudged)
        return bounds and bounds._replace(is_exact=False)
    plain = _score(metric, b) - _score(metric, a)
    if metric.params.get("judged_only"):
        whole = difference_bounds(metric.metric.bind(**{**metric.params, "judged_only": False}), a, b, unjudged)
        return whole and DifferenceBounds(np.minimum(plain, whole.low), np.maximum(plain, whole.high), is_exact=False)
    name = metric.metric.name
    systems = Systems(a, b, unjudged.within(metric.params.get("k")))
    if name in WEIGHTS and metric.params.get("gain") != "query" and not isinstance(metric.params.get("gain"), tuple):
        return _of_weights(systems, plain, WEIGHTS[name](metric, systems))
    if name in ("hit", "mrr"):
        return _of_first(metric, systems, plain)
    if name in ("recall", "capped_recall", "f"):
        return _of_recall(metric, systems, plain)
    if name == "ndcg" and metric.params["ideal"] != "retrieved":
        low, high = ndcg_difference_bounds(a, b, systems.unjudged, top_grade(metric, a), metric.params)
        return DifferenceBounds(np.fmin(low, plain), np.fmax(high, plain), is_exact=True)
    if name in ("map", "err") and metric.params.get("norm") != "found":
        return _outer(metric, systems, plain)
    return None


def _score(metric: BoundMetric, run: GradedRun) -> Floats:
    return Column.of(metric.score(run), metric.metric.aggregation).score


# Sums of gains with a weight for each rank: a document counts for the system that has it higher.

Weights = tuple[Floats, Floats]
"""What the top grade of each unjudged document adds to the score of either system."""


def _of_weights(systems: Systems, plain: Floats, weights: Weights) -> DifferenceBounds:
    move = weights[1] - weights[0]
    low, high = (plain + systems.sums(part) for part in (np.minimum(move, 0.0), np.maximum(move, 0.0)))
    return DifferenceBounds(low, high, is_exact=True)


def _at_ranks(systems: Systems, weigh: Callable[[Ints], Floats]) -> Weights:
    """The weight of each rank; 0 where a document was not retrieved."""
    ranks = systems.unjudged[1:]
    weight_a, weight_b = (np.where(rank > 0, weigh(np.maximum(rank, 1)), 0.0) for rank in ranks)
    return weight_a, weight_b


def _precision_weights(metric: BoundMetric, systems: Systems) -> Weights:
    query, *ranks = systems.unjudged
    sizes = (run.n_retrieved.clip(max=metric.params["k"]) for run in (systems.a, systems.b))
    if metric.params["over"] == "k":
        sizes = (np.full(systems.a.n_queries, metric.params["k"]) for _ in ranks)
    weight_a, weight_b = (ratio(rank > 0, size[query]) for rank, size in zip(ranks, sizes, strict=True))
    return weight_a, weight_b


def _dcg_weights(metric: BoundMetric, systems: Systems) -> Weights:
    params = metric.params
    top = float(gains(np.array([top_grade(metric, systems.a)]), params["gain"], params["rel"])[0])
    return _at_ranks(systems, lambda rank: top * discounts(rank, params["discount"]))


def _sdcg_weights(metric: BoundMetric, systems: Systems) -> Weights:
    k, lowest, highest = (metric.params[name] for name in ("k", "min_grade", "max_grade"))
    top = float(scaled_gains(systems.a, np.array([top_grade(metric, systems.a)]), lowest, highest)[0])
    most = discounts(np.arange(1, k + 1)).sum()
    return _at_ranks(systems, lambda rank: top * discounts(rank) / most)


def _rbp_weights(metric: BoundMetric, systems: Systems) -> Weights:
    p, gain, grade = metric.params["p"], metric.params["gain"], top_grade(metric, systems.a)
    top = grade if gain == "grade" else float(gain != "scale" or systems.a.max_grade > 0)
    return _at_ranks(systems, lambda rank: top * (1.0 - p) * p ** (rank - 1.0))


WEIGHTS = {"precision": _precision_weights, "dcg": _dcg_weights, "sdcg": _sdcg_weights, "rbp": _rbp_weights}


# The first relevant document: one new relevant document is enough to reach either end.


def _of_first(metric: BoundMetric, systems: Systems, plain: Floats) -> DifferenceBounds:
    """A second relevant document can only help the other system, because one of the two is already the first."""
    query, *ranks = systems.unjudged
    is_hit = metric.metric.name == "hit"
    new = (ratio(rank > 0, np.ones_like(rank) if is_hit else rank) for rank in ranks)
    now = (_score(metric, run)[query] for run in (systems.a, systems.b))
    score_a, score_b = (np.maximum(known, other) for known, other in zip(now, new, strict=True))
    low, high = plain.copy(), plain.copy()
    np.minimum.at(low, query, score_b - score_a)
    np.maximum.at(high, query, score_b - score_a)
    return DifferenceBounds(low, high, is_exact=True)


# Relevant documents within the cutoff, as a share of something that grows with their number.


def _of_recall(metric: BoundMetric, systems: Systems, plain: Floats) -> DifferenceBounds:
    """All documents of one system alone are relevant, none of the other; those of both only if that helps.

    With x documents of b alone, y of a alone and z of both, recall differs by (c + x − y) ÷ (R + x + y + z). It rises with x
    and falls with y. It moves towards 0 with z.
    """
    run, rel, k = systems.a, metric.params["rel"], metric.params["k"]
    in_a, in_b = systems.unjudged.rank_a > 0, systems.unjudged.rank_b > 0
    only_a, only_b, both = (systems.sums(mask) for mask in (in_a & ~in_b, in_b & ~in_a, in_a & in_b))
    more = (systems.b.relevant(rel).n_within(k) - run.relevant(rel).n_within(k)).astype(float)

    def share(n_more: Floats, n_new: Floats) -> Floats:
        total = run.n_relevant(rel) + n_new
        if metric.metric.name == "f":
            beta = metric.params["beta"] ** 2
            return ratio((1 + beta) * n_more, k + beta * total)
        return ratio(n_more, total.clip(max=k) if metric.metric.name == "capped_recall" else total)

    low = share(more - only_a, only_a + np.where(more - only_a > 0, both, 0.0))
    high = share(more + only_b, only_b + np.where(more + only_b < 0, both, 0.0))
    return DifferenceBounds(np.minimum(low, plain), np.maximum(high, plain), is_exact=True)


# Bounds that may be too wide: those of each system alone, or of their numbers of relevant documents.


def _outer(metric: BoundMetric, systems: Systems, plain: Floats) -> DifferenceBounds:
    """The bounds of average precision, or of a metric that reads nothing but its own ranking."""
    a, b, params = systems.a, systems.b, metric.params
    if metric.metric.name == "map":
        level = a.level if params["rel"] is None else params["rel"]
        settings = ApSettings(level, params["k"], params["norm"] == "min")
        low, high = ap_difference_bounds(a, b, systems.unjudged, settings)
    else:
        (low_a, high_a, _), (low_b, high_b, _) = (residual_scores(metric, run) for run in (a, b))
        low, high = low_b - high_a, high_b - low_a
    is_fixed = _are_equal(systems, params["k"]) | (systems.sums(np.ones(len(systems.unjudged.query))) == 0)
    low, high = (np.where(is_fixed, plain, end) for end in (low, high))
    return DifferenceBounds(np.minimum(low, plain), np.maximum(high, plain), is_exact=False)


def _are_equal(systems: Systems, k: int | None) -> Bools:
    """Which queries have the same documents at the same ranks in both systems, within the cutoff."""
    hits = [run.retrieved.top(k) for run in (systems.a, systems.b)]
    grades = [
        np.column_stack((some.rank, run.judgment[run.retrieved.rank <= (k or np.inf)]))
        for some, run in zip(hits, (systems.a, systems.b), strict=True)
        if run.judgment is not None
    ]
    equal: Bools = hits[0].count == hits[1].count
    if len(grades) < 2:
        return np.zeros_like(equal)
    rows_a, rows_b = (rows[equal[some.query]] for rows, some in zip(grades, hits, strict=True))
    query = hits[0].query[equal[hits[0].query]]
    equal[query[(rows_a != rows_b).any(axis=1)]] = False
    equal[systems.unjudged.query[systems.unjudged.rank_a != systems.unjudged.rank_b]] = False
    return equal
