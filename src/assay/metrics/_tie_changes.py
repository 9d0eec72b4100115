"""Tie changes: the queries whose score depends on how equal scores are ordered, found without the band of each metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay.metrics._bands import N_SAMPLED, SEED, is_monotone, score_of
from assay.metrics._metric import BoundMetric
from assay.model import Bools, Floats, GradedRun, best_order, random_orders, worst_order


def changed_by_ties(metrics: Sequence[BoundMetric], run: GradedRun) -> list[Bools]:
    """For each metric, the queries that have orders of ties with different scores: those where `tie_band` has a width.

    The best and the worst order tell, except where a better place may lower a score. There orders are drawn as for the
    band, once for all metrics, and only for queries which those two leave open.
    """
    is_open = run.has_undecided()
    found = [is_open.copy() for _ in metrics]
    if not is_open.any():
        return found
    tied = run.select(is_open)
    worst, best = worst_order(tied), best_order(tied)
    open_ones = [_Metric.of(metric, score_of(metric, worst), score_of(metric, best)) for metric in metrics]
    _draw([one for one in open_ones if not is_monotone(one.metric)], tied)
    for where, one in zip(found, open_ones, strict=True):
        where[is_open] = one.is_changed
    return found


class _Metric(NamedTuple):
    """A metric, its scores in the worst order, and the queries that are known to have another score in another order."""

    metric: BoundMetric
    score: Floats
    is_changed: Bools

    @classmethod
    def of(cls, metric: BoundMetric, worst: Floats, best: Floats) -> _Metric:
        """A metric of which the two extreme orders are known."""
        return cls(metric, worst, _differ(worst, best))


def _draw(metrics: Sequence[_Metric], run: GradedRun) -> None:
    """Note where random orders give other scores."""
    is_left = np.zeros(run.n_queries, dtype=bool)
    for one in metrics:
        is_left |= ~one.is_changed & _may_change(one.metric, run)
    if not is_left.any():
        return
    for order in random_orders(run.select(is_left), N_SAMPLED, SEED):
        for one in metrics:
            one.is_changed[is_left] |= _differ(score_of(one.metric, order), one.score[is_left])


def _may_change(metric: BoundMetric, run: GradedRun) -> Bools:
    """Queries in which some order could matter: ties below the last document that may count as relevant change nothing,
    for metrics that say so.
    """
    level = run.level if metric.params.get("rel") is None else metric.params["rel"]
    if not metric.metric.ignores_the_rest or run.ties is None or isinstance(metric.params.get("gain"), tuple):
        return np.ones(run.n_queries, dtype=bool)
    hits, (better, equal) = run.retrieved, run.ties
    counts = hits.grade > 0 if level is None or level > 0 else hits.grade >= 0
    last = np.zeros(run.n_queries, dtype=np.int64)
    np.maximum.at(last, hits.query[counts], (better + equal)[counts])
    first = np.full(run.n_queries, np.iinfo(np.int64).max)
    tied = run.undecided()
    np.minimum.at(first, hits.query[tied], better[tied])
    return first < last


def _differ(some: Floats, others: Floats) -> Bools:
    """Where scores differ; a score that is not there differs from none."""
    return (some < others) | (others < some)
