"""Quicksort: the order that an unstable sort gives equal scores in ranx, reproduced for many rankings at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Ints, spread

BLOCK = 2**15
"""Values that are parted at once: more would not be quicker, as they do not stay at hand."""


class Stretches(NamedTuple):
    """Stretches [start, end) that are still to be sorted."""

    start: Ints
    end: Ints

    def where(self, keep: NDArray[np.bool_] | slice) -> Stretches:
        """Only those the mask keeps."""
        return Stretches(self.start[keep], self.end[keep])

    def blocks(self) -> Iterator[Stretches]:
        """A few at a time; none where there are none."""
        block = np.cumsum(self.end - self.start) // BLOCK
        begin = np.flatnonzero(np.diff(block, prepend=-1)).tolist()
        for first, last in pairwise([*begin, len(block)]):
            yield self.where(slice(first, last))


def ranx_orders(
    negated: Callable[[Ints], NDArray[np.floating]], rankings: Stretches, number: Ints, better: Ints, equal: Ints
) -> dict[int, Ints]:
    """For rankings with ties, by number: which of its documents, as they were given, stands at each place in ranx.

    For each tie the number of its ranking, and how many documents score higher or the same. The places of other documents
    may be wrong. Negated scores are asked for by their places.
    """
    chosen, at = np.unique(number, return_inverse=True)
    start, length = rankings.start[chosen], (rankings.end - rankings.start)[chosen]
    owner, nth = spread(length)
    end = np.cumsum(length)
    first = (end - length)[at] + better
    order = quicksort_orders(negated(start[owner] + nth), end - length, end, Stretches(first, first + equal))
    return dict(zip(chosen.tolist(), np.split(order - (end - length)[owner], end[:-1]), strict=True))


def quicksort_orders(values: NDArray[np.floating], start: Ints, end: Ints, required: Stretches) -> Ints:
    """Which place each value of the stretches [start, end) comes from, sorted as `quicksort_order` sorts each of them.

    That is certain for the places `required`, counted in all values; others need not be in order.
    """
    values, order = values.copy(), np.arange(len(values))
    opened, closed = (np.bincount(bound, minlength=len(values) + 1) for bound in required)
    n_required = np.concatenate(([0], np.cumsum(np.cumsum(opened - closed) > 0)))
    pending, short = [Stretches(start, end)], []
    while pending:
        left = _joined(pending)
        left = left.where(n_required[left.end] > n_required[left.start])
        is_short = left.end - left.start <= SHORT
        short.append(left.where(is_short))
        pending = [_parted(values, order, block) for block in left.where(~is_short).blocks()]
    _insert(values, order, _joined(short))
    return order


def _joined(several: Sequence[Stretches]) -> Stretches:
    return Stretches(*map(np.concatenate, zip(*several, strict=True)))


def _parted(values: NDArray[np.floating], order: Ints, stretches: Stretches) -> Stretches:
    """Each stretch parted around its pivot: what is left to be sorted.

    From the left the first values that are not smaller, from the right the first that are not larger, change places pair
    by pair until they meet. If n values are not larger, they meet at place n at the latest, so that only those before it
    can have moved; likewise from the right.
    """
    low, high = stretches.start, stretches.end - 1
    pivot = _chosen(values, order, low, high)
    length = high - low
    begin = np.cumsum(length) - length
    place = np.arange(int(length.sum())) + np.repeat(low - begin, length)
    value, middle = values[place], np.repeat(pivot, length)
    is_left, is_right = ~(value < middle), ~(middle < value)
    left_end = low + np.add.reduceat(is_right, begin, dtype=np.int64)
    right_start = high - np.add.reduceat(is_left, begin, dtype=np.int64)
    is_left &= place <= np.repeat(left_end, length)
    is_right &= place >= np.repeat(right_start, length)
    lefts, rights = (_Places.of(place, is_misplaced, begin) for is_misplaced in (is_left, is_right))
    pair, turn = spread(np.minimum(lefts.size, rights.size))
    left, right = lefts.place[lefts.first[pair] + turn], rights.place[rights.last[pair] - turn]
    apart = left < right
    _swap(values, order, left[apart], right[apart])
    n_swaps = np.bincount(pair[apart], minlength=len(low))
    met = np.minimum(lefts.after(n_swaps, high), rights.last_of(n_swaps, high))
    _swap(values, order, met, high)
    return Stretches(np.concatenate((low, met + 1)), np.concatenate((met, high + 1)))


class _Places(NamedTuple):
    """Some places of several stretches, in order; where those of each stretch begin and end, and how many it has."""

    place: Ints
    first: Ints
    last: Ints
    size: Ints

    @classmethod
    def of(cls, place: Ints, keep: NDArray[np.bool_], begin: Ints) -> _Places:
        """The places that the mask keeps; those of each stretch begin there."""
        size = np.add.reduceat(keep, begin, dtype=np.int64)
        end = np.cumsum(size)
        return cls(place[keep], end - size, end - 1, size)

    def after(self, n: Ints, otherwise: Ints) -> Ints:
        """The place behind the first n of each stretch."""
        return self._at(self.first + n, n < self.size, otherwise)

    def last_of(self, n: Ints, otherwise: Ints) -> Ints:
        """The last of the first n places of each stretch, counted from its end."""
        return self._at(self.last - n + 1, n > 0, otherwise)

    def _at(self, number: Ints, exists: NDArray[np.bool_], otherwise: Ints) -> Ints:
        result = otherwise.copy()
        result[exists] = self.place[number[exists]]
        return result


def _chosen(values: NDArray[np.floating], order: Ints, low: Ints, high: Ints) -> NDArray[np.floating]:
    """The pivots: of first, middle and last the one in between; it is put last."""
    middle = (low + high) >> 1
    for left, right in ((low, middle), (middle, high), (low, middle)):
        is_wrong = values[right] < values[left]
        _swap(values, order, left[is_wrong], right[is_wrong])
    pivot: NDArray[np.floating] = values[middle]
    _swap(values, order, middle, high)
    return pivot


def _swap(values: NDArray[np.floating], order: Ints, left: Ints, right: Ints) -> None:
    for column in (values, order):
        column[left], column[right] = column[right], column[left]


def _insert(values: NDArray[np.floating], order: Ints, stretches: Stretches) -> None:
    """Sort short stretches; equals stay as they are."""
    low = stretches.start[:, None]
    cells = low + np.arange(SHORT)
    is_inside = cells < stretches.end[:, None]
    cells = np.where(is_inside, cells, low)
    rows = np.argsort(np.where(is_inside, values[cells], np.inf), axis=1, kind="stable")
    sorted_cells = np.take_along_axis(cells, rows, axis=1)
    order[cells[is_inside]] = order[sorted_cells][is_inside]


SHORT = 15
"""Stretches up to this length are sorted by insertion, which keeps equals in the order given."""


def quicksort_order(values: Sequence[float]) -> list[int]:
    """Places of the values in ascending order, as Numba's argsort gives them: its choice of pivot decides about equals."""
    order = list(range(len(values)))
    stretches = [(0, len(order))]
    while stretches:
        low, end = stretches.pop()
        if end - low <= SHORT:
            order[low:end] = sorted(order[low:end], key=values.__getitem__)
        else:
            middle = _partition(values, order, low, end - 1)
            stretches += [(low, middle), (middle + 1, end)]
    return order


def _partition(values: Sequence[float], order: list[int], low: int, high: int) -> int:
    """Smaller values to the left, larger ones to the right of a pivot; its place is returned."""
    middle = (low + high) >> 1
    for left, right in ((low, middle), (middle, high), (low, middle)):
        if values[order[right]] < values[order[left]]:
            order[left], order[right] = order[right], order[left]
    pivot = values[order[middle]]
    order[high], order[middle] = order[middle], order[high]
    left, right = low, high - 1
    while True:
        while left < high and values[order[left]] < pivot:
            left += 1
        while right >= low and pivot < values[order[right]]:
            right -= 1
        if left >= right:
            break
        order[left], order[right] = order[right], order[left]
        left, right = left + 1, right - 1
    order[left], order[high] = order[high], order[left]
    return left
