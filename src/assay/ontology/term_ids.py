"""Term ids: the one id that a term goes by, whichever of its ids a file uses, and notes on those that were read so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from assay.ontology.ontology import UNKNOWN, Ontology
from assay.ontology.search import notes_on_ids
from assay.text import counted

MAX_IDS_LISTED = 5
"""Ids that a note names."""


@dataclass(frozen=True)
class TermIds:
    """Writes ids of terms one way: as documents do, else as the ontology does. Ids that are no terms stay as they are."""

    ontology: Ontology
    documents: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def _own(self) -> dict[int, str]:
        """Term → the id of its document, where documents write it otherwise than the ontology."""
        known = self.ontology.number
        others = [doc_id for doc_id in self.documents if doc_id not in known]
        documents: dict[int, str] = {}
        for doc_id, number in zip(others, self.ontology.numbers(others).tolist(), strict=True):
            if number != UNKNOWN and self.ontology.ids[number] not in self.documents:
                documents.setdefault(number, doc_id)
        return documents

    def of(self, doc_id: str) -> str:
        """The id that a term goes by: `HP:0001250` for `HP_0001250`, its address, and its alternative and obsolete ids."""
        if doc_id in self.documents or (doc_id in self.ontology.number and not self._own):
            return doc_id
        number = int(self.ontology.numbers([doc_id])[0])
        return doc_id if number == UNKNOWN else self._own.get(number, self.ontology.ids[number])

    def notes(self, expected: Iterable[str], retrieved: Iterable[str]) -> list[str]:
        """What a reader should know about ids under other names, and about those that nobody knows."""
        kinds = (("expected", list(expected)), ("retrieved", list(dict.fromkeys(retrieved))))
        return [
            note
            for kind, ids in kinds
            for note in (*self._on_alternatives(ids, kind), *notes_on_ids(self.ontology, ids, kind))
        ]

    def _on_alternatives(self, ids: Iterable[str], kind: str) -> list[str]:
        others = [doc_id for doc_id in dict.fromkeys(ids) if doc_id not in self.ontology.number]
        pairs = [f"{doc_id} → {self.of(doc_id)}" for doc_id in others if self.ontology.find(doc_id).kind == "alternative"]
        if not pairs:
            return []
        more = " …" if len(pairs) > MAX_IDS_LISTED else ""
        reading = f"read as the term's own: {', '.join(pairs[:MAX_IDS_LISTED])}{more}"
        return [f"{counted(len(pairs), f'{kind} id')} alternative in {self.ontology.name}, {reading}."]
