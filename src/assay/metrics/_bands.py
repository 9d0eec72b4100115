"""Bands: how far a score could move if ties were broken otherwise, or if unjudged documents were relevant."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.errors import DataError
from assay.metrics._param import REL
from assay.model.graded import GradedRun
from assay.model.ordering import Floats
from assay.model.scores import Column
from assay.model.tie_orders import best_order, random_order, worst_order
from assay.model.unjudged import with_unjudged_relevant
from assay.text import counted, some_of

if TYPE_CHECKING:
    from assay.metrics._metric import BoundMetric

N_SAMPLED = 100
"""Random orders of ties that are scored where no closed form is known."""
SEED = 0
SHARES = ("scale", "query")
"""Gains that are a share of the best grade; no level matters to them, and a grade off the scale would distort them."""


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
    plain = _score(metric, run)
    is_open = np.zeros(run.n_queries, dtype=bool)
    is_open[run.retrieved.query[run.undecided()]] = True
    if not is_open.any():
        return TieBand(plain, plain, plain, mean_is_exact=True, ends_are_exact=True)
    band = _band(metric, run.select(is_open))
    low, mean, high = (plain.copy() for _ in range(3))
    low[is_open], mean[is_open], high[is_open] = band[:3]
    return TieBand(low, mean, high, *band[3:])


def _band(metric: BoundMetric, run: GradedRun) -> TieBand:
    ends = [_score(metric, order(run)) for order in (worst_order, best_order)]
    mean = metric.expected(run)
    is_monotone = metric.metric.is_monotone and not _may_fall(metric)
    if is_monotone and (mean is not None or np.array_equal(ends[0], ends[1])):
        low, high = np.minimum(*ends), np.maximum(*ends)
        return TieBand(low, low if mean is None else np.clip(mean, low, high), high, True, True)
    sampled = _sampled(metric, run)
    every = np.vstack((*ends, sampled)) if not is_monotone else np.vstack(ends)
    low, high = every.min(axis=0), every.max(axis=0)
    if mean is None:
        return TieBand(low, np.clip(sampled.mean(axis=0), low, high), high, False, is_monotone)
    return TieBand(low, mean, high, True, is_monotone)


def _may_fall(metric: BoundMetric) -> bool:
    """Whether its parameters let a better document one place up lower the score: a gain that a lower grade may exceed,
    or an ideal ranking of what stands within k, which that document may enter.
    """
    return isinstance(metric.params.get("gain"), tuple) or metric.params.get("ideal") == "retrieved"


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
        raise DataError(f"documents with equal scores, and no rule to order them, change {metric.name} in {where}")
    return band.low


def residual_scores(metric: BoundMetric, run: GradedRun) -> tuple[Floats, Floats]:
    """Each score if none of the unjudged documents were relevant, and if all within the metric's cutoff were."""
    plain = _score(metric, run)
    if metric.params.get("judged_only"):
        return plain, plain
    return plain, _score(metric, with_unjudged_relevant(run, metric.params.get("k"), _top_grade(metric, run)))


def _top_grade(metric: BoundMetric, run: GradedRun) -> float:
    """The grade that unjudged documents are given: the best there is, and one that the metric takes as relevant."""
    top = metric.params.get("max_grade") or run.max_grade or 1.0
    if metric.params.get("gain") in SHARES:
        return float(top)
    level = metric.params.get("rel")
    if level is None and REL in metric.metric.params:
        level = run.level
    return max(top, level or 0.0)


def _sampled(metric: BoundMetric, run: GradedRun) -> Floats:
    """Scores under random orders of ties, one row per order."""
    rng = np.random.default_rng(SEED)
    return np.vstack([_score(metric, random_order(run, rng)) for _ in range(N_SAMPLED)])


def _score(metric: BoundMetric, run: GradedRun) -> Floats:
    return Column.of(metric.score(run), metric.metric.aggregation).score
