"""Plain text: by characters, lines, sentences, or paragraphs and their parts."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import replace
from typing import Any

import numpy as np

from assay.chunkers.chunker import OVERLAP, SIZE, Chunker, Cut
from assay.chunkers.packing import Level, Measured, Places, Spans, lines, split_by, words
from assay.grammar import Param

DEFAULT_SEPARATORS = ("\n\n", "\n", ". ", " ")


def separators(text: str) -> tuple[str, ...]:
    r"""A list of texts, as JSON or Python has them: `["\n\n", "\n", " "]`."""
    expected = r'a list of texts such as ["\n\n", "\n", " "]'
    values = _written_list(text)
    if not isinstance(values, list | tuple) or not all(isinstance(value, str) and value for value in values):
        raise ValueError(expected)
    return tuple(values)


def _written_list(text: str) -> Any:
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return None


def recursive(text: str, path: str, *, size: int, separators: tuple[str, ...]) -> Cut:  # noqa: ARG001 (for any language)
    """A separator belongs to what stands before it; where none is left, a piece is cut anywhere.

    Neighbours are packed where the same separator parts them, as in LangChain's RecursiveCharacterTextSplitter.
    """
    if len(text) <= size:
        return Cut.at([(0, len(text))])
    return Cut.at(split_by([_behind_separator(separator) for separator in separators], Measured(text), 0, len(text), size))


def _behind_separator(separator: str) -> Level:
    """Behind each place where the separator stands; found once."""
    ends_by_level: list[Places] = []

    def places(measured: Measured) -> Places:
        if not ends_by_level:
            ends = (match.end() for match in re.finditer(re.escape(separator), measured.text))
            ends_by_level.append(np.fromiter(ends, np.int64))
        return ends_by_level[0]

    return places


RECURSIVE = Chunker(
    "recursive",
    "paragraphs, as many as fit; larger ones cut into lines, lines into sentences, sentences into words",
    recursive,
    params=(
        SIZE,
        Param(
            "separators", separators, DEFAULT_SEPARATORS, "where to cut: at the first where it suffices, else at the next"
        ),
    ),
)


def fixed_chars(text: str, path: str, *, size: int, overlap: int) -> Cut:  # noqa: ARG001 (the same for every language)
    """The last chunk may be shorter. None lies wholly within the overlap of the one before."""
    starts = range(0, max(1, len(text) - overlap), size - overlap)
    return Cut.at([(start, min(start + size, len(text))) for start in starts])


FIXED_CHARS = Chunker(
    "fixed_chars",
    "so many characters, whatever they are",
    fixed_chars,
    params=(replace(SIZE, meaning="characters of a chunk at most, white space included"), OVERLAP),
)


LINE_LEVELS = (lines, words)


def fixed_lines(text: str, path: str, *, size: int, overlap: int) -> Cut:  # noqa: ARG001 (the same for every language)
    """A line that is larger than `size` is cut between words, and a word that is larger anywhere.

    The overlap consists of whole lines too: as many as stay within `overlap` and leave room for a line that is new.
    """
    if len(text) <= size:
        return Cut.at([(0, len(text))])
    measured = Measured(text)
    spans = split_by(LINE_LEVELS, measured, 0, len(text), size)
    return Cut.at(_overlapping_lines(measured, size, overlap) if overlap and len(spans) > 1 else spans)


def _overlapping_lines(measured: Measured, size: int, overlap: int) -> Spans:
    """Pieces of which each takes the last lines of the one before along, and then as many new ones as still fit."""
    spans: Spans = []
    place, last = 0, len(measured)
    while (new := measured.reach(place, 0)) < last:
        next_end = _line_end(measured, new)
        start = _overlap_start(measured, spans, place, next_end, size, overlap)
        far = measured.reach(start, size)
        if far < next_end:
            spans += split_by(LINE_LEVELS[1:], measured, place, next_end, size)
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


FIXED_LINES = Chunker("fixed_lines", "whole lines, as many as fit", fixed_lines, params=(SIZE, OVERLAP))


_CLOSING_MARKS = "[\"'”’»)\\]]"
_SENTENCE_END = re.compile(
    rf"(?<![.!?…])[.!?…]++{_CLOSING_MARKS}*+\s++(?=[^a-z])"  # not before a small letter: e.g. this
    r"|[。！？｡]++[」』”’）]*+\s*+"
    r"|\n[^\S\n]*+\n\s*+"
)
"""What ends a sentence, with the white space behind it: a mark, one of a script without spaces, or an empty line.

Nothing in it is tried twice, so that it takes a time in proportion to the text.
"""


def sentence_ends(measured: Measured) -> Places:
    """Behind each sentence."""
    return np.fromiter((match.end() for match in _SENTENCE_END.finditer(measured.text)), np.int64)


def sentence(text: str, path: str, *, size: int) -> Cut:  # noqa: ARG001 (the same for every language)
    """A sentence that is larger than `size` is cut between words. `Dr. Who` counts as an end, `e.g. this` does not."""
    if len(text) <= size:
        return Cut.at([(0, len(text))])
    return Cut.at(split_by((sentence_ends, words), Measured(text), 0, len(text), size))


SENTENCE = Chunker("sentence", "whole sentences, as many as fit", sentence)
