"""ContextPool: the distinct contexts of many records as documents, each with one id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from assay.datasets.rag.context_lists import Context
from assay.datasets.rag.row import REFERENCE, RETRIEVED, RagRow
from assay.model import Document


class ContextPool:
    """The distinct contexts of all records: those with ids first, because a text alone may belong to one of them."""

    def __init__(self, rows: Iterable[RagRow]) -> None:
        self.documents: dict[str, Document] = {}
        self.same: dict[str, str] = {}
        """Id → the id of a document with the same text."""
        self.other_texts: set[str] = set()
        self.metadata: dict[str, Mapping[str, Any]] = {}
        """Id → what a record says about the context, if that may name evidence."""
        self.n_twice = 0
        self._by_text: dict[str, str] = {}
        contexts = [context for row in rows for roles in (RETRIEVED, REFERENCE) for context in row.paired(roles)]
        for context in contexts:
            if context.doc_id and context.text:
                self._add(context)
            if context.doc_id and context.metadata:
                self.metadata.setdefault(context.doc_id, context.metadata)
        number = 0
        for context in contexts:
            if not context.doc_id and context.key not in self._by_text:
                number += 1
                while f"c{number}" in self.documents:
                    number += 1
                self._add(replace(context, doc_id=f"c{number}"))

    def _add(self, context: Context) -> None:
        there = self.documents.get(context.doc_id)
        if there is not None:
            if " ".join(there.text.split()) != context.key:
                self.other_texts.add(context.doc_id)
                self._by_text.setdefault(context.key, context.doc_id)
            return
        first = self._by_text.setdefault(context.key, context.doc_id)
        if first == context.doc_id:
            self.documents[first] = Document(first, context.text)
        else:
            self.same[context.doc_id] = first

    def ids_of(self, row: RagRow, roles: tuple[str, ...]) -> dict[str, float]:
        """Id → grade of the contexts of two roles, in their order; a context that is listed twice counts once."""
        grades: dict[str, float] = {}
        for context in row.paired(roles):
            doc_id = self.same.get(context.doc_id, context.doc_id) or self._by_text[context.key]
            self.n_twice += doc_id in grades
            grades.setdefault(doc_id, context.grade)
        return grades
