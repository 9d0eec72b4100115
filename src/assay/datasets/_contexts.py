"""Contexts: passages as RAG teams write them down, with or without ids, for all questions or for one of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from assay.datasets._entries import DOCUMENT_ID, Entry, is_text, is_whole, with_id
from assay.datasets._notes import Notes
from assay.errors import DataError, Faults
from assay.model import Document
from assay.text import shortened

CONTENT = ("content", "text", "page_content", "body")
OWN = {"source": is_text, "section": is_text, "page_number": is_whole, "group": is_text}
"""Fields of a document that stand in its metadata."""


class Contexts:
    """All documents of a file, as they come: first those for everybody, then those of single questions."""

    def __init__(self, label: str, notes: Notes) -> None:
        self.label, self.notes = label, notes
        self.documents: dict[str, Document] = {}
        self.are_shared = False
        """Whether there are contexts for every question."""
        self._uses: Counter[str] = Counter()
        """How often an id is used by contexts of questions, and for everybody."""

    def read_shared(self, value: Any) -> None:
        """The contexts that every question may search. The same text twice, without ids, is one document."""
        documents = self._shared_documents(value)
        known: dict[tuple[object, ...], str] = {}
        for document in documents.values():
            if document.doc_id:
                known.setdefault(_identity(document), document.doc_id)
        faults = Faults(f"{self.label}, context")
        for number, document in documents.items():
            doc_id = document.doc_id or known.setdefault(_identity(document), f"c{number}")
            try:
                self._add_shared(number, doc_id, document)
            except ValueError as error:
                faults.add(number, str(error))
        faults.raise_if_any()
        self.are_shared = bool(self.documents)
        self._uses.update(self.documents.keys())

    def _shared_documents(self, value: Any) -> dict[int, Document]:
        """Number → document, its id empty where none is given."""
        faults = Faults(f"{self.label}, context")
        found: dict[int, Document] = {}
        for number, one in enumerate(each_context(value, self.label), 1):
            try:
                found[number] = self._document(one, f"{self.label}, context {number}")
            except ValueError as error:
                faults.add(number, str(error))
        faults.raise_if_any()
        return found

    def _add_shared(self, number: int, doc_id: str, document: Document) -> None:
        there = self.documents.get(doc_id)
        if there is None:
            self.documents[doc_id] = named(document, doc_id)
            return
        if _identity(there) != _identity(document):
            raise DataError(f"there is another context called {doc_id}, with another text")
        place = f"{self.label}, context {number}"
        self.notes.mend(place, f"the same text as {doc_id}; they are one document")
        if named(document, doc_id) != there:
            self.notes.lose(place, f"its source, section and metadata differ from those of {doc_id}, which are kept")

    def expect(self, value: Any) -> None:
        """Look at the contexts of a question beforehand: an id that several questions use must be told apart."""
        self._uses.update({str(_id_of(one)) for one in each_context(value) if isinstance(_id_of(one), str | int)})

    def read_own(self, value: Any, query_id: str, scope: str, place: str) -> dict[str, str]:
        """The contexts of one question: what the question calls each → the id of the document."""
        names: dict[str, str] = {}
        for number, one in enumerate(each_context(value), 1):
            document = self._document(one, f"{place}, context {number}")
            name = document.doc_id or f"c{number}"
            doc_id = name if document.doc_id and self._uses[name] <= 1 else f"{query_id}/{name}"
            if name in names or doc_id in self.documents:
                raise DataError(f"two contexts are called {name}")
            if document.doc_id and doc_id != name:
                self.notes.mend(place, f"other contexts are called {name} too; this one is {doc_id}")
            if document.group not in (None, scope):
                self.notes.lose(place, f"context {name} is of group {document.group}, but belongs to this question alone")
            self.documents[doc_id] = named(document, doc_id, scope)
            names[name] = doc_id
        return names

    def _document(self, value: Any, place: str) -> Document:
        """A document; its id is empty where none is given."""
        entry = Entry.of(value, CONTENT[0], place, self.notes)
        doc_id = entry.take_id(DOCUMENT_ID) or ""
        text = entry.take_text(CONTENT, "the content")
        title = entry.take_own({"title": is_text}).get("title") if "title" in entry.fields else None
        own = entry.take_own(OWN)
        return Document(doc_id, text, title=title, metadata=entry.rest(), **own)


def each_context(value: Any, label: str = "contexts") -> Iterator[Any]:
    """One after the other: a list, id → context, or a single one."""
    if isinstance(value, Mapping) and not value.keys() & {*CONTENT}:
        yield from (with_id(key, one, CONTENT[0], label) for key, one in value.items())
    elif isinstance(value, list):
        yield from value
    elif isinstance(value, str | Mapping):
        yield value
    else:
        raise DataError(f"{label}: expected a list of contexts, found {shortened(value)}")


def _id_of(value: Any) -> object:
    found: Iterable[object] = (value.get(name) for name in DOCUMENT_ID) if isinstance(value, Mapping) else ()
    return next((one for one in found if one is not None), None)


def _identity(document: Document) -> tuple[object, ...]:
    """What makes two contexts without ids the same document."""
    return document.text, document.title, document.group


def named(document: Document, doc_id: str, group: str | None = None) -> Document:
    """The same document under that id, and in that group."""
    return replace(document, doc_id=doc_id, group=group if group is not None else document.group)
