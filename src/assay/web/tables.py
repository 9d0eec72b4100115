"""Tables of the web pages: sorted and cut into pages on the server, laid out in sections, and downloaded as CSV.

The address of a page says by what its table is sorted and which part of it is shown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Generic, TypeVar

from assay.charts import Drawing
from assay.comparison import Pair
from assay.errors import BadParameter
from assay.reports import NUMBER, RECORD, BenchmarkReport, Column, Field, Figure, Figures, Grid, Section, csv_text
from assay.web.page import PageRequest

T = TypeVar("T")
PER_PAGE = 50
ROWS_OF_A_DOWNLOAD = 100_000
TABLE_PARAMETERS = ("sort", "order", "page")
"""The parameters by which an address says where one is in a table."""
ORDERS = ("asc", "desc")


@dataclass(frozen=True)
class SheetColumn(Generic[T]):
    """A column: how it is called in addresses, what a row shows in it, and what it is sorted by."""

    name: str
    column: Column
    field: Callable[[T], Field]
    key: Callable[[T], Any] | None = None
    """None: it cannot be sorted by. None as a key comes last either way."""


@dataclass(frozen=True)
class Head:
    """The head of a column, with the address that sorts by it."""

    column: Column
    url: str = ""
    sorted: str = ""
    """`ascending`, `descending`, or nothing."""


@dataclass(frozen=True)
class Sheet:
    """What one page of the table shows."""

    label: str
    name: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[Field, ...], ...]
    picks: tuple[str, ...]
    """What a row is called where it may be picked; empty where none may."""
    first: int
    last: int
    total: int
    previous: str = ""
    next: str = ""


@dataclass(frozen=True)
class Plan(Generic[T]):
    """A table before it is cut into pages."""

    label: str
    name: str
    columns: tuple[SheetColumn[T], ...]
    items: Sequence[T]
    anchor: str = ""
    """Where on the page it stands."""
    pick: Callable[[T], str] | None = None
    per_page: int = PER_PAGE
    is_in_order: bool = False

    def sheet(self, request: PageRequest) -> Sheet:
        """The page that was asked for; one beyond the last is an error."""
        items = self._sorted(request)
        n_pages = max(1, math.ceil(len(items) / self.per_page))
        page = request.get_int("page", 1, n_pages)
        start = (page - 1) * self.per_page
        page_items = items[start : start + self.per_page]
        return Sheet(
            self.label,
            self.name,
            tuple(self._head(column, request) for column in self.columns),
            tuple(self._row(item) for item in page_items),
            tuple(self.pick(item) for item in page_items) if self.pick else (),
            start + bool(page_items),
            start + len(page_items),
            len(items),
            self._url(request, page=page - 1 if page > 2 else None) if page > 1 else "",
            self._url(request, page=page + 1) if page < n_pages else "",
        )

    def grid(self, request: PageRequest) -> Grid:
        """The whole table, for a download."""
        rows = tuple(self._row(item) for item in self._sorted(request)[:ROWS_OF_A_DOWNLOAD])
        return Grid(self.label, tuple(column.column for column in self.columns), rows)

    def _row(self, item: T) -> tuple[Field, ...]:
        return tuple(column.field(item) for column in self.columns)

    def _url(self, request: PageRequest, **changes: Any) -> str:
        return request.url(**changes) + (f"#{self.anchor}" if self.anchor else "")

    def _head(self, column: SheetColumn[T], request: PageRequest) -> Head:
        if column.key is None:
            return Head(column.column)
        is_down, is_this = request.get("order") == "desc", request.get("sort") == column.name
        first = "desc" if column.column.kind == NUMBER else "asc"
        order = ("asc" if is_down else "desc") if is_this else first
        direction = ("descending" if is_down else "ascending") if is_this else "none"
        return Head(column.column, self._url(request, sort=column.name, order=order, page=None), direction)

    def in_order(self, request: PageRequest) -> Plan[T]:
        """The same with its rows in the order that was asked for, which need not be found again."""
        return replace(self, items=self._sorted(request), is_in_order=True)

    def _sorted(self, request: PageRequest) -> Sequence[T]:
        name, order = request.get("sort"), request.get("order", "asc")
        if order not in ORDERS:
            raise BadParameter(f"order is {' or '.join(ORDERS)}, not {order[:80]!r}")
        if not name or self.is_in_order:
            return self.items
        key = next((column.key for column in self.columns if column.name == name and column.key), None)
        if key is None:
            known = ", ".join(column.name for column in self.columns if column.key)
            raise BadParameter(f"nothing here is sorted by {name[:80]!r}; what can be: {known}")
        return in_order(self.items, key, is_down=order == "desc")


def in_order(items: Sequence[T], key: Callable[[T], Any], *, is_down: bool) -> list[T]:
    """By key; what has none comes last either way round."""
    keyed = [(key(item), item) for item in items]
    known = [pair for pair in keyed if pair[0] is not None and pair[0] == pair[0]]
    others = [item for value, item in keyed if value is None or value != value]
    return [item for _, item in sorted(known, key=lambda pair: pair[0], reverse=is_down)] + others


# CSV: numbers with every digit, and no cell that a spreadsheet would take for a formula.

HEAD = "{}"
"""Stands for the head of a column in the name of a value."""
LOW, HIGH = "{} low", "{} high"
UNKNOWN = "–"
ENDS = re.compile(r"\[([^\[\],]+), ([^\[\],]+)\]")

Value = float | int | str | None


@dataclass(frozen=True)
class DownloadField(Field):
    """A field that says what a download has in its place: the name of a column, and the value in it, once or more."""

    values: tuple[tuple[str, Value], ...] = ()


def with_values(field: Field, *values: tuple[str, Value]) -> DownloadField:
    """The same field with the values of a download."""
    plain = {name: getattr(field, name) for name in Field.__dataclass_fields__}
    return DownloadField(**plain, values=values)


def csv_of_grid(grid: Grid) -> str:
    """The table. What is one field on the page may be several columns here: a figure and the ends of its interval."""
    columns = [[_values(row[place], column) for row in grid.rows] for place, column in enumerate(grid.columns)]
    names = [list(dict.fromkeys(name for values in rows for name in values)) or [HEAD] for rows in columns]
    head = [name.replace(HEAD, column.head) for column, some in zip(grid.columns, names, strict=True) for name in some]
    lines = [
        [_cell(rows[number].get(name)) for rows, some in zip(columns, names, strict=True) for name in some]
        for number in range(len(grid.rows))
    ]
    return csv_text([head, *lines])


def _values(cell: Field, column: Column) -> dict[str, Value]:
    """Name → value of a field; nothing where it has no value at all."""
    if isinstance(cell, DownloadField):
        return dict(cell.values)
    if cell.text == UNKNOWN:
        return {}
    is_figure = column.kind == NUMBER and isinstance(cell.sort, float | int)
    values: dict[str, Value] = {HEAD: cell.sort if is_figure else cell.text}
    if ends := ENDS.fullmatch(cell.beside):
        return values | {LOW: _as_number(ends[1]), HIGH: _as_number(ends[2])}
    return values | ({f"{HEAD}, more": cell.beside} if cell.beside else {})


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
    return field if low is None or high is None else with_values(field, (HEAD, value), (LOW, low), (HIGH, high))


# Exact values behind the tables of the report: intervals and counts that the page shows as one text.

SYSTEM = "system"


def exact_section(section: Section, report: BenchmarkReport) -> Section:
    """A section whose tables have every digit when they are downloaded; on the page they are the same."""
    return replace(section, parts=tuple(_exact(part, report) if isinstance(part, Grid) else part for part in section.parts))


def _exact(grid: Grid, report: BenchmarkReport) -> Grid:
    rows = [tuple(_row(place, row, grid.columns, report)) for place, row in enumerate(grid.rows)]
    return replace(grid, rows=tuple(rows))


def _row(place: int, row: tuple[Field, ...], columns: Sequence[Column], report: BenchmarkReport) -> Iterator[Field]:
    pair = _pair(row, report)
    for cell, column in zip(row, columns, strict=True):
        if pair is not None and column == RECORD:
            counts = (("better", pair.wins), ("same", pair.ties), ("worse", pair.losses))
            yield with_values(cell, *(counts if cell.text != UNKNOWN else ()))
        elif pair is not None and " CI " in column.head:
            yield with_values(cell, (LOW, pair.low), (HIGH, pair.high))
        elif column.head == SYSTEM and cell.sort == place:  # letters that say who is who stand before its name
            yield with_values(cell, (HEAD, report.names[place]))
        else:
            yield _figure(cell, row, column, report) if cell.beside else cell


def _pair(row: Sequence[Field], report: BenchmarkReport) -> Pair | None:
    """The pair that a row is about, known by its difference and what comes next to it."""
    if report.comparison is None:
        return None
    beside = list(pairwise(cell.sort for cell in row))
    for pair in report.comparison.pairs:
        if any(pair.difference == first and pair.low == second for first, second in beside):
            return pair
    return None


def _figure(cell: Field, row: Sequence[Field], column: Column, report: BenchmarkReport) -> Field:
    """A figure with the ends of its interval, found by metric, system, value and what the page says."""
    texts = [column.head, *(field.text for field in row)]
    known = [
        (place, metric)
        for place, result in enumerate(report.shown)
        for metric in report.metrics
        if metric.name in texts
        and result.summary[metric.name] == cell.sort
        and report.interval(place, metric) == cell.beside
    ]
    named = [pair for pair in known if any(text.endswith(report.names[pair[0]]) for text in texts)] or known
    if not named:
        return cell
    place, metric = named[0]
    interval = report.intervals[place][metric.name]
    return with_ends(cell, float(report.shown[place].summary[metric.name]), interval.low, interval.high)


# Sections: every table and chart has a name under which its rows may be downloaded.

Tables = dict[str, Callable[[], Grid]]


@dataclass(frozen=True)
class SectionPart:
    """A part of a section; where it has rows, what they are called in a download. Charts stand inside one part."""

    content: Any
    name: str = ""
    charts: tuple[SectionPart, ...] = ()


@dataclass(frozen=True)
class SectionLayout:
    """A section and its parts."""

    anchor: str
    title: str
    lead: str
    parts: tuple[SectionPart, ...]


def lay_out(sections: Iterable[Section]) -> tuple[tuple[SectionLayout, ...], Tables]:
    """The sections, and name → table."""
    tables: Tables = {}
    layouts = []
    for section in sections:
        parts = tuple(_section_part(part, section.anchor, tables) for part in section.parts)
        layouts.append(SectionLayout(section.anchor, section.title, section.lead, parts))
    return tuple(layouts), tables


def _section_part(part: Any, anchor: str, tables: Tables) -> SectionPart:
    if isinstance(part, Grid):
        name = _free_name(anchor, tables)
        tables[name] = lambda: part
        return SectionPart(part, name)
    if isinstance(part, Figures):
        return SectionPart(part, charts=tuple(_section_part(figure, anchor, tables) for figure in part.figures))
    if isinstance(part, Figure):
        name = _free_name(f"{anchor}-{part.kind_of_chart.replace('_', '-')}", tables)
        tables[name] = lambda: all_rows(part.drawing)
        return SectionPart(part, name)
    return SectionPart(part)


def _free_name(name: str, tables: Mapping[str, Any]) -> str:
    """A name that no other table of the page has."""
    number, free = 1, name
    while free in tables:
        number += 1
        free = f"{name}-{number}"
    return free


def all_rows(drawing: Drawing) -> Grid:
    """Every row behind a chart."""
    names = list(dict.fromkeys(name for row in drawing.rows for name in row))
    rows = tuple(tuple(_field(row.get(name)) for name in names) for row in drawing.rows)
    return Grid(drawing.title, tuple(Column(name) for name in names), rows)


def _field(value: Any) -> Field:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and value == value
    return Field("" if value is None else str(value), sort=value if is_number else None)
