"""Feature documents: the documents of a benchmark for learning to rank, which have features instead of texts."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from functools import cached_property

from assay.model import Document, FeatureTable


class FeatureDocuments(MutableMapping[str, Document]):
    """Document id → a document without text. The ids are collected when they are first needed.

    A document may belong to several queries, so its features are in the table, and its queries in `groups` of the benchmark.
    """

    def __init__(self, table: FeatureTable) -> None:
        self._table = table

    @cached_property
    def _documents(self) -> dict[str, Document | None]:
        return dict.fromkeys(self._table.documents)

    def __getitem__(self, doc_id: str) -> Document:
        return self._documents[doc_id] or Document(doc_id)

    def __setitem__(self, doc_id: str, document: Document) -> None:
        self._documents[doc_id] = document

    def __delitem__(self, doc_id: str) -> None:
        del self._documents[doc_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._documents)

    def __len__(self) -> int:
        return len(self._documents)

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self._documents
