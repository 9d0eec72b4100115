"""Arrays: flat arrays over the rankings of many queries, with ranks, sorts, running sums and ratios.

A rank is one more than the number of better scores. So only *scores* are sorted. The few judged documents are then looked
up among them, and document ids matter only if a judged document is tied.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
T = TypeVar("T", bound=np.generic)

BLOCK_CELLS = 4_000_000
"""Cells of the padded matrix in which rows of different lengths are processed together."""


@dataclass(frozen=True, slots=True)
class ScoreOrder:
    """Negated scores, in ascending order in the stretch [start, end) of each query."""

    negated: NDArray[np.floating]
    start: Ints
    end: Ints
    was_sorted: NDArray[np.bool_]
    """Which stretches were sorted from the start, so that a position in them is also a position in the input."""

    @classmethod
    def of(cls, negated: NDArray[np.floating], start: Ints, end: Ints) -> ScoreOrder:
        """Sort the stretches that are not sorted yet, in place."""
        unordered = unordered_stretches(negated, start, end)
        was_sorted = np.ones(len(start), dtype=bool)
        if len(unordered):
            was_sorted[unordered] = False
            sort_stretches(negated, start[unordered], end[unordered])
        return cls(negated, start, end, was_sorted)

    def in_float32(self) -> ScoreOrder:
        """The same order with scores in single precision, in which close scores become equal."""
        with np.errstate(over="ignore"):
            return ScoreOrder(self.negated.astype(np.float32), self.start, self.end, self.was_sorted)

    def locate(self, query: Ints, score: NDArray[np.floating]) -> tuple[Ints, Ints]:
        """How many documents of the query have a higher score than `score`, and how many have exactly that score."""
        key = -score
        if len(self.start) == 1:
            return self._locate_in_one(key)
        first = self.first_at_least(query, key, strictly=False)
        tied = np.ones(len(key), dtype=np.int64)
        following = first + 1
        inside = following < self.end[query]
        has_twin = inside.copy()
        has_twin[inside] = self.negated[following[inside]] == key[inside]
        if has_twin.any():
            past = self.first_at_least(query[has_twin], key[has_twin], strictly=True)
            tied[has_twin] = past - first[has_twin]
        return first - self.start[query], tied

    def _locate_in_one(self, key: NDArray[np.floating]) -> tuple[Ints, Ints]:
        """The same if there is only one query: NumPy's own search is faster then."""
        stretch = self.negated[self.start[0] : self.end[0]]
        better = np.searchsorted(stretch, key, "left")
        return better, np.searchsorted(stretch, key, "right") - better

    def first_at_least(self, query: Ints, key: NDArray[np.floating], *, strictly: bool) -> Ints:
        """Binary search in all stretches at once: the first position whose value is ≥ key (> key if strictly)."""
        low, high = self.start[query], self.end[query]
        longest = int((high - low).max(initial=0))
        top = max(len(self.negated) - 1, 0)
        for _ in range(longest.bit_length()):
            middle = (low + high) >> 1
            value = self.negated[np.minimum(middle, top)]
            below = value <= key if strictly else value < key
            below &= low < high
            low = np.where(below, middle + 1, low)
            high = np.where(below, high, middle)
        return low


def unordered_stretches(values: NDArray[np.floating], start: Ints, end: Ints) -> Ints:
    """Numbers of the stretches that are not in ascending order."""
    descents = np.flatnonzero(values[1:] < values[:-1]) + 1
    if not len(descents):
        return descents
    is_first = np.zeros(len(values) + 1, dtype=bool)
    is_first[start] = True
    descents = descents[~is_first[descents]]
    order = np.argsort(start, kind="stable")
    at = order[np.searchsorted(start[order], descents, side="right") - 1]
    numbers = np.sort(at[descents < end[at]])
    return numbers[np.append(True, numbers[1:] != numbers[:-1])] if len(numbers) else numbers


