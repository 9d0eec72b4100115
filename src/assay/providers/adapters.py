"""What adapters share: parameters, the call of another's store or retriever, and by which id a found item is known."""

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
"""What people call the id of a chunk among its metadata."""
OWN_IDS = ("id", "_id", "uuid", "key")
"""Ids of whatever is stored, a chunk or a whole document."""
WHOLE_IDS = ("doc_id", "document_id", "docid", "docno", "docId", "documentId")
"""What people call the id of a document."""
DOCUMENT_IDS = (
    *WHOLE_IDS,
    *("ref_doc_id", "parent_id", "source_id", "source", "file_path", "filename", "file_name", "path", "url"),
)
"""The same, and where frameworks say which document a chunk was cut from."""
OWN_OR_WHOLE_IDS = (*OWN_IDS, *WHOLE_IDS)
TEXT_NAMES = (*TEXTS, "document")
INSIDE = ("metadata", "meta", "payload", "cmetadata", "metadata_")
"""Fields in which stores keep the metadata of their items."""
MAX_SHOWN_NUMBERS = 16
"""A list with more numbers than that is a vector, which nobody wants to see beside a hit."""


class Item(NamedTuple):
    """Something found: the store's own id of it, its text and score where there are any, and all its other fields."""

    own_id: Any
    text: str | None
    score: Any
    fields: Mapping[str, Any]


@dataclass(frozen=True)
class Reading:
    """Which fields of an item hold its ids and text, and which id it is known by: its own, or that of its document."""

    unit: str = "chunk"
    chunk_id: str = ""
    document_id: str = ""
    text: str = ""

    @property
    def is_of_documents(self) -> bool:
        """Whether documents are retrieved, each by the best of its chunks."""
        return self.unit == "document"

    def entry(self, item: Item, place: int) -> Entry:
        """The item as a hit, with both ids in its metadata; without the id that is asked for, a PermanentFailure."""
        layers = layers_of(item.fields)
        chunk, document = self._chunk(item, layers), self._document(item, layers)
        doc = document if self.is_of_documents else chunk
        if doc is None:
            raise PermanentFailure(
                f"hit {place} has no {self.unit} id: it has {names_in(merge_layers(layers))}; {self._advice(layers)}"
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
        advice = f"set {self.unit}_id= to the field that holds it"
        if self.is_of_documents:
            return f"{advice}, or unit=chunk where the items themselves are judged"
        names = (self.document_id,) if self.document_id else DOCUMENT_IDS
        whole = next((name for name in names if _first(layers, (name,)) is not None), "")
        return f"{advice}, or unit=document where documents are judged, which {whole} names" if whole else advice


def layers_of(fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The fields, and the metadata that some stores keep in one of them."""
    return [fields, *(fields[name] for name in INSIDE if name in fields and isinstance(fields[name], Mapping))]


def merge_layers(layers: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """All layers in one, the outer names first and the outer values kept."""
    fields: dict[str, Any] = {}
    for layer in layers:
        for name, value in layer.items():
            if name not in INSIDE or not isinstance(value, Mapping):
                fields.setdefault(str(name), value)
    return fields


def _first(layers: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Any:
    """The value under the first of the names that has one, wherever it stands."""
    for name in names:
        for layer in layers:
            if (value := layer.get(name)) is not None and _is_id(value):
                return value
    return None


def _at(item: Item, layers: Iterable[Mapping[str, Any]], field: str) -> Any:
    """What a field or path holds; `id` is the store's own id where no field is called so. None where there is nothing."""
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
    """Whether a field is a vector, or the text once more."""
    if isinstance(value, str):
        return value == text
    if isinstance(value, list | tuple):
        return len(value) > MAX_SHOWN_NUMBERS and all(isinstance(number, int | float) for number in value)
    return callable(getattr(value, "__array__", None))


ASKED_ALONE: dict[str, Any] = {"batch": 1, "indexes": False}
"""Fields of a record: queries are asked one by one, and documents are not handed over."""

READING = (
    Param(
        "unit",
        one_of("chunk", "document"),
        "chunk",
        "what is judged: each item by itself, or its document by the best chunk",
    ),
    Param(
        "chunk_id", path, "", "field with the id of a chunk; by default chunk_id, else the id the store itself has for it"
    ),
    Param("document_id", path, "", "field with the id of the document; by default doc_id, document_id, … or source"),
    Param("text", path, "", "field with the text; found by its usual names where empty"),
)
"""Where ids and text stand in an item."""
TIMEOUT = Param("timeout", positive, None, "seconds until a coroutine is cancelled; by default what the evaluation allows")
SCOPE = Param("scope", path, "", "field with a document's group; then a query that has a scope searches there alone")


def named_in_code(name: str) -> Param:
    """The parameter that names what is asked, in Python code."""
    return Param(name, parse_function, REQUIRED, "module:name of it, or of a function without parameters that makes it")


Ask = Callable[[Query, int], Any]
"""A query and how many items are wanted → an answer, or something to await that gives it."""
Read = Callable[[Any], Iterable[Item]]
"""An answer → its items, best first."""

AT_FIRST, AT_MOST = 2, 64
"""How many chunks are asked for per document that is wanted: in the beginning, and before no more are asked for."""


class AdapterRetriever:
    """Asks one query at a time; any thread may. A blank query finds nothing, and is not asked."""

    batch = 1

    def __init__(self, name: str, ask: Ask, read: Read, reading: Reading, timeout: float | None = None) -> None:
        self._name, self._ask, self._read, self._reading, self._timeout = name, ask, read, reading, timeout
        self._event_loop = EventLoop()
        self.close: Callable[[], None] = _nothing_to_close

    def search(self, queries: Sequence[Query], k: int) -> list[list[Hit]]:
        """Ask for each query in turn."""
        return [self._search(query, k) if query.text.strip() else [] for query in queries]

    def _search(self, query: Query, k: int) -> list[Hit]:
        """The best k; of documents, more chunks are asked for until there are enough, or no more come."""
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
        except PermanentFailure as error:
            advice = "; unit=document takes the best chunk of each document" if isinstance(error, DuplicateDocument) else ""
            raise PermanentFailure(f"{self._name}: {error}{advice}") from None


def _nothing_to_close() -> None:
    """What a store that somebody else opened needs."""


def with_higher_better(entries: Sequence[Entry]) -> list[Entry]:
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
    if is_whole and all(score >= other for score, other in pairwise(known)):
        return list(entries)
    if is_whole and all(score <= other for score, other in pairwise(known)):
        return [entry._replace(score=0.0 - score) for entry, score in zip(entries, known, strict=True)]
    return [entry._replace(score=None) for entry in entries]


def best_of_each(entries: Iterable[Entry]) -> list[Entry]:
    """Of the entries with one id only the first, which is the best."""
    best_entries: dict[Any, Entry] = {}
    for entry in entries:
        best_entries.setdefault(entry.doc, entry)
    return list(best_entries.values())
