"""Packing: neighbouring stretches of a text, put together up to a size; what is too large is cut further."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.chunkers._measured import Measured, Places

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
    for one, other in _packed(measured, levels[0](measured), start, end, size):
        if measured.count(one, other) <= size:
            spans.append((one, other))
        else:
            spans += split_by(levels[1:], measured, one, other, size)
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
