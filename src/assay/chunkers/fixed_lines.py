"""fixed_lines: whole lines, as many as fit."""

from __future__ import annotations

from assay.chunkers._chunker import OVERLAP, SIZE, Chunker, Cut
from assay.chunkers._measured import Measured
from assay.chunkers._packing import Spans, lines, split_by, words

LEVELS = (lines, words)


def fixed_lines(text: str, path: str, *, size: int, overlap: int) -> Cut:  # noqa: ARG001 (the same for every language)
    """A line that is larger than `size` is cut between words, and a word that is larger anywhere.

    The overlap consists of whole lines too: as many as stay within `overlap` and leave room for a line that is new.
    """
    if len(text) <= size:
        return Cut.at([(0, len(text))])
    measured = Measured(text)
    spans = split_by(LEVELS, measured, 0, len(text), size)
    return Cut.at(_overlapping(measured, size, overlap) if overlap and len(spans) > 1 else spans)


def _overlapping(measured: Measured, size: int, overlap: int) -> Spans:
    """Pieces of which each takes the last lines of the one before along, and then as many new ones as still fit."""
    spans: Spans = []
    place, last = 0, len(measured)
    while (new := measured.reach(place, 0)) < last:
        next_end = _line_end(measured, new)
        start = _overlap_start(measured, spans, place, next_end, size, overlap)
        far = measured.reach(start, size)
        if far < next_end:
            spans += split_by(LEVELS[1:], measured, place, next_end, size)
            stop = next_end
        else:
            stop = last if far >= last else int(measured.lines[measured.lines.searchsorted(far, "right") - 1])
            spans.append((start, stop))
        place = stop
    return spans


def _line_end(measured: Measured, place: int) -> int:
    number = int(measured.lines.searchsorted(place, "right"))
    return int(measured.lines[number]) if number < len(measured.lines) else len(measured)


def _overlap_start(measured: Measured, spans: Spans, place: int, next_end: int, size: int, overlap: int) -> int:
    """The first line to take along; the place itself where none can be."""
    if not spans:
        return place
    earliest = max(measured.first(place, overlap), measured.first(next_end, size), spans[-1][0] + 1)
    number = int(measured.lines.searchsorted(earliest, "left"))
    start = int(measured.lines[number]) if number < len(measured.lines) else place
    return start if start < place and measured.count(start, place) else place


CHUNKER = Chunker("fixed_lines", "whole lines, as many as fit", fixed_lines, params=(SIZE, OVERLAP))
