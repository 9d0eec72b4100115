"""Tables of the web pages: sorted and split into pages on the server, and laid out in sections.

The address of a page says how its table is sorted and which part of it is shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from assay.errors import BadParameter
from assay.reports import Cell, Column, Figure, Figures, Section, Table
from assay.web.page import PageRequest

T = TypeVar("T")
PER_PAGE = 50
ROWS_OF_A_DOWNLOAD = 100_000
TABLE_PARAMETERS = ("sort", "order", "page")
"""The parameters of an address that set the order and the page of a table."""
ORDERS = ("asc", "desc")


@dataclass(frozen=True)
class SheetColumn(Generic[T]):
    """A column, the cell of a row in it, and its sort key. Addresses name it by the key of the column."""

    column: Column
    cell: Callable[[T], Cell]
    key: Callable[[T], Any] | None = None
    """None: the table cannot be sorted by it. Rows without a key come last in both directions."""


@dataclass(frozen=True)
class Head:
    """The heading of a column, with the address that sorts by it."""

    column: Column
    url: str = ""
    sorted: str = ""
    """`ascending`, `descending`, `none`, or empty."""


@dataclass(frozen=True)
class Sheet:
    """One page of a table."""

    label: str
    name: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[Cell, ...], ...]
    picks: tuple[str, ...]
    """The value of each row's checkbox; empty if rows cannot be selected."""
    first: int
    last: int
    total: int
    previous: str = ""
    next: str = ""

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns."""
        return tuple(head.column for head in self.heads)


@dataclass(frozen=True)
class Plan(Generic[T]):
    """A table before it is split into pages."""

    label: str
    name: str
    columns: tuple[SheetColumn[T], ...]
    items: Sequence[T]
    anchor: str = ""
    """Its anchor on the page."""
    pick: Callable[[T], str] | None = None
    per_page: int = PER_PAGE
    is_in_order: bool = False

    def sheet(self, request: PageRequest) -> Sheet:
        """The requested page; a page after the last is an error."""
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

    def table(self, request: PageRequest) -> Table:
        """The whole table, for a download."""
        rows = tuple(self._row(item) for item in self._sorted(request)[:ROWS_OF_A_DOWNLOAD])
        return Table(tuple(column.column for column in self.columns), rows, self.label)

    def _row(self, item: T) -> tuple[Cell, ...]:
        return tuple(column.cell(item) for column in self.columns)

    def _url(self, request: PageRequest, **changes: Any) -> str:
        return request.url(**changes) + (f"#{self.anchor}" if self.anchor else "")

    def _head(self, column: SheetColumn[T], request: PageRequest) -> Head:
        if column.key is None:
            return Head(column.column)
        is_down, is_this = request.get("order") == "desc", request.get("sort") == column.column.key
        first = "desc" if not column.column.is_words else "asc"
        order = ("asc" if is_down else "desc") if is_this else first
        direction = ("descending" if is_down else "ascending") if is_this else "none"
        return Head(column.column, self._url(request, sort=column.column.key, order=order, page=None), direction)

    def in_order(self, request: PageRequest) -> Plan[T]:
        """The same with its rows in the requested order, so that they need not be sorted again."""
        return replace(self, items=self._sorted(request), is_in_order=True)

    def _sorted(self, request: PageRequest) -> Sequence[T]:
        name, order = request.get("sort"), request.get("order", "asc")
        if order not in ORDERS:
            raise BadParameter(f"order must be {' or '.join(ORDERS)}, not {order[:80]!r}")
        if not name or self.is_in_order:
            return self.items
        key = next((column.key for column in self.columns if column.column.key == name and column.key), None)
        if key is None:
            known = ", ".join(column.column.key for column in self.columns if column.key)
            raise BadParameter(f"the table cannot be sorted by {name[:80]!r}.   (choose from {known})")
        return in_order(self.items, key, is_down=order == "desc")


def in_order(items: Sequence[T], key: Callable[[T], Any], *, is_down: bool) -> list[T]:
    """The items sorted by key; items without a key come last in both directions."""
    keyed = [(key(item), item) for item in items]
    known = [pair for pair in keyed if pair[0] is not None and pair[0] == pair[0]]
    others = [item for value, item in keyed if value is None or value != value]
    return [item for _, item in sorted(known, key=lambda pair: pair[0], reverse=is_down)] + others


# Sections: every table and chart has a name, by which its rows can be downloaded.

Tables = dict[str, Callable[[], Table]]


@dataclass(frozen=True)
class SectionPart:
    """A part of a section, with its name for downloads if it has rows. Charts are inside one part."""

    content: Any
    name: str = ""
    charts: tuple[SectionPart, ...] = ()


@dataclass(frozen=True)
class SectionLayout:
    """A section and its parts."""

    key: str
    title: str
    lead: str
    parts: tuple[SectionPart, ...]


def lay_out(sections: Iterable[Section]) -> tuple[tuple[SectionLayout, ...], Tables]:
    """The sections, and name → table."""
    tables: Tables = {}
    layouts = []
    for section in sections:
        parts = tuple(_section_part(part, section.key, tables) for part in section.parts)
        layouts.append(SectionLayout(section.key, section.title, section.lead, parts))
    return tuple(layouts), tables


def _section_part(part: Any, anchor: str, tables: Tables) -> SectionPart:
    if isinstance(part, Table):
        name = _free_name(anchor, tables)
        tables[name] = lambda: part
        return SectionPart(part, name)
    if isinstance(part, Figures):
        return SectionPart(part, charts=tuple(_section_part(figure, anchor, tables) for figure in part.figures))
    if isinstance(part, Figure):
        name = _free_name(f"{anchor}-{part.kind_of_chart.replace('_', '-')}", tables)
        tables[name] = part.all_rows
        return SectionPart(part, name)
    return SectionPart(part)


def _free_name(name: str, tables: Mapping[str, Any]) -> str:
    """A name that is unique on the page."""
    number, free = 1, name
    while free in tables:
        number += 1
        free = f"{name}-{number}"
    return free
