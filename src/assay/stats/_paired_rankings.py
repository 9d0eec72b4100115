"""Two systems' rankings side by side, as flat arrays, query after query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise, repeat

import numpy as np

from assay.model import Floats, Ints, Run

BLOCK_ROWS = 250_000
"""Retrieved documents of one system that are worked on at once; the answer does not depend on it."""


@dataclass(frozen=True)
class Side:
    """One system's rankings: a row is a document at its rank, a group is a stretch of rows with equal scores."""

    length: Ints
    """Of each query: how many documents it got."""
    group: Ints
    """Of each row: the number of its group."""
    first: Ints
    """Of each group: the best rank in it."""
    size: Ints
    """Of each group: how many documents are in it."""

    @cached_property
    def start(self) -> Ints:
        """Of each query: its first row."""
        return np.cumsum(self.length) - self.length

    @cached_property
    def query(self) -> Ints:
        """Of each row: the number of its query."""
        return np.repeat(np.arange(len(self.length)), self.length)

    @cached_property
    def last(self) -> Ints:
        """Of each group: the worst rank in it."""
        return self.first + self.size - 1

    @property
    def place(self) -> Ints:
        """Of each row: the best rank of its group, which equals share."""
        return self.first[self.group]


@dataclass(frozen=True)
class PairedRankings:
    """What two systems retrieved for the same queries."""

    a: Side
    b: Side
    match: Ints
    """Of each row of a: the row of the same document in b, or −1."""

    @property
    def n_queries(self) -> int:
        """Queries that either system knows."""
        return len(self.a.length)

    @cached_property
    def rows_in_both(self) -> tuple[Ints, Ints]:
        """Rows in a and in b of the documents that both retrieved."""
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
    """Line the documents of two runs up. A query that a run does not have is an empty ranking."""
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
    """Find the stretches of equal scores."""
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
