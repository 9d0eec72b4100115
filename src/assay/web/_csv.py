"""Tables as CSV: numbers with every digit, and no cell that a spreadsheet would take for a formula."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from assay.reports import NUMBER, Column, Field, Grid, as_csv

HEAD = "{}"
"""Stands for the head of a column in the name of a value."""
LOW, HIGH = "{} low", "{} high"
UNKNOWN = "–"
ENDS = re.compile(r"\[([^\[\],]+), ([^\[\],]+)\]")

Value = float | int | str | None


@dataclass(frozen=True)
class Told(Field):
    """A field that says what a download has in its place: the name of a column, and the value in it, once or more."""

    values: tuple[tuple[str, Value], ...] = ()


def told(field: Field, *values: tuple[str, Value]) -> Told:
    """The same field with the values of a download."""
    plain = {name: getattr(field, name) for name in Field.__dataclass_fields__}
    return Told(**plain, values=values)


def csv_of_grid(grid: Grid) -> str:
    """The table. What is one field on the page may be several columns here: a figure and the ends of its interval."""
    columns = [[_values(row[place], column) for row in grid.rows] for place, column in enumerate(grid.columns)]
    names = [list(dict.fromkeys(name for values in rows for name in values)) or [HEAD] for rows in columns]
    head = [name.replace(HEAD, column.head) for column, some in zip(grid.columns, names, strict=True) for name in some]
    lines = [
        [_cell(rows[number].get(name)) for rows, some in zip(columns, names, strict=True) for name in some]
        for number in range(len(grid.rows))
    ]
    return as_csv([head, *lines])


def _values(one: Field, column: Column) -> dict[str, Value]:
    """Name → value of a field; nothing where it has no value at all."""
    if isinstance(one, Told):
        return dict(one.values)
    if one.text == UNKNOWN:
        return {}
    is_figure = column.kind == NUMBER and isinstance(one.sort, float | int)
    found: dict[str, Value] = {HEAD: one.sort if is_figure else one.text}
    if ends := ENDS.fullmatch(one.beside):
        return found | {LOW: _as_number(ends[1]), HIGH: _as_number(ends[2])}
    return found | ({f"{HEAD}, more": one.beside} if one.beside else {})


def _as_number(text: str) -> Value:
    try:
        return float(text)
    except ValueError:
        return text


def _cell(value: Any) -> str:
    if value is None or value != value:
        return ""
    return value if isinstance(value, str) else repr(value)


def with_ends(field: Field, value: float, low: float | None, high: float | None) -> Field:
    """A figure whose interval has every digit in a download; the field itself where there is none."""
    return field if low is None or high is None else told(field, (HEAD, value), (LOW, low), (HIGH, high))
