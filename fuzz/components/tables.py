"""CSV that assay writes: it reads back cell by cell, and no cell is one that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from assay.reports import render_sections, table_from_rows, table_section
from fuzz.component import Component, SilentDifference

FORMULAS = ("=", "+", "-", "@")
ROWS = [
    {"run": "bm25", "query": "q1", "ndcg@10": 0.5, "note": "a, b"},
    {"run": "dense", "query": '"q2"', "ndcg@10": -1.5, "note": None, "best": True},
    {"run": "=1+1", "query": "line\nbreak", "ndcg@10": 1e-9, "more": ["a", "b"]},
]


def _check(data: bytes) -> object:
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        return None
    rows = [row for row in given if isinstance(row, dict)] if isinstance(given, list) else []
    rows = [{name: _cell(value) for name, value in row.items()} for row in rows]
    text = render_sections([table_section(table_from_rows(rows))], "csv")
    read = list(csv.reader(io.StringIO(text, newline="")))
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        return text
    if len(read) != len(rows) + 1 or {len(row) for row in read} != {len(names)}:
        raise SilentDifference(f"CSV written and read: {len(rows) + 1} × {len(names)} cells became {list(map(len, read))}")
    for row, cells in zip([dict(zip(names, names, strict=True)), *rows], read, strict=True):
        for name, cell in zip(names, cells, strict=True):
            _refuse_formula(row.get(name), cell)
    return text


def _cell(value: Any) -> Any:
    """What a table may hold: a text, a number, a truth value, nothing, or a list of texts."""
    if isinstance(value, list):
        return [str(one) for one in value]
    return value if value is None or isinstance(value, str | int | float) else json.dumps(value)


def _refuse_formula(value: Any, cell: str) -> None:
    """A number with a sign is none."""
    if not isinstance(value, str | list) or not cell.startswith(FORMULAS):
        return
    try:
        float(cell)
    except ValueError:
        raise SilentDifference(f"a formula in CSV: {cell!r:.100}") from None


COMPONENTS = (
    Component("csv_written", _check, lambda: [json.dumps(ROWS).encode()], "json", tokens=(b"=", b"+", b"-", b"@", b"\\t")),
)
