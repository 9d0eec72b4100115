"""Parts: the retrievers that another one is made of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from assay.model import Document, Hit, Pack, Query
from assay.providers._answers import Answers, answers_from
from assay.providers._event_loop import EventLoop
from assay.providers._provider import Retriever

Judged = Mapping[str, Mapping[str, float]]
"""Query → document → grade."""


class Parts:
    """Hands on to every part what it is given itself; coroutines are awaited."""

    def __init__(self, parts: Sequence[Retriever]) -> None:
        self.parts = list(parts)
        self.batch: int = min((getattr(part, "batch", 1000) for part in self.parts), default=1000)
        """As many queries at once as the part takes that takes the fewest."""
        self._event_loop = EventLoop()

    def index(self, documents: Iterable[Document]) -> None:
        """Give the documents to each."""
        documents = list(documents)
        for part in self.parts:
            self._event_loop.result(part.index(documents))

    def search(self, queries: Sequence[Query], k: int) -> list[Answers]:
        """Part by part, the answers to all queries."""
        return [answers_from(self._event_loop.result(part.search(queries, k)), queries, k) for part in self.parts]

    def know(self, qrels: Judged, pack: Pack | None = None, relevance: str = "auto", **settings: Any) -> None:
        """Tell what is relevant to each part that may know it."""
        for part in self.parts:
            if callable(know := getattr(part, "know", None)):
                know(qrels, pack, relevance, **settings)

    def know_order(self, queries: Collection[str], documents: Collection[str]) -> None:
        """Tell the order of the benchmark to each part that reads files in that order."""
        for part in self.parts:
            if callable(know := getattr(part, "know_order", None)):
                know(queries, documents)

    def close(self) -> None:
        """Close each part that can be closed."""
        for part in self.parts:
            if callable(close := getattr(part, "close", None)):
                self._event_loop.result(close())


def ranked(hits: Iterable[Hit]) -> list[Hit]:
    """Hits in the order of every run: score descending, then id descending."""
    return sorted(hits, key=lambda hit: (hit.score, hit.doc_id), reverse=True)
