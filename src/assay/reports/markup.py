"""Markup: tables and text in Markdown, LaTeX, CSV and JSON, so that each shows what it is given and runs nothing."""

from __future__ import annotations

import csv
import io
import json
import re
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import UnknownName, near_matches
from assay.reports.table import Cell, Table
from assay.reports.text_layout import BOLD, Style, fit_table
from assay.text import printable, spreadsheet_cell

ESCAPES = {
    "\\": r"\textbackslash{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "≥": r"$\geq$",
    ">": r"\textgreater{}",
    "<": r"\textless{}",
    "–": "--",
    "−": "$-$",
    "·": r"$\cdot$",
    "…": r"\ldots{}",
    "[": "{[}",
    "*": "{*}",
}


def latex_table(table: Table) -> str:
    """The table; figures are set to the right, the best of them in bold."""
    columns = f"l{'r' * (len(table.head) - 1)}"
    return tabular(
        columns, [escape_latex(name) for name in table.head], ([_latex_cell(cell) for cell in row] for row in table.rows)
    )


def tabular(columns: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A tabular of cells that are LaTeX already."""
    lines = [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _row(head),
        r"\midrule",
        *map(_row, rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _latex_cell(cell: Cell) -> str:
    text = escape_latex(cell.text)
    return rf"\textbf{{{text}}}" if cell.is_best else text


def escape_latex(text: str) -> str:
    """The text, so that LaTeX sets it as it is."""
    return "".join(ESCAPES.get(letter, letter) for letter in text)


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    """Rows of texts, the head first; what a spreadsheet would take for a formula stands behind an apostrophe."""
    target = io.StringIO()
    csv.writer(target, lineterminator="\n").writerows([spreadsheet_cell(cell) for cell in row] for row in rows)
    return target.getvalue()


def csv_from_rows(rows: Sequence[Mapping[str, Any]], digits: int | None = None) -> str:
    """Rows of values by name; columns are all names that occur, empty where a row lacks one. Nothing for no row at all."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return csv_text([names, *([_field(row.get(name), digits) for name in names] for row in rows)] if rows else [])


def _field(value: Any, digits: int | None) -> str:
    """A value with every digit, unless fewer are asked for; empty where there is none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and digits is not None:
        return f"{value:.{digits}f}"
    return " ".join(value) if isinstance(value, list | tuple) else str(value)


MARKS = set("\\`*_[]<>|#~")


def markdown_table(table: Table) -> str:
    """The table; figures are set to the right, the best of them in bold."""
    lines = [
        [escape_markdown(name) for name in table.head],
        ["---" if number in table.left else "---:" for number in range(len(table.head))],
        *([_markdown_cell(cell) for cell in row] for row in table.rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _markdown_cell(cell: Cell) -> str:
    text = escape_markdown(cell.text)
    return f"**{text}**" if cell.is_best else text


def escape_markdown(text: str) -> str:
    """The text, so that Markdown shows it as it is."""
    return "".join(f"\\{letter}" if letter in MARKS else letter for letter in text.replace("&", "&amp;"))


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
    tables = ["\n".join([*title, "\n\n".join(fit_table(sheet.table, style))])] if sheet.table.rows else title
    notes = ["\n".join(style.wrapped(printable(note)) for note in sheet.notes)] if sheet.notes else []
    return "\n\n".join([*tables, *notes])


def _for_markdown(sheet: Sheet, _: Style) -> str:
    title = [f"**{escape_markdown(printable(sheet.title))}**"] if sheet.title else []
    notes = ["\n".join(f"- {escape_markdown(printable(note))}" for note in sheet.notes)] if sheet.notes else []
    return "\n\n".join([*title, *([markdown_table(sheet.table)] if sheet.table.rows else []), *notes])


def _for_latex(sheet: Sheet, _: Style) -> str:
    lines = [f"% {printable(line)}" for line in (sheet.title, *sheet.notes) if line]
    return "\n".join([*lines, *([latex_table(sheet.table)] if sheet.table.rows else [])])


CONTROL = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters that JSON allows as they are, but a terminal does not deserve."""


def json_text(content: dict[str, Any], long: Collection[str] = ()) -> str:
    """The content as JSON that any terminal can show. Of results, what is under the keys in `long` has a line per query."""
    lines: list[str] = []
    mark = secrets.token_hex(16)

    def one_line(value: Any) -> str:
        lines.append(json.dumps(value, ensure_ascii=False, allow_nan=False))
        return f"{mark}{len(lines) - 1}"

    if long:
        shortened = [
            {
                key: {query: one_line(ranking) for query, ranking in value.items()} if key in long else value
                for key, value in result.items()
            }
            for result in content["results"]
        ]
        content = {**content, "results": shortened}
    text = json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)
    text = re.sub(rf'"{mark}(\d+)"', lambda match: lines[int(match[1])], text)
    return CONTROL.sub(lambda letter: f"\\u{ord(letter[0]):04x}", text) + "\n"
