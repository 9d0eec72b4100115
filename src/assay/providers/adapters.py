"""What adapters share: parameters, the call to a store or retriever, and the choice of the id of each item found."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from assay.errors import ProviderError
from assay.grammar import REQUIRED, Param, one_of, positive
from assay.model import TEXTS, Hit, Query, as_number
from assay.providers.event_loop import EventLoop
from assay.providers.loading import describe_library_error, parse_function
from assay.providers.responses import Entry, hits_of_entries, names_in
from assay.providers.retriever import DuplicateDocument, PermanentFailure
from assay.providers.templates import follow, path

CHUNK_IDS = ("chunk_id", "chunkId", "node_id", "passage_id")
"""Common names for the id of a chunk in its metadata."""
OWN_IDS = ("id", "_id", "uuid", "key")
"""Common names for the id of a stored item, which may be a chunk or a whole document."""
WHOLE_IDS = ("doc_id", "document_id", "docid", "docno", "docId", "documentId")
"""Common names for the id of a document."""
DOCUMENT_IDS = (
    *WHOLE_IDS,
    *("ref_doc_id", "parent_id", "source_id", "source", "file_path", "filename", "file_name", "path", "url"),
)
"""The same, and the fields in which frameworks store the document that a chunk was cut from."""
OWN_OR_WHOLE_IDS = (*OWN_IDS, *WHOLE_IDS)
TEXT_NAMES = (*TEXTS, "document")
INSIDE = ("metadata", "meta", "payload", "cmetadata", "metadata_")
"""Fields in which stores put the metadata of their items."""
MAX_SHOWN_NUMBERS = 16
"""A list with more numbers than this is a vector and is not shown with a hit."""


class Item(NamedTuple):
    """An item found: the id that the store gave it, its text and score (None if unknown), and all its other fields."""

    own_id: Any
    text: str | None
    score: Any
    fields: Mapping[str, Any]


@dataclass(frozen=True)
class Reading:
    """Which fields of an item hold its ids and text, and whether the hit gets the id of the chunk or of its document."""

    unit: str = "chunk"
    chunk_id: str = ""
    document_id: str = ""
    text: str = ""

    @property
    def is_of_documents(self) -> bool:
        """Whether documents are retrieved, each ranked by its best chunk."""
        return self.unit == "document"

    def entry(self, item: Item, place: int) -> Entry:
        """The item as a hit, with both ids in its metadata. PermanentFailure if the id of the chosen unit is missing."""
        layers = layers_of(item.fields)
        chunk, document = self._chunk(item, layers), self._document(item, layers)
        doc = document if self.is_of_documents else chunk
        if doc is None:
            raise PermanentFailure(
                f"hit {place} has no {self.unit} id: it has {names_in(merge_layers(layers))}. {self._advice(layers)}"
            )
        text = self._text(item, layers)
        metadata = {name: value for name, value in merge_layers(layers).items() if not _is_bulky(value, text)}
        known = {"chunk_id": chunk, "doc_id": document}
        metadata |= {name: value for name, value in known.items() if value is not None and name not in metadata}
        return Entry(doc, item.score, text, metadata)

    def _chunk(self, item: Item, layers: Sequence[Mapping[str, Any]]) -> Any:
        if self.chunk_id:
            return _at(item, layers, self.chunk_id)
        own = item.own_id if _is_id(item.own_id) else None
        chunk_id = _first(layers, CHUNK_IDS)
        chunk_id = own if chunk_id is None else chunk_id
        return _first(layers, OWN_OR_WHOLE_IDS) if chunk_id is None else chunk_id

    def _document(self, item: Item, layers: Sequence[Mapping[str, Any]]) -> Any:
        return _at(item, layers, self.document_id) if self.document_id else _first(layers, DOCUMENT_IDS)

    def _text(self, item: Item, layers: Sequence[Mapping[str, Any]]) -> str | None:
        if self.text:
            text = _at(item, layers, self.text)
            return text if isinstance(text, str) else None
        if item.text is not None:
            return item.text
        return next((value for layer in layers for name in TEXT_NAMES if isinstance(value := layer.get(name), str)), None)

    def _advice(self, layers: Sequence[Mapping[str, Any]]) -> str:
        advice = f"Set {self.unit}_id= to the field with the id"
        if self.is_of_documents:
            return f"{advice}, or set unit=chunk if the judgments are about chunks"
        names = (self.document_id,) if self.document_id else DOCUMENT_IDS
        whole = next((name for name in names if _first(layers, (name,)) is not None), "")
        return (
            f"{advice}, or set unit=document if the judgments are about documents (their id is in {whole})"
            if whole
            else advice
        )


def layers_of(fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The fields, and the metadata that some stores put into one of them."""
    return [fields, *(fields[name] for name in INSIDE if name in fields and isinstance(fields[name], Mapping))]


