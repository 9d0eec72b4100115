"""Ties: means, extremes and changes over all orders of tied documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from assay.arrays import Bools, Floats, Ints, running_products, spread
from assay.errors import DataError
from assay.metrics.definition import BoundMetric
from assay.model import Column
from assay.text import counted, some_of
from assay.views import GradedRun, Hits, Ties, best_order, random_orders, tie_groups, worst_order

Cutoff = int | Ints | None


class TiedHits(NamedTuple):
    """Some retrieved documents and their ties. The order among hits with equal scores means nothing."""

    hits: Hits
    ties: Ties

    def n_inside(self, k: Cutoff) -> Ints:
        """How many of the ranks each hit may have are within the first k."""
        better, equal = self.ties
        if k is None:
            return equal
        limit = k if isinstance(k, int) else k[self.hits.query]
        return np.clip(limit - better, 0, equal)

    def expected_count(self, k: Cutoff) -> Floats:
        """How many of these hits each query has within the first k, on average."""
        return self.hits.sum(self.n_inside(k) / self.ties.equal)

    def expected_sum(self, worth: Floats, weight: Floats, k: Cutoff) -> Floats:
        """Mean of Σ worth · weight(rank) within the first k; `weight` holds the weights of ranks 1, 2, …"""
        total = np.concatenate(([0.0], np.cumsum(weight)))
        better = self.ties.better
        return self.hits.sum(worth * (total[better + self.n_inside(k)] - total[better]) / self.ties.equal)


def tied_hits(run: GradedRun, mask: Bools | None = None) -> TiedHits:
    """The retrieved documents the mask keeps, with their ties."""
    hits = run.retrieved
    ties = run.ties or Ties(hits.rank - 1, np.ones(len(hits.rank), dtype=np.int64))
    return TiedHits(hits, ties) if mask is None else TiedHits(hits.where(mask), ties.where(mask))


def tied_relevant(run: GradedRun, rel: float | None) -> TiedHits:
    """The retrieved relevant documents with their ties."""
    return tied_hits(run, run.is_relevant(run.retrieved, rel))


def ranks_of(run: GradedRun) -> Floats:
    """All ranks that a document may have: 1, 2, … down to the end of the longest ranking."""
    deepest = 0 if run.ties is None else int((run.ties.better + run.ties.equal).max(initial=0))
    return np.arange(1.0, max(deepest, int(run.retrieved.rank.max(initial=0))) + 1.0)


class Groups(NamedTuple):
    """Groups of equal scores that hold a hit: their query, documents above, size, hits inside and hits above."""

    query: Ints
    better: Ints
    equal: Ints
    n_hits: Ints
    n_before: Ints


def groups_of(tied: TiedHits) -> Groups:
    """The groups that these hits are in, in rank order."""
    start, group = tie_groups(tied.hits.query, tied.ties.better)
    n_hits = np.bincount(group, minlength=len(start))
    return Groups(
        tied.hits.query[start], tied.ties.better[start], tied.ties.equal[start], n_hits, tied.hits.position[start] - 1
    )


def chance_of_none(tied: TiedHits, k: Cutoff) -> Floats:
    """The chance that no hit is within the first k, for each query."""
    chance = np.ones(tied.hits.n_queries)
    start, group = tie_groups(tied.hits.query, tied.ties.better)
    nth = np.arange(len(group)) - start[group]
    equal = tied.ties.equal
    missed = np.maximum(equal - tied.n_inside(k) - nth, 0) / (equal - nth)  # given that those before it are not inside
    np.multiply.at(chance, tied.hits.query, missed)
    return chance


def expected_first(tied: TiedHits, k: int | None) -> Floats:
    """Mean of 1 ÷ rank of the first hit, 0 where it is beyond k, for each query."""
    groups = groups_of(tied)
    first = groups.n_before == 0
    query, better, equal, n_hits = (column[first] for column in groups[:4])
    n_ranks = equal - n_hits + 1  # the first hit cannot stand below these
    owner, nth = spread(n_ranks)
    left = equal[owner] - nth
    here = n_hits[owner] / left  # the chance, given that no hit stood above
    none_yet = running_products(1.0 - here, owner, len(query))
    none_above = np.where(nth == 0, 1.0, np.roll(none_yet, 1))
    rank = better[owner] + nth + 1
    worth = np.where(rank <= (k or rank.max(initial=0)), none_above * here / rank, 0.0)
    return np.bincount(query[owner], weights=worth, minlength=tied.hits.n_queries).astype(float)


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
        message = f"documents with equal scores, and no rule to order them, change {metric.name} in {where}"
        raise DataError(message, field="ties")
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


def changed_by_ties(metrics: Sequence[BoundMetric], run: GradedRun) -> list[Bools]:
    """For each metric, the queries that have orders of ties with different scores: those where `tie_band` has a width.

    The best and the worst order tell, except where a better place may lower a score. There orders are drawn as for the
    band, once for all metrics, and only for queries which those two leave open.
    """
    is_open = run.has_undecided()
    changed = [is_open.copy() for _ in metrics]
    if not is_open.any():
        return changed
    tied = run.select(is_open)
    worst, best = worst_order(tied), best_order(tied)
    open_ones = [_TiedMetric.of(metric, score_of(metric, worst), score_of(metric, best)) for metric in metrics]
    _draw([candidate for candidate in open_ones if not is_monotone(candidate.metric)], tied)
    for where, candidate in zip(changed, open_ones, strict=True):
        where[is_open] = candidate.is_changed
    return changed


class _TiedMetric(NamedTuple):
    """A metric, its scores in the worst order, and the queries that are known to have another score in another order."""

    metric: BoundMetric
    score: Floats
    is_changed: Bools

    @classmethod
    def of(cls, metric: BoundMetric, worst: Floats, best: Floats) -> _TiedMetric:
        """A metric of which the two extreme orders are known."""
        return cls(metric, worst, _differ(worst, best))


def _draw(metrics: Sequence[_TiedMetric], run: GradedRun) -> None:
    """Note where random orders give other scores."""
    is_left = np.zeros(run.n_queries, dtype=bool)
    for candidate in metrics:
        is_left |= ~candidate.is_changed & _may_change(candidate.metric, run)
    if not is_left.any():
        return
    for order in random_orders(run.select(is_left), N_SAMPLED, SEED):
        for candidate in metrics:
            candidate.is_changed[is_left] |= _differ(score_of(candidate.metric, order), candidate.score[is_left])


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
