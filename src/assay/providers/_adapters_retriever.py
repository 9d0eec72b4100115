"""AdapterRetriever: asks somebody else's store or retriever, and reads what it found as a ranking."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

from assay.model import Document, Hit, Query, as_number
from assay.providers._adapters_items import Item, Reading
from assay.providers._answers import Entry, hits_of_entries
from assay.providers._event_loop import EventLoop
from assay.providers._explained import describe_library_error
from assay.providers._refusals import PermanentFailure

Ask = Callable[[Query, int], Any]
"""A query and how many items are wanted → an answer, or something to await that gives it."""
Read = Callable[[Any], Iterable[Item]]
"""An answer → its items, best first."""

AT_FIRST, AT_MOST = 2, 64
"""How many chunks are asked for per document that is wanted: in the beginning, and before no more are asked for."""


class AdapterRetriever:
    """Asks one query at a time; any thread may. A blank query finds nothing, and is not asked."""

    batch = 1
    indexes = False

    def __init__(self, name: str, ask: Ask, read: Read, reading: Reading, timeout: float | None = None) -> None:
        self._name, self._ask, self._read, self._reading, self._timeout = name, ask, read, reading, timeout
        self._event_loop = EventLoop()
        self.close: Callable[[], None] = _nothing_to_close

    def index(self, documents: Iterable[Document]) -> None:
        """Nothing: the store has its own documents."""

    def search(self, queries: Sequence[Query], k: int) -> list[list[Hit]]:
        """Ask for each query in turn."""
        return [self._search(query, k) if query.text.strip() else [] for query in queries]

    def _search(self, query: Query, k: int) -> list[Hit]:
        """The best k; of documents, more chunks are asked for until there are enough, or no more come."""
        if not self._reading.is_of_documents:
            return self._ranked(self._found(query, k), k)
        before, wanted = -1, AT_FIRST * k
        while True:
            items = self._found(query, wanted)
            hits = self._ranked(items, k)
            if len(hits) >= k or len(items) < wanted or len(items) == before or wanted >= AT_MOST * k:
                return hits
            before, wanted = len(items), 2 * wanted

    def _found(self, query: Query, k: int) -> list[Item]:
        with describe_library_error(self._name):
            answer = self._event_loop.result(self._ask(query, k), self._timeout)
            try:
                return list(self._read(answer))
            except PermanentFailure as error:
                raise PermanentFailure(f"{self._name}: {error}") from None

    def _ranked(self, items: Sequence[Item], k: int) -> list[Hit]:
        try:
            entries = oriented([self._reading.entry(item, place) for place, item in enumerate(items, 1)])
            return hits_of_entries(first_of_each(entries) if self._reading.is_of_documents else entries, k)
        except PermanentFailure as error:
            advice = "; unit=document takes the best chunk of each document" if "comes twice" in str(error) else ""
            raise PermanentFailure(f"{self._name}: {error}{advice}") from None


def _nothing_to_close() -> None:
    """What a store that somebody else opened needs."""


def oriented(entries: Sequence[Entry]) -> list[Entry]:
    """The same with scores of which more is better. The order given is the ranking.

    Scores that rise in that order are distances, and negated; those that go up and down, or are not there for all, say
    nothing about the order, which then stands for itself. What is no finite number is left for others to complain about.
    """
    scores = [None if entry.score is None else as_number(entry.score) for entry in entries]
    if any(
        entry.score is not None and (s is None or not math.isfinite(s)) for entry, s in zip(entries, scores, strict=True)
    ):
        return list(entries)
    known = [score for score in scores if score is not None]
    is_whole = len(known) == len(entries)
    if is_whole and all(one >= other for one, other in pairwise(known)):
        return list(entries)
    if is_whole and all(one <= other for one, other in pairwise(known)):
        return [entry._replace(score=0.0 - score) for entry, score in zip(entries, known, strict=True)]
    return [entry._replace(score=None) for entry in entries]


def first_of_each(entries: Iterable[Entry]) -> list[Entry]:
    """Of the entries with one id only the first, which is the best."""
    found: dict[Any, Entry] = {}
    for entry in entries:
        found.setdefault(entry.doc, entry)
    return list(found.values())
