"""Items: what stores and retrievers find, and by which of its ids a found item is known."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from assay.errors import ProviderError
from assay.model import TEXTS
from assay.providers._answers import Entry, names_in
from assay.providers._paths import follow
from assay.providers._refusals import PermanentFailure

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
LONG = 16
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
        """The item as a hit, with both ids in its metadata; without the id that is asked for it is Final."""
        layers = layers_of(item.fields)
        chunk, document = self._chunk(item, layers), self._document(item, layers)
        doc = document if self.is_of_documents else chunk
        if doc is None:
            raise PermanentFailure(
                f"hit {place} has no {self.unit} id: it has {names_in(merged(layers))}; {self._advice(layers)}"
            )
        text = self._text(item, layers)
        metadata = {name: value for name, value in merged(layers).items() if not _is_bulky(value, text)}
        known = {"chunk_id": chunk, "doc_id": document}
        metadata |= {name: value for name, value in known.items() if value is not None and name not in metadata}
        return Entry(doc, item.score, text, metadata)

    def _chunk(self, item: Item, layers: Sequence[Mapping[str, Any]]) -> Any:
        if self.chunk_id:
            return _at(item, layers, self.chunk_id)
        own = item.own_id if _is_id(item.own_id) else None
        found = _first(layers, CHUNK_IDS)
        found = own if found is None else found
        return _first(layers, OWN_OR_WHOLE_IDS) if found is None else found

    def _document(self, item: Item, layers: Sequence[Mapping[str, Any]]) -> Any:
        return _at(item, layers, self.document_id) if self.document_id else _first(layers, DOCUMENT_IDS)

    def _text(self, item: Item, layers: Sequence[Mapping[str, Any]]) -> str | None:
        if self.text:
            found = _at(item, layers, self.text)
            return found if isinstance(found, str) else None
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


def merged(layers: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """All layers in one, the outer names first and the outer values kept."""
    found: dict[str, Any] = {}
    for layer in layers:
        for name, value in layer.items():
            if name not in INSIDE or not isinstance(value, Mapping):
                found.setdefault(str(name), value)
    return found


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
        return len(value) > LONG and all(isinstance(one, int | float) for one in value)
    return hasattr(value, "__array__")
