"""recursive: paragraphs, as many as fit; larger ones cut into lines, lines into sentences, sentences into words."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

import numpy as np

from assay.chunkers._chunker import SIZE, Chunker, Cut
from assay.chunkers._measured import Measured, Places
from assay.chunkers._packing import Level, split_by
from assay.grammar import Param

DEFAULT = ("\n\n", "\n", ". ", " ")


def separators(text: str) -> tuple[str, ...]:
    r"""A list of texts, as JSON or Python has them: `["\n\n", "\n", " "]`."""
    wanted = r'a list of texts such as ["\n\n", "\n", " "]'
    values = _list(text)
    if not isinstance(values, list | tuple) or not all(isinstance(value, str) and value for value in values):
        raise ValueError(wanted)
    return tuple(values)


def _list(text: str) -> Any:
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
    return Cut.at(split_by([_behind(one) for one in separators], Measured(text), 0, len(text), size))


def _behind(separator: str) -> Level:
    """Behind each place where the separator stands; found once."""
    found: list[Places] = []

    def places(measured: Measured) -> Places:
        if not found:
            ends = (match.end() for match in re.finditer(re.escape(separator), measured.text))
            found.append(np.fromiter(ends, np.int64))
        return found[0]

    return places


CHUNKER = Chunker(
    "recursive",
    "paragraphs, as many as fit; larger ones cut into lines, lines into sentences, sentences into words",
    recursive,
    params=(
        SIZE,
        Param("separators", separators, DEFAULT, "where to cut: at the first where it suffices, else at the next"),
    ),
)
