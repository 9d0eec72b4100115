"""Packing: stretches of a text, measured in characters that are no white space, put together up to a size."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]
"""Places in a text where it may be cut, ascending."""

_LAST_SPACE = 0x3000
"""No white space has a higher number in Unicode."""
_IS_SOLID = np.array([not chr(code).isspace() for code in range(_LAST_SPACE + 2)])
_LINE_FEED = 10


def counts_before(is_counted: NDArray[np.bool_]) -> memoryview[int]:
    """Place → how many before it are counted. A memoryview hands out Python's own numbers, and so quicker than an array."""
    before = np.zeros(len(is_counted) + 1, np.int32)
    np.cumsum(is_counted, out=before[1:])
    return cast("memoryview[int]", memoryview(before.data))


class Measured:
    """A text, and how much of it stands before each place."""

    def __init__(self, text: str) -> None:
        self.text = text
        if text.isascii():
            self.codes: NDArray[np.uint8] | NDArray[np.uint32] = np.frombuffer(text.encode("ascii"), np.uint8)
        else:
            self.codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))
        self.before = counts_before(self._is_solid)
        """Place → characters before it that are no white space."""

    @cached_property
    def _is_solid(self) -> NDArray[np.bool_]:
        return _IS_SOLID.take(self.codes, mode="clip")

    def __len__(self) -> int:
        return len(self.text)

    def count(self, start: int, end: int) -> int:
        """Characters of a stretch that are no white space."""
        return self.before[end] - self.before[start]

    def reach(self, start: int, size: int) -> int:
        """The last place that a stretch of that size may end at; white space behind it included."""
        return bisect_right(self.before, self.before[start] + size, lo=start) - 1

    def first(self, end: int, size: int) -> int:
        """The first place that a stretch of that size may start at, to end at `end`."""
        return bisect_left(self.before, self.before[end] - size, hi=end)

    @cached_property
    def lines(self) -> Places:
        """Behind each line feed."""
        return np.flatnonzero(self.codes == _LINE_FEED) + 1

    @cached_property
    def words(self) -> Places:
        """Where a word starts behind white space."""
        solid = self._is_solid
        return np.flatnonzero(solid[1:] & ~solid[:-1]) + 1


Spans = list[tuple[int, int]]
Level = Callable[[Measured], Places]
"""Where a text may be cut, in one way of looking at it."""


def lines(measured: Measured) -> Places:
    """Between lines."""
    return measured.lines


def words(measured: Measured) -> Places:
    """Between words."""
    return measured.words


def split_by(levels: Sequence[Level], measured: Measured, start: int, end: int, size: int) -> Spans:
    """The stretch, cut at places of the first level; a piece that is larger than `size` is cut at those of the next.

    Where no level is left it is cut anywhere. So no piece is larger than `size`.
    """
    if measured.count(start, end) <= size:
        return [(start, end)]
    if not levels:
        return _anywhere(measured, start, end, size)
    spans: Spans = []
    for first, last in _packed(measured, levels[0](measured), start, end, size):
        if measured.count(first, last) <= size:
            spans.append((first, last))
        else:
            spans += split_by(levels[1:], measured, first, last, size)
    return spans


def _packed(measured: Measured, places: Places, start: int, end: int, size: int) -> Spans:
    """As much as fits, again and again; what lies between two places and does not fit is one piece."""
    spans: Spans = []
    while start < end:
        far = measured.reach(start, size)
        stop = end
        if far < end:
            number = int(places.searchsorted(far, "right"))
            stop = int(places[number - 1]) if number else 0
            if stop <= start or not measured.count(start, stop):
                stop = min(end, int(places[number])) if number < len(places) else end
        spans.append((start, stop))
        start = stop
    return spans


def _anywhere(measured: Measured, start: int, end: int, size: int) -> Spans:
    spans: Spans = []
    while start < end:
        stop = min(end, measured.reach(start, size))
        spans.append((start, stop))
        start = stop
    return spans
