"""Packing: parts of a text, measured in characters without white space, joined up to a size."""

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
"""The last code point that is white space."""
_IS_SOLID = np.array([not chr(code).isspace() for code in range(_LAST_SPACE + 2)])
_LINE_FEED = 10


def counts_before(is_counted: NDArray[np.bool_]) -> memoryview[int]:
    """Place → how many before it are counted. A memoryview returns Python numbers, which is faster than an array."""
    before = np.zeros(len(is_counted) + 1, np.int32)
    np.cumsum(is_counted, out=before[1:])
    return cast("memoryview[int]", memoryview(before.data))


class Measured:
    """A text, and how much of it is before each place."""

    def __init__(self, text: str) -> None:
        self.text = text
        if text.isascii():
            self.codes: NDArray[np.uint8] | NDArray[np.uint32] = np.frombuffer(text.encode("ascii"), np.uint8)
        else:
            self.codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))
        self.before = counts_before(self._is_solid)
        """Place → characters before it, not counting white space."""

    @cached_property
    def _is_solid(self) -> NDArray[np.bool_]:
        return _IS_SOLID.take(self.codes, mode="clip")

    def __len__(self) -> int:
        return len(self.text)

    def count(self, start: int, end: int) -> int:
        """Characters of a span, not counting white space."""
        return self.before[end] - self.before[start]

    def reach(self, start: int, size: int) -> int:
        """The last place where a span of this size can end, including the white space after it."""
        return bisect_right(self.before, self.before[start] + size, lo=start) - 1

    def first(self, end: int, size: int) -> int:
        """The first place where a span of this size that ends at `end` can start."""
        return bisect_left(self.before, self.before[end] - size, hi=end)

    @cached_property
    def lines(self) -> Places:
        """The places after each line feed."""
        return np.flatnonzero(self.codes == _LINE_FEED) + 1

    @cached_property
    def words(self) -> Places:
        """The places where a word starts after white space."""
        solid = self._is_solid
        return np.flatnonzero(solid[1:] & ~solid[:-1]) + 1


Spans = list[tuple[int, int]]
Level = Callable[[Measured], Places]
"""The places where a text may be cut at one level, such as between lines."""


def lines(measured: Measured) -> Places:
    """Between lines."""
    return measured.lines


def words(measured: Measured) -> Places:
    """Between words."""
    return measured.words


def split_by(levels: Sequence[Level], measured: Measured, start: int, end: int, size: int) -> Spans:
    """The span, cut at the places of the first level; a piece larger than `size` is cut at the places of the next level.

    After the last level it is cut at any character, so no piece is larger than `size`.
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
    """Pieces that are as large as possible; text between two places that does not fit is one piece."""
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