def sort_stretches(values: NDArray[Any], start: Ints, end: Ints) -> None:
    """Sort each stretch of `values` in place, many at once as rows of a padded matrix."""
    lengths = end - start
    if len(start) > 1 and (lengths == lengths[0]).all() and (start[1:] == end[:-1]).all():
        values[start[0] : end[-1]].reshape(len(start), lengths[0]).sort(axis=1)
        return
    padding = np.inf if values.dtype.kind == "f" else np.iinfo(values.dtype).max
    for places, filled in _padded(start, lengths):
        matrix = np.full(filled.shape, padding, dtype=values.dtype)
        matrix[filled] = values[places]
        matrix.sort(axis=1)
        values[places] = matrix[filled]


def running_sums(values: Floats, query: Ints, n_queries: int) -> Floats:
    """Cumulative sum within each query, for values given query by query in rank order.

    Each query is summed on its own, so its result does not depend on the queries before it.
    """
    return _accumulate(np.add, values, query, n_queries)


def running_products(values: Floats, query: Ints, n_queries: int) -> Floats:
    """Cumulative product within each query."""
    return _accumulate(np.multiply, values, query, n_queries)


def best_to_come(values: Floats, query: Ints, n_queries: int) -> Floats:
    """For each value, none of them negative: the largest value of its query from its position to the end."""
    return _accumulate(np.maximum, values[::-1], (n_queries - 1 - query)[::-1], n_queries)[::-1]


def _accumulate(operation: np.ufunc, values: Floats, query: Ints, n_queries: int) -> Floats:
    lengths = np.bincount(query, minlength=n_queries)
    result = np.empty(len(values))
    for places, filled in _padded(np.cumsum(lengths) - lengths, lengths):
        matrix = np.zeros(filled.shape)
        matrix[filled] = values[places]
        result[places] = operation.accumulate(matrix, axis=1)[filled]
    return result


def _padded(start: Ints, lengths: Ints) -> Iterator[tuple[Ints, NDArray[np.bool_]]]:
    """Stretches as rows of a matrix, block by block: the positions of their values, and the cells that these fill."""
    for block in blocks_of_similar_length(lengths):
        columns = np.arange(int(lengths[block].max()))
        filled = columns < lengths[block, None]
        yield (start[block, None] + columns)[filled], filled


def spread(counts: Ints) -> tuple[Ints, Ints]:
    """The numbers 0, 1, …, each repeated as often as its count says; and the position of each repetition, from 0."""
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) - (np.cumsum(counts) - counts)[owner]


def blocks_of_similar_length(lengths: Ints) -> list[Ints]:
    """Split rows into blocks whose padded matrices stay small; rows of similar length share a block."""
    order = np.argsort(lengths, kind="stable")
    order = order[lengths[order] > 0]
    blocks = []
    while len(order):
        size = max(1, BLOCK_CELLS // int(lengths[order[-1]]))
        blocks.append(order[-size:])
        order = order[:-size]
    return blocks


def sort_order(negated: NDArray[np.floating], *, is_reversed: bool) -> Ints:
    """Positions of the documents of one ranking, best first; ties in the given order, or in reverse order."""
    if is_reversed:
        return len(negated) - 1 - np.argsort(negated[::-1], kind="stable")
    return np.argsort(negated, kind="stable")


def distinct(values: NDArray[T]) -> NDArray[T]:
    """The different values, lowest first. The first call of `np.unique` imports NumPy's masked arrays, which takes long."""
    ordered = np.sort(values)
    is_first = np.ones(len(ordered), dtype=bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_first]


def ratio(numerator: NDArray[np.generic], denominator: NDArray[np.generic] | float) -> Floats:
    """Elementwise quotient; 0 if the denominator is 0."""
    top, bottom = np.asarray(numerator, dtype=float), np.asarray(denominator, dtype=float)
    if np.count_nonzero(bottom) == bottom.size:
        return top / bottom
    return np.divide(top, bottom, out=np.zeros(np.broadcast_shapes(top.shape, bottom.shape)), where=bottom != 0)
