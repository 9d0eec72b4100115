"""Sheet: one page of a long table, sorted and cut on the server; where one is, its address says."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from assay.errors import BadParameter
from assay.reports import NUMBER, Column, Field, Grid
from assay.web._page import Asked

T = TypeVar("T")
PER_PAGE = 50
ROWS_OF_A_DOWNLOAD = 100_000
SHEET = ("sort", "order", "page")
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

    def sheet(self, asked: Asked) -> Sheet:
        """The page that was asked for; one beyond the last is told."""
        items = self._sorted(asked)
        n_pages = max(1, math.ceil(len(items) / self.per_page))
        page = asked.whole("page", 1, n_pages)
        start = (page - 1) * self.per_page
        shown = items[start : start + self.per_page]
        return Sheet(
            self.label,
            self.name,
            tuple(self._head(one, asked) for one in self.columns),
            tuple(self._row(item) for item in shown),
            tuple(self.pick(item) for item in shown) if self.pick else (),
            start + bool(shown),
            start + len(shown),
            len(items),
            self._url(asked, page=page - 1 if page > 2 else None) if page > 1 else "",
            self._url(asked, page=page + 1) if page < n_pages else "",
        )

    def grid(self, asked: Asked) -> Grid:
        """The whole table, for a download."""
        rows = tuple(self._row(item) for item in self._sorted(asked)[:ROWS_OF_A_DOWNLOAD])
        return Grid(self.label, tuple(one.column for one in self.columns), rows)

    def _row(self, item: T) -> tuple[Field, ...]:
        return tuple(one.field(item) for one in self.columns)

    def _url(self, asked: Asked, **changes: Any) -> str:
        return asked.url(**changes) + (f"#{self.anchor}" if self.anchor else "")

    def _head(self, one: SheetColumn[T], asked: Asked) -> Head:
        if one.key is None:
            return Head(one.column)
        is_down, is_this = asked.one("order") == "desc", asked.one("sort") == one.name
        first = "desc" if one.column.kind == NUMBER else "asc"
        order = ("asc" if is_down else "desc") if is_this else first
        said = ("descending" if is_down else "ascending") if is_this else "none"
        return Head(one.column, self._url(asked, sort=one.name, order=order, page=None), said)

    def in_order(self, asked: Asked) -> Plan[T]:
        """The same with its rows in the order that was asked for, which need not be found again."""
        return replace(self, items=self._sorted(asked), is_in_order=True)

    def _sorted(self, asked: Asked) -> Sequence[T]:
        name, order = asked.one("sort"), asked.one("order", "asc")
        if order not in ORDERS:
            raise BadParameter(f"order is {' or '.join(ORDERS)}, not {order[:80]!r}")
        if not name or self.is_in_order:
            return self.items
        key = next((one.key for one in self.columns if one.name == name and one.key), None)
        if key is None:
            known = ", ".join(one.name for one in self.columns if one.key)
            raise BadParameter(f"nothing here is sorted by {name[:80]!r}; what can be: {known}")
        return in_order(self.items, key, is_down=order == "desc")


def in_order(items: Sequence[T], key: Callable[[T], Any], *, is_down: bool) -> list[T]:
    """By key; what has none comes last either way round."""
    keyed = [(key(item), item) for item in items]
    known = [pair for pair in keyed if pair[0] is not None and pair[0] == pair[0]]
    others = [item for value, item in keyed if value is None or value != value]
    return [item for _, item in sorted(known, key=lambda pair: pair[0], reverse=is_down)] + others
