"""Sheets: tables with a title and notes, in any format that people read; and rows for programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import UnknownName, near_matches
from assay.reports._cells import Table
from assay.reports._layout import BOLD, Style, fitted
from assay.reports.latex import _as_latex
from assay.reports.markdown import _as_markdown, _escaped
from assay.text import printable

FORMATS = ("table", "markdown", "latex", "csv", "json")


@dataclass(frozen=True)
class Sheet:
    """A table, what it is about, and what a reader should be told."""

    title: str
    table: Table
    """Nothing of it is shown where it has no rows."""
    notes: tuple[str, ...] = ()


def render_sheets(sheets: Sequence[Sheet], form: str, style: Style) -> str:
    """One after the other, as a terminal, Markdown or LaTeX shows them."""
    if form not in FORMATS[:3]:
        raise UnknownName("format", form, near_matches(form, FORMATS), f"there are {', '.join(FORMATS)}")
    parts = {"table": _for_terminal, "markdown": _in_markdown, "latex": _in_latex}
    return "\n\n".join(parts[form](sheet, style) for sheet in sheets) + "\n"


def _for_terminal(sheet: Sheet, style: Style) -> str:
    title = [style.styled(style.wrapped(printable(sheet.title)), BOLD)] if sheet.title else []
    tables = ["\n".join([*title, "\n\n".join(fitted(sheet.table, style))])] if sheet.table.rows else title
    notes = ["\n".join(style.wrapped(printable(note)) for note in sheet.notes)] if sheet.notes else []
    return "\n\n".join([*tables, *notes])


def _in_markdown(sheet: Sheet, _: Style) -> str:
    title = [f"**{_escaped(printable(sheet.title))}**"] if sheet.title else []
    notes = ["\n".join(f"- {_escaped(printable(note))}" for note in sheet.notes)] if sheet.notes else []
    return "\n\n".join([*title, *([_as_markdown(sheet.table)] if sheet.table.rows else []), *notes])


def _in_latex(sheet: Sheet, _: Style) -> str:
    said = [f"% {printable(line)}" for line in (sheet.title, *sheet.notes) if line]
    return "\n".join([*said, *([_as_latex(sheet.table)] if sheet.table.rows else [])])


def render_rows(rows: Sequence[Mapping[str, Any]]) -> str:
    """Comma-separated values with every digit; columns are all names that occur, empty where a row lacks one."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer.writerow(names)
    writer.writerows([_field(row.get(name)) for name in names] for row in rows)
    return target.getvalue()


def _field(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return printable(" ".join(value) if isinstance(value, list | tuple) else str(value))
