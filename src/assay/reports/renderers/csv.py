"""CSV: the tables of sections with every digit, one below the other; one cell may become several columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from assay.reports.layout import Style
from assay.reports.rendering import Renderer
from assay.reports.table import TITLE, UNKNOWN, Cell, Column, Section, Table, Value
from assay.text import spreadsheet_cell


def render_csv(sections: Sequence[Section], style: Style) -> str:  # noqa: ARG001 (as all renderers)
    """Render the tables of sections. Text and tables without columns are left out; an empty line separates tables."""
    parts = [part for section in sections for part in section.plain_parts]
    return "\n".join(_text(_rows(part)) for part in parts if isinstance(part, Table) and part.columns)


def _text(rows: Iterable[Sequence[str]]) -> str:
    target = io.StringIO()
    csv.writer(target, lineterminator="\n").writerows([escape_csv(cell) for cell in row] for row in rows)
    return target.getvalue()


def _rows(table: Table) -> Iterable[list[str]]:
    """The rows of a table. One cell of a page may be several columns here: a value and the ends of its interval."""
    columns = [[_values(row[place], column) for row in table.rows] for place, column in enumerate(table.columns)]
    names = [list(dict.fromkeys(name for values in rows for name in values)) or [TITLE] for rows in columns]
    yield [name.replace(TITLE, column.head) for column, some in zip(table.columns, names, strict=True) for name in some]
    for number in range(len(table.rows)):
        yield [_written(rows[number].get(name)) for rows, some in zip(columns, names, strict=True) for name in some]


def _values(cell: Cell, column: Column) -> dict[str, Value]:
    """Name → value of a cell; empty if it has no value at all."""
    if cell.values is not None:
        return dict(cell.values)
    if cell.text == UNKNOWN and cell.value in (None, ""):
        return {}
    is_figure = not column.is_words and isinstance(cell.value, float | int)
    return {TITLE: cell.value if is_figure else cell.text} | ({f"{TITLE}, more": cell.note} if cell.note else {})


def _written(value: Value) -> str:
    if value is None or value != value:
        return ""
    return value if isinstance(value, str) else repr(value)


escape_csv = spreadsheet_cell
"""A text on one line that no spreadsheet runs as a formula."""

CSV = Renderer("csv", render_csv, "rows for spreadsheets and scripts")
