"""Sheets: tables with a title and notes, in any format that people read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.errors import UnknownName, near_matches
from assay.reports._cells import Table
from assay.reports._latex_table import as_latex
from assay.reports._layout import BOLD, Style, fitted
from assay.reports._markdown_table import as_markdown, in_markdown
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
    parts = {"table": _for_terminal, "markdown": _for_markdown, "latex": _for_latex}
    return "\n\n".join(parts[form](sheet, style) for sheet in sheets) + "\n"


def _for_terminal(sheet: Sheet, style: Style) -> str:
    title = [style.styled(style.wrapped(printable(sheet.title)), BOLD)] if sheet.title else []
    tables = ["\n".join([*title, "\n\n".join(fitted(sheet.table, style))])] if sheet.table.rows else title
    notes = ["\n".join(style.wrapped(printable(note)) for note in sheet.notes)] if sheet.notes else []
    return "\n\n".join([*tables, *notes])


def _for_markdown(sheet: Sheet, _: Style) -> str:
    title = [f"**{in_markdown(printable(sheet.title))}**"] if sheet.title else []
    notes = ["\n".join(f"- {in_markdown(printable(note))}" for note in sheet.notes)] if sheet.notes else []
    return "\n\n".join([*title, *([as_markdown(sheet.table)] if sheet.table.rows else []), *notes])


def _for_latex(sheet: Sheet, _: Style) -> str:
    said = [f"% {printable(line)}" for line in (sheet.title, *sheet.notes) if line]
    return "\n".join([*said, *([as_latex(sheet.table)] if sheet.table.rows else [])])
