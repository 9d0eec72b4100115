"""Paging: the hits of one query, collected from several responses of a service."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from assay.model import Hit, text_id
from assay.providers.responses import Entry, hits_of_entries
from assay.providers.retriever import ReportedHits

FIXED_SIZE_PLACES = frozenset({"page", "page0"})
"""Placeholders that count pages, so that all pages must have the same size."""


class Page(NamedTuple):
    """What one response has."""

    entries: list[Entry]
    fields: Mapping[str, Any]
    """What the response reports about the query."""
    cursor: Any = None
    """The cursor of the next page; None if there is none."""
    total: int | None = None
    """How many documents match on all pages, as the service says; None if it does not."""


@dataclass(frozen=True)
class Paging:
    """How a service is asked for several pages."""

    places: frozenset[str] = frozenset()
    """The placeholders in the request that change from page to page; without any, there is one request for each query."""
    size: int | None = None
    """The largest number of hits per page; None: k."""
    cursor: str = ""
    """The path of the next cursor in a response."""
    first_cursor: str | None = None
    deepest: int | None = None
    """The largest number of hits that the service returns for a query on all pages; None: not known."""
    ends_short: bool = False
    """Whether a page with fewer hits than requested is the last one, unless the service says that more documents match."""


@dataclass
class PagedHits:
    """The hits of one query so far. Of a document that is on two pages, the first one counts."""

    paging: Paging
    k: int
    is_complete: bool = False
    """Whether no further page is needed, or the service has none."""
    _entries: list[Entry] = field(default_factory=list)
    _docs: set[str] = field(default_factory=set)
    _fields: dict[str, Any] = field(default_factory=dict)
    _n_pages: int = 0
    _n_received: int = 0
    _cursor: Any = None
    _server_size: int | None = None
    """The largest number of hits that the service puts on a page, if that is fewer than requested."""

    def __post_init__(self) -> None:
        self.k = min(self.k, self.paging.deepest or self.k)
        self._cursor = self.paging.first_cursor

    @property
    def size(self) -> int:
        """How many hits the next page should have: no more than are missing or left, unless pages are counted."""
        size = min(self.paging.size or self.k, self.k)
        if self.paging.places & FIXED_SIZE_PLACES:
            return self._server_size or size
        return min(size, self.k - len(self._docs), self._n_left)

    @property
    def _n_left(self) -> int:
        """How many more hits the service returns for the query at most."""
        return (self.paging.deepest or sys.maxsize) - self._n_received

    @property
    def values(self) -> dict[str, Any]:
        """The values of the placeholders for the next page. The offset is the number of hits that came so far."""
        return {
            "size": self.size,
            "page": self._n_pages + 1,
            "page0": self._n_pages,
            "offset": self._n_received,
            "cursor": self._cursor,
        }

    def add(self, page: Page) -> None:
        """Add a page, in which each document occurs once."""
        asked_size, cursor = self.size, self._cursor
        fresh = [entry for entry in page.entries if entry.is_term or text_id(entry.doc) not in self._docs]
        new_docs = {text_id(entry.doc) for entry in page.entries} - self._docs
        self._entries += fresh
        self._docs |= new_docs
        self._fields = {**page.fields, **self._fields}
        self._n_pages += 1
        self._n_received += len(page.entries)
        self._cursor = page.cursor
        is_short = self.paging.ends_short and len(page.entries) < asked_size
        is_last = is_short and not self._goes_on(page)
        self.is_complete = (
            not self.paging.places
            or not new_docs
            or len(self._docs) >= self.k
            or self._n_left <= 0
            or is_last
            or ("cursor" in self.paging.places and (_is_empty(page.cursor) or page.cursor == cursor))
        )

    def _goes_on(self, page: Page) -> bool:
        """Whether a page is short because the service puts fewer hits on a page than requested.

        If pages are counted, the next ones have the size of the first page, so that no hit is left out between them.
        """
        if page.total is None or page.total <= self._n_received:
            return False
        if self.paging.places & FIXED_SIZE_PLACES:
            self._server_size = len(page.entries) if self._n_pages == 1 else None
            return self._n_pages == 1
        return True

    @property
    def ranked(self) -> list[Hit]:
        """At most k hits, best first, with what the service reported about the query."""
        hits = hits_of_entries(self._entries, self.k)
        return ReportedHits(hits, self._fields) if self._fields else hits


def _is_empty(cursor: Any) -> bool:
    return cursor is None or cursor is False or cursor in ("", [], {})