def merge_layers(layers: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """All layers merged into one, outer names first; if a name occurs twice, the outer value is used."""
    fields: dict[str, Any] = {}
    for layer in layers:
        for name, value in layer.items():
            if name not in INSIDE or not isinstance(value, Mapping):
                fields.setdefault(str(name), value)
    return fields


def _first(layers: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Any:
    """The value of the first of the names that has one, in any layer."""
    for name in names:
        for layer in layers:
            if (value := layer.get(name)) is not None and _is_id(value):
                return value
    return None


def _at(item: Item, layers: Iterable[Mapping[str, Any]], field: str) -> Any:
    """The value of a field or path, None if there is none. `id` is the id in the store, unless a field has that name."""
    for layer in layers:
        if field in layer:
            return layer[field]
    if field == "id":
        return item.own_id
    try:
        return follow(item.fields, field)
    except ProviderError:
        return None


def _is_id(value: Any) -> bool:
    if isinstance(value, str):
        return value != ""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _is_bulky(value: Any, text: str | None) -> bool:
    """Whether a field is a vector or a copy of the text."""
    if isinstance(value, str):
        return value == text
    if isinstance(value, list | tuple):
        return len(value) > MAX_SHOWN_NUMBERS and all(isinstance(number, int | float) for number in value)
    return callable(getattr(value, "__array__", None))


ASKED_ALONE: dict[str, Any] = {"batch": 1, "indexes": False}
"""Fields of a record: queries are sent one by one, and the provider does not get the documents."""

READING = (
    Param(
        "unit",
        one_of("chunk", "document"),
        "chunk",
        "what the judgments are about: chunk, or document (ranked by its best chunk)",
    ),
    Param("chunk_id", path, "", "field with the chunk id (default: chunk_id or a similar name, else the id in the store)"),
    Param("document_id", path, "", "field with the document id (default: doc_id, document_id, … or source)"),
    Param("text", path, "", "field with the text (default: text, content or another usual name)"),
)
"""Parameters that name the fields with ids and text."""
TIMEOUT = Param("timeout", positive, None, "seconds until a coroutine is cancelled (default: the timeout of the evaluation)")
SCOPE = Param(
    "scope",
    path,
    "",
    "field with the group of a document; if set, a query with a scope searches only the group of that name",
)


def named_in_code(name: str) -> Param:
    """The parameter that names the object to query in Python code."""
    return Param(
        name, parse_function, REQUIRED, f"module:name of the {name}, or of a function without parameters that returns it"
    )


Ask = Callable[[Query, int], Any]
"""A query and the number of items → a response, or an awaitable that gives it."""
Read = Callable[[Any], Iterable[Item]]
"""A response → its items, best first."""

AT_FIRST, AT_MOST = 2, 64
"""How many chunks are requested per document: in the first request, and at most."""


class AdapterRetriever:
    """Sends one query at a time, from any thread. A blank query is not sent and finds nothing."""

    batch = 1

    def __init__(self, name: str, ask: Ask, read: Read, reading: Reading, timeout: float | None = None) -> None:
        self._name, self._ask, self._read, self._reading, self._timeout = name, ask, read, reading, timeout
        self._event_loop = EventLoop()
        self.close: Callable[[], None] = _nothing_to_close

    def search(self, queries: Sequence[Query], k: int) -> list[list[Hit]]:
        """Search for each query in turn."""
        return [self._search(query, k) if query.text.strip() else [] for query in queries]

    def _search(self, query: Query, k: int) -> list[Hit]:
        """The best k hits. For documents, request more chunks until there are k documents or no more chunks come."""
        if not self._reading.is_of_documents:
            return self._ranked(self._retrieve(query, k), k)
        before, n_chunks = -1, AT_FIRST * k
        while True:
            items = self._retrieve(query, n_chunks)
            hits = self._ranked(items, k)
            if len(hits) >= k or len(items) < n_chunks or len(items) == before or n_chunks >= AT_MOST * k:
                return hits
            before, n_chunks = len(items), 2 * n_chunks

    def _retrieve(self, query: Query, k: int) -> list[Item]:
        with describe_library_error(self._name):
            answer = self._event_loop.result(self._ask(query, k), self._timeout)
            try:
                return list(self._read(answer))
            except PermanentFailure as error:
                raise PermanentFailure(f"{self._name}: {error}") from None

    def _ranked(self, items: Sequence[Item], k: int) -> list[Hit]:
        try:
            entries = with_higher_better([self._reading.entry(item, place) for place, item in enumerate(items, 1)])
            return hits_of_entries(best_of_each(entries) if self._reading.is_of_documents else entries, k)
        except DuplicateDocument as error:
            advice = "Set unit=document to rank each document by its best chunk"
            what = f"{self._reading.unit} {error.document} occurs twice in the ranking"
            raise PermanentFailure(f"{self._name}: {what}. {advice}") from None
        except PermanentFailure as error:
            raise PermanentFailure(f"{self._name}: {error}") from None


def _nothing_to_close() -> None:
    """Leave a store open that assay did not open."""


def with_higher_better(entries: Sequence[Entry]) -> list[Entry]:
    """The same entries with scores of which a higher one is better. The order given is the ranking.

    Scores that rise in this order are distances and are negated. Scores that go up and down, or that some entries do not
    have, are dropped, so that only the order counts. A score that is not a finite number is left for the caller to report.
    """
    scores = [None if entry.score is None else as_number(entry.score) for entry in entries]
    if any(
        entry.score is not None and (s is None or not math.isfinite(s)) for entry, s in zip(entries, scores, strict=True)
    ):
        return list(entries)
    known = [score for score in scores if score is not None]
    is_whole = len(known) == len(entries)
    if is_whole and all(score >= other for score, other in pairwise(known)):
        return list(entries)
    if is_whole and all(score <= other for score, other in pairwise(known)):
        return [entry._replace(score=0.0 - score) for entry, score in zip(entries, known, strict=True)]
    return [entry._replace(score=None) for entry in entries]


def best_of_each(entries: Iterable[Entry]) -> list[Entry]:
    """The first entry of each id, which is the best one."""
    best_entries: dict[Any, Entry] = {}
    for entry in entries:
        best_entries.setdefault(entry.doc, entry)
    return list(best_entries.values())
