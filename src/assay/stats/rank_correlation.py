"""Rank correlation: rank-biased overlap (RBO) of two rankings, and pairs in the same order (Kendall's τ).

All queries are processed at once. For overlap, a cell is one depth d of one query, from 1 to the length of the longer
ranking. A tied document is partly in the first d: the share of the orders of its group that put it there. For pairs, an item
is a document; x is its place in the ranking of a and y its place in the ranking of b, 1 being the best.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise, repeat

import numpy as np

from assay.arrays import Floats, Ints, ratio
from assay.model import Run


@dataclass(frozen=True)
class AtDepth:
    """Values of one ranking for each cell; only valid down to the end of the ranking."""

    squares: Floats
    """Sum of the squared shares with which documents are in the first d; d itself without ties."""
    alone: Floats
    """For documents missing from the other ranking that may be in the first d: the mean share with which they are."""


@dataclass(frozen=True)
class Overlap:
    """The overlap of two rankings at each depth."""

    pairs: PairedRankings

    @cached_property
    def shorter(self) -> Ints:
        """For each query: the length of the shorter ranking."""
        return np.minimum(self.pairs.a.length, self.pairs.b.length)

    @cached_property
    def longer(self) -> Ints:
        """For each query: the length of the longer ranking."""
        return np.maximum(self.pairs.a.length, self.pairs.b.length)

    @cached_property
    def start(self) -> Ints:
        """For each query: its first cell."""
        return np.cumsum(self.longer) - self.longer

    @cached_property
    def query(self) -> Ints:
        """For each cell: its query."""
        return np.repeat(np.arange(self.pairs.n_queries), self.longer)

    @cached_property
    def depth(self) -> Ints:
        """For each cell: its depth."""
        return np.arange(len(self.query)) - self.start[self.query] + 1

    @cached_property
    def common(self) -> Floats:
        """For each cell: how many documents the first d of both rankings share, averaged over the orders of ties."""
        a, b = self.pairs.a, self.pairs.b
        in_a, in_b = self.pairs.rows_in_both
        group_a, group_b = a.group[in_a], b.group[in_b]
        whole = np.maximum(a.last[group_a], b.last[group_b])  # from this depth, a document is certainly in both
        entered = np.cumsum(np.bincount(self.start[a.query[in_a]] + whole - 1, minlength=len(self.query)))
        before = np.concatenate(([0], entered))[self.start[self.query]]
        has_ties = len(a.size) < len(a.group) or len(b.size) < len(b.group)
        certain = (entered - before).astype(np.float64)
        return certain + self._partly_common(group_a, group_b) if has_ties else certain

    def _partly_common(self, group_a: Ints, group_b: Ints) -> Floats:
        """The part of tied documents. At each depth, at most one group of each ranking is open, that is, partly included."""
        a, b = self.pairs.a, self.pairs.b
        (open_a, share_a), (open_b, share_b) = self._open_groups(a), self._open_groups(b)
        most = len(self.query) + 1
        certain_in_b = n_found(group_a * most + b.last[group_b], open_a * most, open_a * most + self.depth)
        certain_in_a = n_found(group_b * most + a.last[group_a], open_b * most, open_b * most + self.depth)
        key = np.where((open_a < 0) | (open_b < 0), -1, open_a * most + open_b)
        open_in_both = n_found(group_a * most + group_b, key, key)
        return share_a * certain_in_b + share_b * certain_in_a + share_a * share_b * open_in_both

    def _open_groups(self, side: Side) -> tuple[Ints, Floats]:
        """For each cell: the group that is partly included, and the share of its documents; −1 and 0 if there is none."""
        if not len(side.group):
            return np.full(len(self.query), -1), np.zeros(len(self.query))
        group = side.group[np.clip(side.start[self.query] + self.depth - 1, 0, len(side.group) - 1)]
        is_open = (self.depth <= side.length[self.query]) & (self.depth < side.last[group])
        return np.where(is_open, group, -1), np.where(is_open, share_within(side, group, self.depth), 0.0)

    def at_depth(self, side: Side, alone: Ints) -> AtDepth:
        """Values of one ranking for each cell; `alone` marks its rows that are missing from the other ranking."""
        if not len(side.group):
            return AtDepth(np.zeros(len(self.query)), np.zeros(len(self.query)))
        start = side.start[self.query]
        row = np.minimum(self.depth, side.length[self.query]) - 1 + start
        group = side.group[np.clip(row, 0, len(side.group) - 1)]
        above, share = side.first[group] - 1, share_within(side, group, self.depth)
        total = np.concatenate(([0], np.cumsum(alone)))
        head, end = np.minimum((start + above, start + above + side.size[group]), len(alone))
        before, inside = total[head] - total[start], total[end] - total[head]
        mean = (before + inside * share) / np.maximum(before + inside, 1)
        return AtDepth(above + side.size[group] * share**2, mean)

    def at(self, k: int) -> Floats:
        """Share of the first k that is common. If both rankings are shorter, of the longer one. Two empty rankings agree."""
        depth = np.minimum(k, self.longer)
        common = np.concatenate((self.common, [0.0]))[np.where(depth > 0, self.start + depth - 1, len(self.common))]
        return np.where(depth > 0, common / np.maximum(depth, 1), 1.0)

    def rbo(self, p: float, ties: str) -> Floats:
        """RBO_ext of each query; 0 if one ranking is empty, 1 if both are."""
        sides = self.at_depth(self.pairs.a, self.pairs.only_in_a), self.at_depth(self.pairs.b, self.pairs.only_in_b)
        longer_is_a = (self.pairs.a.length >= self.pairs.b.length)[self.query]
        beyond = np.maximum(self.depth - self.shorter[self.query], 0)
        alone = np.where(longer_is_a, sides[0].alone, sides[1].alone)
        divisor = self.depth.astype(np.float64)
        if ties == "b":
            long = np.where(longer_is_a, sides[0].squares, sides[1].squares)
            short = np.where(longer_is_a, sides[1].squares, sides[0].squares)
            norms = np.sqrt(np.where(beyond > 0, self.depth, short)) * np.sqrt(long)
            divisor = np.where(self.shorter[self.query] > 0, norms, divisor)
        agreement = self.common / divisor
        last_of_both = np.maximum(self.start + self.shorter - 1, 0)
        settled = np.where(self.shorter > 0, np.concatenate((agreement, [0.0]))[last_of_both], 0.0)
        agreement += beyond * settled[self.query] * alone / divisor
        weight = (1 - p) / p * p ** self.depth.astype(np.float64)
        seen = np.bincount(self.query, agreement * weight, minlength=self.pairs.n_queries)
        overlap = np.concatenate((self.common, [0.0]))[np.maximum(self.start + self.longer - 1, 0)]
        unseen = (overlap + (self.longer - self.shorter) * settled) / np.maximum(self.longer, 1) * p**self.longer
        return np.where(self.shorter > 0, np.clip(seen + unseen, 0, 1), np.where(self.longer > 0, 0.0, 1.0))


def share_within(side: Side, group: Ints, depth: Ints) -> Floats:
    """Share of the orders of a group in which a given document is among the first `depth`."""
    return np.minimum((depth - side.first[group] + 1) / side.size[group], 1.0)


def n_found(keys: Ints, low: Ints, high: Ints) -> Ints:
    """How many keys are between low and high, both included; 0 if low is negative."""
    ordered = np.sort(keys)
    counts = np.searchsorted(ordered, high, "right") - np.searchsorted(ordered, low, "left")
    return np.where(low < 0, 0, counts)


@dataclass(frozen=True)
class Items:
    """Documents of several queries with their places in two rankings; equal places are ties."""

    n_queries: int
    query: Ints
    x: Ints
    y: Ints

    def swapped(self) -> Items:
        """The same with the two rankings swapped."""
        return Items(self.n_queries, self.query, self.y, self.x)

    @cached_property
    def n(self) -> Ints:
        """For each query: how many items it has."""
        return np.bincount(self.query, minlength=self.n_queries)

    @cached_property
    def order(self) -> Ints:
        """By query, then by x; ties in x by descending y, so that none of them is above another in both rankings."""
        return np.lexsort((-self.y, self.x, self.query))

    @cached_property
    def n_agreeing_above(self) -> Ints:
        """For each item, in that order: how many items are above it in both rankings."""
        return n_smaller_before(self.query[self.order], self.y[self.order])

    def tied_pairs(self, *places: Ints) -> Floats:
        """For each query: how many pairs of its items share all these places."""
        key = self.query.astype(np.int64)
        for place in places:
            key = key * (int(place.max(initial=0)) + 1) + place
        first, count = np.unique(key, return_index=True, return_counts=True)[1:]
        pairs: Floats = np.bincount(self.query[first], count * (count - 1) / 2, minlength=self.n_queries).astype(np.float64)
        return pairs


def items_of(pairs: PairedRankings, over: str) -> Items:
    """The documents that either system retrieved, or only those that both retrieved.

    Over the union, the documents that a system did not retrieve are tied below all that it did.
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
    """τ of each query: pairs in the same order minus pairs in opposite order, as a share of all pairs.

    τ-a divides by the number of all pairs; τ-b by the geometric mean of the numbers of pairs that are not tied in a and not
    tied in b. nan if that is 0.
    """
    n = items.n.astype(np.float64)
    pairs = n * (n - 1) / 2
    same = np.bincount(items.query[items.order], items.n_agreeing_above, minlength=items.n_queries)
    tied_x, tied_y = items.tied_pairs(items.x), items.tied_pairs(items.y)
    opposite = pairs - tied_x - tied_y + items.tied_pairs(items.x, items.y) - same
    total = pairs if variant == "a" else np.sqrt((pairs - tied_x) * (pairs - tied_y))
    return _share(same - opposite, total)


