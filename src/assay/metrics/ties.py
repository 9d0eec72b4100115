"""Ties: mean and extreme scores over all orders of tied documents, and which scores depend on the order."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from assay.arrays import Bools, Floats, Ints, running_products, spread
from assay.errors import DataError
from assay.metrics.definition import BoundMetric
from assay.metrics.recency import by_age
from assay.model import Column
from assay.text import counted, some_of
from assay.views import GradedRun, Hits, Ties, best_order, random_orders, tie_groups, worst_order

Cutoff = int | Ints | None


class TiedHits(NamedTuple):
    """Some retrieved documents and their ties. The order among hits with equal scores has no meaning."""

    hits: Hits
    ties: Ties

    def n_inside(self, k: Cutoff) -> Ints:
        """For each hit: how many of its possible ranks are within the first k."""
        better, equal = self.ties
        if k is None:
            return equal
        limit = k if isinstance(k, int) else k[self.hits.query]
        return np.clip(limit - better, 0, equal)

    def expected_count(self, k: Cutoff) -> Floats:
        """For each query: the mean number of these hits within the first k."""
        return self.hits.sum(self.n_inside(k) / self.ties.equal)

    def expected_sum(self, worth: Floats, weight: Floats, k: Cutoff) -> Floats:
        """Mean of Σ worth · weight(rank) within the first k; `weight` has the weights of ranks 1, 2, …"""
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
    """All possible ranks: 1, 2, … to the end of the longest ranking."""
    deepest = 0 if run.ties is None else int((run.ties.better + run.ties.equal).max(initial=0))
    return np.arange(1.0, max(deepest, int(run.retrieved.rank.max(initial=0))) + 1.0)


class Groups(NamedTuple):
    """Groups of equal scores with at least one hit: query, documents above, size, hits inside, hits above."""

    query: Ints
    better: Ints
    equal: Ints
    n_hits: Ints
    n_before: Ints


def groups_of(tied: TiedHits) -> Groups:
    """The groups of these hits, in rank order."""
    start, group = tie_groups(tied.hits.query, tied.ties.better)
    n_hits = np.bincount(group, minlength=len(start))
    return Groups(
        tied.hits.query[start], tied.ties.better[start], tied.ties.equal[start], n_hits, tied.hits.position[start] - 1
    )


def chance_of_none(tied: TiedHits, k: Cutoff) -> Floats:
    """For each query: the probability that no hit is within the first k."""
    chance = np.ones(tied.hits.n_queries)
    start, group = tie_groups(tied.hits.query, tied.ties.better)
    nth = np.arange(len(group)) - start[group]
    equal = tied.ties.equal
    missed = np.maximum(equal - tied.n_inside(k) - nth, 0) / (equal - nth)  # given that those before it are not inside
    np.multiply.at(chance, tied.hits.query, missed)
    return chance


def expected_first(tied: TiedHits, k: int | None) -> Floats:
    """For each query: mean of 1 ÷ rank of the first hit; 0 if that is beyond k."""
    groups = groups_of(tied)
    first = groups.n_before == 0
    query, better, equal, n_hits = (column[first] for column in groups[:4])
    n_ranks = equal - n_hits + 1  # the first hit cannot be below these
    owner, nth = spread(n_ranks)
    left = equal[owner] - nth
    here = n_hits[owner] / left  # the probability, given that no hit is above
    none_yet = running_products(1.0 - here, owner, len(query))
    none_above = np.where(nth == 0, 1.0, np.roll(none_yet, 1))
    rank = better[owner] + nth + 1
    worth = np.where(rank <= (k or rank.max(initial=0)), none_above * here / rank, 0.0)
    return np.bincount(query[owner], weights=worth, minlength=tied.hits.n_queries).astype(float)


N_SAMPLED = 100
"""Number of random orders of ties to score if no closed form is known."""
SEED = 0


class TieBand(NamedTuple):
    """Lowest, mean and highest score of each query over all orders of tied documents."""

    low: Floats
    expected: Floats
    high: Floats
    mean_is_exact: bool
    ends_are_exact: bool


def tie_band(metric: BoundMetric, run: GradedRun) -> TieBand:
    """The band of a metric: exact if a formula is known, else from sampled orders and the best and the worst order.

    Only queries with ties that matter are scored again; for all others the three scores are equal.
    """
    if metric.half_life is not None:
        metric, (run,) = by_age(metric, run)
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
    """Whether moving a better document up never lowers the score, so that the best and the worst order are the extremes.

    Four parameters break this: a map of gains and a half-life, with which a lower grade may gain more, ideal=retrieved,
    whose ideal ranking may gain that document, and norm=found with a cutoff, which divides by more if a document moves into
    the cutoff.
    """
    params = metric.params
    is_cut = (params.get("norm") == "found" and params["k"] is not None) or metric.half_life is not None
    may_fall = isinstance(params.get("gain"), tuple) or params.get("ideal") == "retrieved" or is_cut
    return metric.metric.is_monotone and not may_fall


def scores_by_tie_rule(metric: BoundMetric, run: GradedRun) -> Floats:
    """The mean of each score over all orders of ties. With the rule `error`: an error if ties change a score."""
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
        message = f"{metric.name} depends on the order of documents with equal scores in {where}"
        raise DataError(message, field="ties")
    return band.low


def _sampled(metric: BoundMetric, run: GradedRun) -> tuple[Floats, Floats, Floats]:
    """The lowest, mean and highest score of each query over random orders of its ties; other queries have no effect."""
    low, total, high = np.full(run.n_queries, np.inf), np.zeros(run.n_queries), np.full(run.n_queries, -np.inf)
    for order in random_orders(run, N_SAMPLED, SEED):
        score = score_of(metric, order)
        low, high = np.minimum(low, score), np.maximum(high, score)
        total += score  # one by one, because NumPy sums one column in another order than several
    return low, total / N_SAMPLED, high


def score_of(metric: BoundMetric, run: GradedRun) -> Floats:
    """The scores of a run with a fixed order of ties."""
    return Column.of(metric.score(run), metric.metric.aggregation).score
