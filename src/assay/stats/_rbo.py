"""Overlap of two rankings, depth by depth, and rank-biased overlap (RBO).

All queries are worked on at once. A cell is one depth of one query, from 1 to the length of the longer ranking.
A document that is tied is partly in the first d: to the share of orders of its group that put it there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.model import Floats, Ints
from assay.stats._paired_rankings import PairedRankings, Side


@dataclass(frozen=True)
class AtDepth:
    """One ranking seen from each cell; only right where the ranking is that deep."""

    squares: Floats
    """Sum of squares of the shares to which documents are in the first d: d itself where nothing is tied."""
    alone: Floats
    """Mean share to which documents that the other ranking lacks are in the first d, of those that are at all."""


@dataclass(frozen=True)
class Overlap:
    """How much two rankings have in common at each depth."""

    pairs: PairedRankings

    @cached_property
    def shorter(self) -> Ints:
        """Of each query: the length of the shorter ranking."""
        return np.minimum(self.pairs.a.length, self.pairs.b.length)

    @cached_property
    def longer(self) -> Ints:
        """Of each query: the length of the longer ranking."""
        return np.maximum(self.pairs.a.length, self.pairs.b.length)

    @cached_property
    def start(self) -> Ints:
        """Of each query: its first cell."""
        return np.cumsum(self.longer) - self.longer

    @cached_property
    def query(self) -> Ints:
        """Of each cell: its query."""
        return np.repeat(np.arange(self.pairs.n_queries), self.longer)

    @cached_property
    def depth(self) -> Ints:
        """Of each cell: how many ranks are looked at."""
        return np.arange(len(self.query)) - self.start[self.query] + 1

    @cached_property
    def common(self) -> Floats:
        """Of each cell: how many documents the first d of both rankings share, on average over the orders of ties."""
        a, b = self.pairs.a, self.pairs.b
        in_a, in_b = self.pairs.rows_in_both
        group_a, group_b = a.group[in_a], b.group[in_b]
        whole = np.maximum(a.last[group_a], b.last[group_b])  # from this depth on, a document is in both for certain
        entered = np.cumsum(np.bincount(self.start[a.query[in_a]] + whole - 1, minlength=len(self.query)))
        before = np.concatenate(([0], entered))[self.start[self.query]]
        has_ties = len(a.size) < len(a.group) or len(b.size) < len(b.group)
        certain = (entered - before).astype(np.float64)
        return certain + self._partly_common(group_a, group_b) if has_ties else certain

    def _partly_common(self, group_a: Ints, group_b: Ints) -> Floats:
        """What tied documents add. At each depth at most one group of each ranking is open, that is, partly in."""
        a, b = self.pairs.a, self.pairs.b
        (open_a, share_a), (open_b, share_b) = self._open_groups(a), self._open_groups(b)
        most = len(self.query) + 1
        certain_in_b = n_found(group_a * most + b.last[group_b], open_a * most, open_a * most + self.depth)
        certain_in_a = n_found(group_b * most + a.last[group_a], open_b * most, open_b * most + self.depth)
        key = np.where((open_a < 0) | (open_b < 0), -1, open_a * most + open_b)
        open_in_both = n_found(group_a * most + group_b, key, key)
        return share_a * certain_in_b + share_b * certain_in_a + share_a * share_b * open_in_both

    def _open_groups(self, side: Side) -> tuple[Ints, Floats]:
        """Of each cell: the group that is partly in, with the share to which its documents are; −1 and 0 where none is."""
        if not len(side.group):
            return np.full(len(self.query), -1), np.zeros(len(self.query))
        group = side.group[np.clip(side.start[self.query] + self.depth - 1, 0, len(side.group) - 1)]
        is_open = (self.depth <= side.length[self.query]) & (self.depth < side.last[group])
        return np.where(is_open, group, -1), np.where(is_open, share_within(side, group, self.depth), 0.0)

    def at_depth(self, side: Side, alone: Ints) -> AtDepth:
        """One ranking seen from each cell; `alone` marks its rows that the other ranking lacks."""
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
        """Share of the first k that is common; of what there is, where both rankings are shorter. Two empty ones agree."""
        depth = np.minimum(k, self.longer)
        common = np.concatenate((self.common, [0.0]))[np.where(depth > 0, self.start + depth - 1, len(self.common))]
        return np.where(depth > 0, common / np.maximum(depth, 1), 1.0)

    def rbo(self, p: float, ties: str) -> Floats:
        """RBO_ext of each query. One empty ranking gives 0, two give 1."""
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
    """Share of the orders of a group in which one of its documents is among the first `depth`."""
    return np.minimum((depth - side.first[group] + 1) / side.size[group], 1.0)


def n_found(keys: Ints, low: Ints, high: Ints) -> Ints:
    """How many keys lie between low and high, both included; none where low is negative."""
    ordered = np.sort(keys)
    found = np.searchsorted(ordered, high, "right") - np.searchsorted(ordered, low, "left")
    return np.where(low < 0, 0, found)
