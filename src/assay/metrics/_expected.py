"""Means over all orders of tied documents, in closed form (McSherry & Najork 2008, Computing IR Performance Measures
Efficiently in the Presence of Tied Scores, ECIR). A document tied with n − 1 others below b better ones is at each of the
ranks b + 1 … b + n with the same chance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.model import Bools, Floats, GradedRun, Hits, Ints, Ties, running_products, spread, tie_groups

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
