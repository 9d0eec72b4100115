"""Reporting: what a retriever reports while it works, such as the number of documents that it has indexed.

A retriever does not know who listens: the caller sets a listener for the time of a call, and without one a report does
nothing. A retriever inside another one, such as a part of `hybrid`, reaches the same listener.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from typing import Literal, Protocol, TypeVar

T = TypeVar("T")
Report = Callable[[int, int], None]
"""Called with the number of documents that are done, and the number of all."""
Work = Literal["reading", "indexing"]
ITEMS_PER_REPORT = 256
"""Documents between two reports, so that counting costs next to nothing."""


class Listener(Protocol):
    """An object that receives reports, from any thread."""

    def count_documents(self, n_done: int, n_all: int, work: Work, /) -> None:
        """So many of so many documents are read or indexed. A lower number than before means that another pass begins."""

    def note_delay(self, seconds: float, why: str, /) -> None:
        """There was no response for so many seconds; `why` says the usual reason and what to do."""

    def note_cache(self, what: str, /) -> None:
        """A cache could not be used or written; the results are the same, but it takes longer."""


_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def reporting_to(listener: Listener | None) -> Iterator[None]:
    """Send the reports of all calls inside to this listener."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def report_indexed(n_done: int, n_all: int, work: Work = "indexing") -> None:
    """Report how many documents are indexed, or only read."""
    if (listener := _LISTENER.get()) is not None:
        listener.count_documents(n_done, n_all, work)


def report_nothing(n_done: int, n_all: int) -> None:
    """Ignore the numbers, for work that is not indexing."""


def report_delay(seconds: float, why: str) -> None:
    """Report that there was no response for so many seconds, with the usual reason. The user reads it at once."""
    if (listener := _LISTENER.get()) is not None:
        listener.note_delay(seconds, why)


def report_cache(what: str) -> None:
    """Report that a cache could not be used or written."""
    if (listener := _LISTENER.get()) is not None:
        listener.note_cache(what)


def counted_items(items: Collection[T], work: Work = "indexing") -> Iterator[T]:
    """The items; how many have been used is reported now and then."""
    if _LISTENER.get() is None:
        yield from items
        return
    n_done, rest = 0, iter(items)
    report_indexed(0, len(items), work)
    while some := list(islice(rest, ITEMS_PER_REPORT)):
        yield from some
        n_done += len(some)
        report_indexed(n_done, len(items), work)


class CountedDocuments(Collection[T]):
    """Documents for a retriever that does not report itself: they are counted while it iterates over them.

    `fingerprint` returns the hash of their content, so that a cached index is found without reading them.
    """

    def __init__(self, documents: Collection[T], fingerprint: Callable[[], str] | None = None) -> None:
        self._documents, self.fingerprint = documents, fingerprint

    def being_read(self) -> Iterator[T]:
        """The documents, for a retriever that first reads all of them and then indexes them."""
        return counted_items(self._documents, "reading")

    def __iter__(self) -> Iterator[T]:
        return counted_items(self._documents)

    def __len__(self) -> int:
        return len(self._documents)

    def __contains__(self, document: object) -> bool:
        return document in self._documents