def ap_correlation_of(items: Items) -> Floats:
    """τ_ap of each query, with x as the estimate and y as the truth.

    For each item below the top: the share of the items above it in x that are also above it in y. The mean of these shares
    is scaled from 0 … 1 to −1 … 1. Items tied in x share the place of the first of them, items tied at the top are left
    out, and a pair tied only in y does not agree. nan if nothing is below the top.
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
    """For each item: how many earlier items of its query have a smaller value. Items are grouped by query.

    Items are sorted by their values bit by bit, highest bit first; if two differ in a bit, the one with 0 is smaller.
    This takes log(largest value) passes over all queries at once.
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
    """The quotient; nan if the whole is 0."""
    return np.where(whole > 0, ratio(part, whole), np.nan)


BLOCK_ROWS = 250_000
"""Retrieved documents of one system that are processed at once; the result does not depend on it."""


@dataclass(frozen=True)
class Side:
    """The rankings of one system: a row is a document at its rank, a group is a run of rows with equal scores."""

    length: Ints
    """For each query: how many documents it has."""
    group: Ints
    """For each row: the number of its group."""
    first: Ints
    """For each group: the best rank in it."""
    size: Ints
    """For each group: how many documents are in it."""

    @cached_property
    def start(self) -> Ints:
        """For each query: its first row."""
        return np.cumsum(self.length) - self.length

    @cached_property
    def query(self) -> Ints:
        """For each row: the number of its query."""
        return np.repeat(np.arange(len(self.length)), self.length)

    @cached_property
    def last(self) -> Ints:
        """For each group: the worst rank in it."""
        return self.first + self.size - 1

    @property
    def place(self) -> Ints:
        """For each row: the best rank of its group, which all documents of the group share."""
        return self.first[self.group]


