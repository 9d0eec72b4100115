"""Rank correlation: how many pairs of documents two rankings put in the same order.

All queries are counted at once. An item is a document; x is its place in a's ranking and y its place in b's, 1 the best.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.model import Floats, Ints, ratio
from assay.stats._paired_rankings import PairedRankings


@dataclass(frozen=True)
class Items:
    """Documents of several queries with their places in two rankings; equal places are ties."""

    n_queries: int
    query: Ints
    x: Ints
    y: Ints

    def swapped(self) -> Items:
        """The same with the roles of the rankings exchanged."""
        return Items(self.n_queries, self.query, self.y, self.x)

    @cached_property
    def n(self) -> Ints:
        """Of each query: how many items it has."""
        return np.bincount(self.query, minlength=self.n_queries)

    @cached_property
    def order(self) -> Ints:
        """By query, then by x; equals in x by falling y, so that none of them stands above another in both."""
        return np.lexsort((-self.y, self.x, self.query))

    @cached_property
    def n_agreeing_above(self) -> Ints:
        """In that order: how many items stand above this one in both rankings."""
        return n_smaller_before(self.query[self.order], self.y[self.order])

    def tied_pairs(self, *places: Ints) -> Floats:
        """Of each query: how many pairs of its items share all these places."""
        key = self.query.astype(np.int64)
        for place in places:
            key = key * (int(place.max(initial=0)) + 1) + place
        first, count = np.unique(key, return_index=True, return_counts=True)[1:]
        pairs: Floats = np.bincount(self.query[first], count * (count - 1) / 2, minlength=self.n_queries).astype(np.float64)
        return pairs


def items_of(pairs: PairedRankings, over: str) -> Items:
    """The documents that either system retrieved, or only those that both did.

    Over the union, a document that a system did not retrieve stands below all that it did, tied with the others of its kind.
    """
    a, b = pairs.a, pairs.b
    in_a, in_b = pairs.rows_in_both
    query, x, y = a.query[in_a], a.place[in_a], b.place[in_b]
    if over == "intersection":
        return Items(pairs.n_queries, query, x, y)
    lone_a, lone_b = np.flatnonzero(pairs.only_in_a), np.flatnonzero(pairs.only_in_b)
    query_a, query_b = a.query[lone_a], b.query[lone_b]
    return Items(
        pairs.n_queries,
        np.concatenate((query, query_a, query_b)),
        np.concatenate((x, a.place[lone_a], a.length[query_b] + 1)),
        np.concatenate((y, b.length[query_a] + 1, b.place[lone_b])),
    )


def kendall(items: Items, variant: str) -> Floats:
    """τ of each query: pairs in the same order less pairs in opposite order, as a share.

    τ-a divides by all pairs, τ-b by those not tied in the one and in the other (their geometric mean). nan if none are.
    """
    n = items.n.astype(np.float64)
    pairs = n * (n - 1) / 2
    same = np.bincount(items.query[items.order], items.n_agreeing_above, minlength=items.n_queries)
    tied_x, tied_y = items.tied_pairs(items.x), items.tied_pairs(items.y)
    opposite = pairs - tied_x - tied_y + items.tied_pairs(items.x, items.y) - same
    total = pairs if variant == "a" else np.sqrt((pairs - tied_x) * (pairs - tied_y))
    return _share(same - opposite, total)


def ap_correlation_of(items: Items) -> Floats:
    """τ_ap of each query, with x the ranking that is judged and y the truth.

    Each item below the top is asked which share of those above it in x stand above it in y as well; the mean of these
    shares is stretched from 0 … 1 to −1 … 1. Items tied in x share the place of their first, those tied at the top are
    not asked, and a pair tied in y alone does not agree. nan where nothing is below the top.
    """
    query, x = items.query[items.order], items.x[items.order]
    is_head = np.ones(len(x), dtype=bool)
    is_head[1:] = (x[1:] != x[:-1]) | (query[1:] != query[:-1])
    head = np.flatnonzero(is_head)[np.cumsum(is_head) - 1]
    n_above = head - (np.cumsum(items.n) - items.n)[query]
    asked = n_above > 0
    shares = np.bincount(query[asked], items.n_agreeing_above[asked] / n_above[asked], minlength=items.n_queries)
    n_asked = np.bincount(query[asked], minlength=items.n_queries)
    return _share((2 * shares - n_asked).astype(np.float64), n_asked.astype(np.float64))


def n_smaller_before(query: Ints, value: Ints) -> Ints:
    """For each item: how many earlier ones of its query have a smaller value. Queries stand together.

    Items are sorted by their values bit by bit, highest first; where a bit sets two apart, the one with the 0 is smaller.
    That takes log(largest value) passes over all queries at once.
    """
    count = np.zeros(len(value), dtype=np.int64)
    order, block = np.arange(len(value)), query
    for bit in reversed(range(int(value.max(initial=0)).bit_length())):
        is_one = (value[order] >> bit) & 1
        is_head = np.ones(len(order), dtype=bool)
        is_head[1:] = block[1:] != block[:-1]
        head = np.flatnonzero(is_head)
        number = np.cumsum(is_head) - 1
        zeros = np.cumsum(1 - is_one)
        zeros_before = zeros - (1 - is_one) - (zeros[head] - (1 - is_one[head]))[number]
        count[order] += zeros_before * is_one
        n_zeros = np.add.reduceat(1 - is_one, head) if len(head) else head
        ones_before = np.arange(len(order)) - head[number] - zeros_before
        place = head[number] + np.where(is_one, n_zeros[number] + ones_before, zeros_before)
        moved = np.empty_like(order)
        moved[place] = order
        order = moved
        block_key = np.empty_like(order)
        block_key[place] = 2 * number + is_one
        block = block_key
    return count


def _share(part: Floats, whole: Floats) -> Floats:
    """The quotient, nan where there is no whole."""
    return np.where(whole > 0, ratio(part, whole), np.nan)
