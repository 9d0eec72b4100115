"""Quicksort: reproduces the order of equal scores in ranx, whose sort is unstable, for many rankings at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Ints, spread

BLOCK = 2**15
"""Values that are partitioned at once. More would not be faster, because they would not fit in the processor's cache."""


class Stretches(NamedTuple):
    """Stretches [start, end) that are still to be sorted."""

    start: Ints
    end: Ints

    def where(self, keep: NDArray[np.bool_] | slice) -> Stretches:
        """Only the stretches that the mask selects."""
        return Stretches(self.start[keep], self.end[keep])

    def blocks(self) -> Iterator[Stretches]:
        """The stretches in blocks of about BLOCK values."""
        block = np.cumsum(self.end - self.start) // BLOCK
        begin = np.flatnonzero(np.diff(block, prepend=-1)).tolist()
        for first, last in pairwise([*begin, len(block)]):
            yield self.where(slice(first, last))


def ranx_orders(
    negated: Callable[[Ints], NDArray[np.floating]], rankings: Stretches, number: Ints, better: Ints, equal: Ints
) -> dict[int, Ints]:
    """For each ranking with ties, by number: the input index of the document at each rank in ranx.

    `number`, `better` and `equal` say for each tie the number of its ranking, how many documents score higher, and how many
    score the same. The ranks of other documents may be wrong. `negated` returns negated scores by their indices.
    """
    chosen, at = np.unique(number, return_inverse=True)
    start, length = rankings.start[chosen], (rankings.end - rankings.start)[chosen]
    owner, nth = spread(length)
    end = np.cumsum(length)
    first = (end - length)[at] + better
    order = quicksort_orders(negated(start[owner] + nth), end - length, end, Stretches(first, first + equal))
    return dict(zip(chosen.tolist(), np.split(order - (end - length)[owner], end[:-1]), strict=True))


def quicksort_orders(values: NDArray[np.floating], start: Ints, end: Ints, required: Stretches) -> Ints:
    """The original index of each value when each stretch [start, end) is sorted as `quicksort_order` sorts it.

    The result is exact for the places in `required`, counted over all values; other places may be out of order.
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
    """Partition each stretch around its pivot; returns the stretches that remain to be sorted.

    The first values from the left that are not smaller swap places with the first from the right that are not larger, pair
    by pair, until the two sides meet. If n values are not larger, the sides meet at place n at the latest, so only values
    before it can have moved. The same holds from the right.
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
    """Places in several stretches, in order; for each stretch, where its places begin and end, and how many it has."""

    place: Ints
    first: Ints
    last: Ints
    size: Ints

    @classmethod
    def of(cls, place: Ints, keep: NDArray[np.bool_], begin: Ints) -> _Places:
        """The places that the mask selects; `begin` says where each stretch starts."""
        size = np.add.reduceat(keep, begin, dtype=np.int64)
        end = np.cumsum(size)
        return cls(place[keep], end - size, end - 1, size)

    def after(self, n: Ints, otherwise: Ints) -> Ints:
        """The place after the first n places of each stretch."""
        return self._at(self.first + n, n < self.size, otherwise)

    def last_of(self, n: Ints, otherwise: Ints) -> Ints:
        """The last of the first n places of each stretch, counted from its end."""
        return self._at(self.last - n + 1, n > 0, otherwise)

    def _at(self, number: Ints, exists: NDArray[np.bool_], otherwise: Ints) -> Ints:
        result = otherwise.copy()
        result[exists] = self.place[number[exists]]
        return result


def _chosen(values: NDArray[np.floating], order: Ints, low: Ints, high: Ints) -> NDArray[np.floating]:
    """The pivots: the median of the first, middle and last value of each stretch, which moves to the end."""
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
    """Sort short stretches; equal values keep their order."""
    low = stretches.start[:, None]
    cells = low + np.arange(SHORT)
    is_inside = cells < stretches.end[:, None]
    cells = np.where(is_inside, cells, low)
    rows = np.argsort(np.where(is_inside, values[cells], np.inf), axis=1, kind="stable")
    sorted_cells = np.take_along_axis(cells, rows, axis=1)
    order[cells[is_inside]] = order[sorted_cells][is_inside]


SHORT = 15
"""Stretches up to this length are sorted by insertion, which keeps equal values in their order."""


def quicksort_order(values: Sequence[float]) -> list[int]:
    """Indices of the values in ascending order, as Numba's argsort returns them: its pivots decide the order of equals."""
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
    """Move smaller values to the left and larger values to the right of a pivot, and return the place of the pivot."""
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
