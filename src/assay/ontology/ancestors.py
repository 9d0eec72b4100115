"""Ancestors: every term with all its ancestors and their distances, as one flat table; and common ancestors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from assay.arrays import Floats, Ints

NONE = -1
"""No common ancestor."""
MAX_ROWS = 2_000_000
"""The most rows of pair and ancestor that are processed at once."""


@dataclass(frozen=True, eq=False)
class Ancestors:
    """Rows of term, ancestor and distance, sorted by term and then by ancestor. A term is its own ancestor at distance 0."""

    start: Ints
    """The start of the rows of each term, and the end of the last ones."""
    ancestor: Ints
    distance: Ints
    """Steps on the shortest path up."""

    @property
    def n_terms(self) -> int:
        """The number of terms."""
        return len(self.start) - 1

    @cached_property
    def n_above(self) -> Ints:
        """The number of ancestors of each term, including itself."""
        return np.diff(self.start)

    @cached_property
    def n_below(self) -> Ints:
        """The number of descendants of each term, including itself."""
        return np.bincount(self.ancestor, minlength=self.n_terms)

    @cached_property
    def term(self) -> Ints:
        """The term of each row."""
        return np.repeat(np.arange(self.n_terms), self.n_above)

    @cached_property
    def _keys(self) -> Ints:
        """Term and ancestor of each row as one number, ascending."""
        return self.term * self.n_terms + self.ancestor

    @cached_property
    def _by_ancestor(self) -> tuple[Ints, Ints]:
        """The rows sorted by ancestor, and the start of the rows of each ancestor."""
        order = np.argsort(self.ancestor, kind="stable")
        return order, np.concatenate([[0], np.cumsum(self.n_below)])

    def common(self, a: Ints, b: Ints) -> Iterator[CommonAncestors]:
        """The common ancestors of each pair of terms, in blocks of pairs."""
        ends = np.cumsum(self.n_above[a])
        first = 0
        while first < len(a):
            done = int(ends[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(ends, done + MAX_ROWS, side="right")))
            yield self._common(a[first:last], b[first:last])
            first = last

    def _common(self, a: Ints, b: Ints) -> CommonAncestors:
        rows, pair = expand_ranges(self.start[a], self.n_above[a])
        keys = b[pair] * self.n_terms + self.ancestor[rows]
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        is_shared = self._keys[place] == keys
        rows, place, pair = rows[is_shared], place[is_shared], pair[is_shared]
        return CommonAncestors(a, b, pair, self.ancestor[rows], self.distance[rows] + self.distance[place])

    def common_with_all(self, number: int) -> CommonAncestors:
        """The common ancestors of a term and each term of the ontology, including itself."""
        own = np.arange(self.start[number], self.start[number + 1])
        above = self.ancestor[own]
        order, start = self._by_ancestor
        places, which = expand_ranges(start[above], self.n_below[above])
        rows = order[places]
        everything = np.arange(self.n_terms)
        path = self.distance[rows] + self.distance[own][which]
        return CommonAncestors(np.full(self.n_terms, number), everything, self.term[rows], above[which], path)


@dataclass(frozen=True, eq=False)
class CommonAncestors:
    """Pairs of terms, and a row for each common ancestor of a pair."""

    a: Ints
    b: Ints
    pair: Ints
    ancestor: Ints
    path: Ints
    """Steps from the first term up to this ancestor and down to the second."""

    @cached_property
    def lowest(self) -> Ints:
        """The deepest common ancestor of each pair; -1 if there is none. Terms are numbered by depth: it is the last one."""
        lowest = np.full(len(self.a), NONE, dtype=np.int64)
        np.maximum.at(lowest, self.pair, self.ancestor)
        return lowest

    @cached_property
    def shortest(self) -> Ints:
        """Steps on the shortest path between the terms through a common ancestor; 0 if there is none."""
        longest = np.iinfo(np.int64).max
        shortest = np.full(len(self.a), longest, dtype=np.int64)
        np.minimum.at(shortest, self.pair, self.path)
        shortest[shortest == longest] = 0
        return shortest

    @cached_property
    def n_shared(self) -> Ints:
        """The number of common ancestors of each pair."""
        return np.bincount(self.pair, minlength=len(self.a))

    def greatest(self, values: Floats) -> Floats:
        """The greatest value of a common ancestor of each pair; 0 if there is none."""
        greatest = np.zeros(len(self.a))
        np.maximum.at(greatest, self.pair, values[self.ancestor])
        return greatest


def expand_ranges(start: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    """The positions of several ranges of a flat array, one after the other, and the range of each position."""
    which = np.repeat(np.arange(len(lengths)), lengths)
    offset = np.arange(len(which)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return start[which] + offset, which


def ancestors_of(parent_start: Ints, parents: Ints, depth: Ints) -> Ancestors:
    """The table, built depth by depth: the ancestors of a term are the ancestors of its parents, and itself.

    Terms are numbered by depth, so all parents are done before their children.
    """
    bounds = np.searchsorted(depth, np.arange(int(depth.max()) + 2)).tolist()
    n_roots = bounds[1]
    start = np.concatenate([np.arange(n_roots + 1), np.zeros(len(depth) - n_roots, dtype=np.int64)])
    table = np.array([np.arange(n_roots), np.zeros(n_roots, dtype=np.int64)])
    for first, last in pairwise(bounds[1:]):
        above = parents[parent_start[first] : parent_start[last]]
        child = np.repeat(np.arange(first, last), np.diff(parent_start[first : last + 1]))
        rows, link = expand_ranges(start[above], start[above + 1] - start[above])
        term, up, steps = _nearest(
            np.concatenate([child[link], np.arange(first, last)]),
            np.concatenate([table[0][rows], np.arange(first, last)]),
            np.concatenate([table[1][rows] + 1, np.zeros(last - first, dtype=np.int64)]),
        )
        start[first + 1 : last + 1] = start[first] + np.cumsum(np.bincount(term - first, minlength=last - first))
        table = _append_rows(table, int(start[first]), up, steps)
    return Ancestors(start, *table[:, : start[-1]])


def _append_rows(table: Ints, n_rows: int, ancestor: Ints, distance: Ints) -> Ints:
    """The table with rows added after the first n_rows. Its size is doubled when it is full, so rows are rarely copied."""
    end = n_rows + len(ancestor)
    if end > table.shape[1]:
        table = np.concatenate([table[:, :n_rows], np.empty((2, 2 * end - n_rows), dtype=np.int64)], axis=1)
    table[:, n_rows:end] = ancestor, distance
    return table


def _nearest(term: Ints, ancestor: Ints, steps: Ints) -> tuple[Ints, Ints, Ints]:
    """Each term and ancestor once, with the fewest steps, sorted by term and then by ancestor."""
    order = np.lexsort((steps, ancestor, term))
    term, ancestor, steps = term[order], ancestor[order], steps[order]
    is_new = np.ones(len(term), dtype=bool)
    is_new[1:] = (term[1:] != term[:-1]) | (ancestor[1:] != ancestor[:-1])
    return term[is_new], ancestor[is_new], steps[is_new]
