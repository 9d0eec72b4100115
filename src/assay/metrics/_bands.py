"""Bands: how far a score could move if ties were broken otherwise."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.errors import DataError
from assay.model import Column, Floats, GradedRun, best_order, random_orders, worst_order
from assay.text import counted, some_of

if TYPE_CHECKING:
    from assay.metrics._metric import BoundMetric

N_SAMPLED = 100
"""Random orders of ties that are scored where no closed form is known."""
SEED = 0


class TieBand(NamedTuple):
    """Lowest, mean and highest score of each query over all orders of tied documents."""

    low: Floats
    expected: Floats
    high: Floats
    mean_is_exact: bool
    ends_are_exact: bool


def tie_band(metric: BoundMetric, run: GradedRun) -> TieBand:
    """The band of a metric: exact where theory allows, else over sampled orders, the best and the worst among them.

    Only queries with ties that matter are looked at again; for all others the three are one and the same.
    """
    plain = score_of(metric, run)
    is_open = run.has_undecided()
    if not is_open.any():
        return TieBand(plain, plain, plain, mean_is_exact=True, ends_are_exact=True)
    band = _band(metric, run.select(is_open))
    low, mean, high = (plain.copy() for _ in range(3))
    low[is_open], mean[is_open], high[is_open] = band[:3]
    return TieBand(low, mean, high, *band[3:])


def _band(metric: BoundMetric, run: GradedRun) -> TieBand:
    ends = [score_of(metric, order(run)) for order in (worst_order, best_order)]
    mean = metric.expected(run)
    ends_are_exact = is_monotone(metric)
    if ends_are_exact and (mean is not None or np.array_equal(ends[0], ends[1])):
        low, high = np.minimum(*ends), np.maximum(*ends)
        return TieBand(low, low if mean is None else np.clip(mean, low, high), high, True, True)
    lowest, average, highest = _sampled(metric, run)
    if not ends_are_exact:
        ends += [lowest, highest]
    low, high = np.minimum.reduce(ends), np.maximum.reduce(ends)
    if mean is None:
        return TieBand(low, np.clip(average, low, high), high, False, ends_are_exact)
    return TieBand(low, mean, high, True, ends_are_exact)


def is_monotone(metric: BoundMetric) -> bool:
    """Whether a better document one place up never lowers the score, so that the best and the worst order are the ends.

    Parameters may let it: a gain that a lower grade may exceed, or an ideal ranking of what stands within k, which that
    document may enter.
    """
    may_fall = isinstance(metric.params.get("gain"), tuple) or metric.params.get("ideal") == "retrieved"
    return metric.metric.is_monotone and not may_fall


def scores_by_tie_rule(metric: BoundMetric, run: GradedRun) -> Floats:
    """The mean of each score over all orders of ties; or, where ties are faults, an error if they leave a score open."""
    settled = replace(run, tie_rule="settled")
    if run.tie_rule == "error":
        return _undisputed(metric, settled)
    mean = metric.expected(settled)
    return tie_band(metric, settled).expected if mean is None else mean


def _undisputed(metric: BoundMetric, run: GradedRun) -> Floats:
    band = tie_band(metric, run)
    queries = [run.query_ids[number] for number in np.flatnonzero(band.low < band.high).tolist()]
    if queries:
        where = f"{counted(len(queries), 'query')}: {some_of(queries)}"
        told = f"documents with equal scores, and no rule to order them, change {metric.name} in {where}"
        raise DataError(told, field="ties")
    return band.low


def _sampled(metric: BoundMetric, run: GradedRun) -> tuple[Floats, Floats, Floats]:
    """The lowest, mean and highest score of each query over random orders of its ties, whatever other queries there are."""
    low, total, high = np.full(run.n_queries, np.inf), np.zeros(run.n_queries), np.full(run.n_queries, -np.inf)
    for order in random_orders(run, N_SAMPLED, SEED):
        score = score_of(metric, order)
        low, high = np.minimum(low, score), np.maximum(high, score)
        total += score  # one after the other: NumPy sums a single column in another order than several
    return low, total / N_SAMPLED, high


def score_of(metric: BoundMetric, run: GradedRun) -> Floats:
    """The scores of a run whose ties are settled."""
    return Column.of(metric.score(run), metric.metric.aggregation).score