@dataclass(frozen=True)
class PairedRankings:
    """The rankings of two systems for the same queries."""

    a: Side
    b: Side
    match: Ints
    """For each row of a: the row of the same document in b, or −1."""

    @property
    def n_queries(self) -> int:
        """Number of queries that at least one system has."""
        return len(self.a.length)

    @cached_property
    def rows_in_both(self) -> tuple[Ints, Ints]:
        """The rows in a and in b of the documents that both retrieved."""
        in_a = np.flatnonzero(self.match >= 0)
        return in_a, self.match[in_a]

    @cached_property
    def only_in_a(self) -> Ints:
        """1 for each row of a that b does not have."""
        return (self.match < 0).astype(np.int64)

    @cached_property
    def only_in_b(self) -> Ints:
        """1 for each row of b that a does not have."""
        alone = np.ones(len(self.b.group), dtype=np.int64)
        alone[self.rows_in_both[1]] = 0
        return alone


def all_queries(a: Run, b: Run) -> tuple[str, ...]:
    """The queries of a, then those that only b has."""
    return tuple(dict.fromkeys((*a.query_ids, *b.query_ids)))


def paired_rankings(a: Run, b: Run, queries: Sequence[str]) -> PairedRankings:
    """Match the documents of two runs. A query that is missing from a run has an empty ranking."""
    docs_a, docs_b = _documents(a, queries), _documents(b, queries)
    side_a, side_b = _side(a, queries, docs_a), _side(b, queries, docs_b)
    rows = (
        map(dict(zip(theirs, range(start, start + len(theirs)), strict=True)).get, ours, repeat(-1))
        for ours, theirs, start in zip(docs_a, docs_b, side_b.start.tolist(), strict=True)
    )
    return PairedRankings(side_a, side_b, np.fromiter(chain.from_iterable(rows), np.int64, len(side_a.group)))


def blocks_of(a: Run, b: Run, queries: Sequence[str]) -> Iterator[PairedRankings]:
    """The same in blocks of queries, so that memory stays small."""
    lengths = _lengths(a, queries) + _lengths(b, queries)
    block = np.cumsum(lengths) // (2 * BLOCK_ROWS)
    edges = [0, *(np.flatnonzero(np.diff(block)) + 1).tolist(), len(queries)]
    for low, high in pairwise(edges):
        yield paired_rankings(a, b, queries[low:high])


def _lengths(run: Run, queries: Sequence[str]) -> Ints:
    sizes = dict(zip(run.query_ids, run.n_retrieved.tolist(), strict=True))
    return np.fromiter(map(sizes.get, queries, repeat(0)), np.int64, len(queries))


def _documents(run: Run, queries: Sequence[str]) -> list[list[str]]:
    return [run.ranked(run.numbers[query]) if query in run.numbers else [] for query in queries]


def _side(run: Run, queries: Sequence[str], docs: list[list[str]]) -> Side:
    """The rankings of one run, with groups of equal scores."""
    length = np.fromiter(map(len, docs), np.int64, len(docs))
    order = run.order
    stretches: list[Floats] = [
        np.asarray(order.negated[order.start[place] : order.end[place]], dtype=np.float64)
        for query in queries
        if (place := run.numbers.get(query)) is not None
    ]
    negated = np.concatenate([*stretches, np.zeros(0)])
    start = np.cumsum(length) - length
    is_first = np.ones(len(negated), dtype=bool)
    is_first[1:] = negated[1:] != negated[:-1]
    is_first[start[length > 0]] = True
    head = np.flatnonzero(is_first)
    group = np.cumsum(is_first) - 1
    query = np.repeat(np.arange(len(length)), length)
    return Side(length, group, head - start[query[head]] + 1, np.diff([*head.tolist(), len(negated)]))
