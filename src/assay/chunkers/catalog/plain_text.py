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
    r"""A list of texts in JSON or Python syntax: `["\n\n", "\n", " "]`."""
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
    """A separator belongs to the text before it. Text without any of the separators is cut at any character.

    Neighbouring pieces are joined if the same separator splits them, as in LangChain's RecursiveCharacterTextSplitter.
    """
    if len(text) <= size:
        return Cut.at([(0, len(text))])
    return Cut.at(split_by([_behind_separator(separator) for separator in separators], Measured(text), 0, len(text), size))


def _behind_separator(separator: str) -> Level:
    """The places after each separator, searched only once."""
    ends_by_level: list[Places] = []

    def places(measured: Measured) -> Places:
        if not ends_by_level:
            ends = (match.end() for match in re.finditer(re.escape(separator), measured.text))
            ends_by_level.append(np.fromiter(ends, np.int64))
        return ends_by_level[0]

    return places


RECURSIVE = Chunker(
    "recursive",
    "as many paragraphs as fit; larger paragraphs are cut into lines, lines into sentences, sentences into words",
    recursive,
    params=(
        SIZE,
        Param(
            "separators",
            separators,
            DEFAULT_SEPARATORS,
            "where to cut, in this order: text that is still too large is cut at the next separator",
        ),
    ),
)


def fixed_chars(text: str, path: str, *, size: int, overlap: int) -> Cut:  # noqa: ARG001 (the same for every language)
    """The last chunk may be shorter. No chunk consists only of the overlap with the chunk before it."""
    starts = range(0, max(1, len(text) - overlap), size - overlap)
    return Cut.at([(start, min(start + size, len(text))) for start in starts])


FIXED_CHARS = Chunker(
    "fixed_chars",
    "a fixed number of characters",
    fixed_chars,
    params=(replace(SIZE, meaning="maximum characters per chunk, including white space"), OVERLAP),
)


LINE_LEVELS = (lines, words)


def fixed_lines(text: str, path: str, *, size: int, overlap: int) -> Cut:  # noqa: ARG001 (the same for every language)
    """A line larger than `size` is cut between words, and a word larger than `size` at any character.

    The overlap consists of whole lines: as many as fit into `overlap` and leave room for a new line.
    """
    if len(text) <= size:
        return Cut.at([(0, len(text))])
    measured = Measured(text)
    spans = split_by(LINE_LEVELS, measured, 0, len(text), size)
    return Cut.at(_overlapping_lines(measured, size, overlap) if overlap and len(spans) > 1 else spans)


def _overlapping_lines(measured: Measured, size: int, overlap: int) -> Spans:
    """Pieces that start with the last lines of the piece before, followed by as many new lines as fit."""
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
    """The start of the overlap; the place itself if there is no room for an overlap."""
    if not spans:
        return place
    earliest = max(measured.first(place, overlap), measured.first(next_end, size), spans[-1][0] + 1)
    number = int(measured.lines.searchsorted(earliest, "left"))
    start = int(measured.lines[number]) if number < len(measured.lines) else place
    return start if start < place and measured.count(start, place) else place


FIXED_LINES = Chunker("fixed_lines", "as many whole lines as fit", fixed_lines, params=(SIZE, OVERLAP))


_CLOSING_MARKS = "[\"'”’»)\\]]"
_SENTENCE_END = re.compile(
    rf"(?<![.!?…])[.!?…]++{_CLOSING_MARKS}*+\s++(?=[^a-z])"  # not before a lower-case letter: e.g. this
    r"|[。！？｡]++[」』”’）]*+\s*+"
    r"|\n[^\S\n]*+\n\s*+"
)
"""The end of a sentence with the white space after it: a mark, a mark of a script without spaces, or an empty line.

The expression does not backtrack, so its time is proportional to the length of the text.
"""


def sentence_ends(measured: Measured) -> Places:
    """The places after each sentence."""
    return np.fromiter((match.end() for match in _SENTENCE_END.finditer(measured.text)), np.int64)


def sentence(text: str, path: str, *, size: int) -> Cut:  # noqa: ARG001 (the same for every language)
    """A sentence larger than `size` is cut between words. `Dr. Who` counts as a sentence end, `e.g. this` does not."""
    if len(text) <= size:
        return Cut.at([(0, len(text))])
    return Cut.at(split_by((sentence_ends, words), Measured(text), 0, len(text), size))


SENTENCE = Chunker("sentence", "as many whole sentences as fit", sentence)
