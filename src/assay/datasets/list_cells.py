"""Cells with lists: read the texts by which tables represent lists and objects."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from assay.errors import DataError
from assay.files import parse_json

MAX_CELL = 16 << 20
"""The most characters of a list in a cell of a table. Longer texts are refused, because parsing takes much memory."""
TOKEN = re.compile(r"'[^'\\]*(?:\\.[^'\\]*)*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\"|[\[\](){},]|\s+|[^'\"\[\](){},\s]+", re.DOTALL)
"""Parts of a list as Python writes it: texts, brackets, commas, blanks, and anything else."""
UNREADABLE = (ValueError, SyntaxError, RecursionError, MemoryError)


def parse_cell(value: Any) -> Any:
    """A list or an object that a table has as text; any other value unchanged.

    It may be JSON, a list of Python, or NumPy's text of a list, which has no commas: `['a' 'b']`. Nothing is executed.
    """
    text = value.strip() if isinstance(value, str) else ""
    if text[:1] not in ("[", "{"):
        return value
    if len(text) > MAX_CELL:
        raise DataError(f"a list in a table may have at most {MAX_CELL:,} characters, found {len(text):,}")
    try:
        return parse_json(text)
    except UNREADABLE:
        pass
    try:
        return [_literal(part) for part in _parts(text)] if text[0] == "[" else _literal(text)
    except UNREADABLE:
        return value


def _literal(text: str) -> Any:
    """The value of a Python literal. A call such as `Document(page_content='…')` is an object with its arguments."""
    if text[0] in "'\"" and "\\" not in text and text.count(text[0]) == 2:
        return text[1:-1]  # most contexts, much faster
    tree = ast.parse(text, mode="eval").body
    if not isinstance(tree, ast.Call):
        return ast.literal_eval(tree)
    if tree.args:
        return ast.literal_eval(tree.args[0])
    return {str(argument.arg): ast.literal_eval(argument.value) for argument in tree.keywords}


def _parts(text: str) -> Iterator[str]:
    """The entries of a list as Python or NumPy writes it, each as text. A comma or white space separates two entries.

    The entries are split first, because Python reads texts without a comma between them as one text.
    """
    depth, part, place = 0, "", 0
    for token in TOKEN.finditer(text):
        word = token[0]
        if token.start() != place or (place and not depth):
            raise ValueError("not a list")
        place = token.end()
        if depth == 1 and (word in (",", "]") or word.isspace()):
            if part:
                yield part
            part = ""
        elif depth:
            part += word
        depth += (word in "[({") - (word in "])}")
    if depth or place != len(text):
        raise ValueError("not a list")
