"""CSV: rows of plain values as lines that programs and spreadsheets read, and that no spreadsheet runs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.text import spreadsheet_cell


def as_csv(rows: Iterable[Sequence[str]]) -> str:
    """Rows of texts, the head first; what a spreadsheet would take for a formula stands behind an apostrophe."""
    target = io.StringIO()
    csv.writer(target, lineterminator="\n").writerows([spreadsheet_cell(cell) for cell in row] for row in rows)
    return target.getvalue()


def csv_of(rows: Sequence[Mapping[str, Any]], digits: int | None = None) -> str:
    """Rows of values by name; columns are all names that occur, empty where a row lacks one. Nothing for no row at all."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return as_csv([names, *([_field(row.get(name), digits) for name in names] for row in rows)] if rows else [])


def _field(value: Any, digits: int | None) -> str:
    """A value with every digit, unless fewer are asked for; empty where there is none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and digits is not None:
        return f"{value:.{digits}f}"
    return " ".join(value) if isinstance(value, list | tuple) else str(value)
