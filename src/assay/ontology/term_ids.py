"""Term ids: the canonical id of a term, whichever of its ids a file uses, and notes about changed ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from assay.ontology.ontology import UNKNOWN, Ontology
from assay.ontology.search import notes_on_ids
from assay.text import counted

MAX_IDS_LISTED = 5
"""The most ids in a note."""


@dataclass(frozen=True)
class TermIds:
    """Gives each term one id: the id of its document, else its id in the ontology. Ids that are not terms are unchanged."""

    ontology: Ontology
    documents: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def _own(self) -> dict[int, str]:
        """Term → the id of its document, if it differs from the id in the ontology."""
        known = self.ontology.number
        others = [doc_id for doc_id in self.documents if doc_id not in known]
        documents: dict[int, str] = {}
        for doc_id, number in zip(others, self.ontology.numbers(others).tolist(), strict=True):
            if number != UNKNOWN and self.ontology.ids[number] not in self.documents:
                documents.setdefault(number, doc_id)
        return documents

    def of(self, doc_id: str) -> str:
        """The canonical id of a term: `HP:0001250` for `HP_0001250`, its IRI, and its alternative and obsolete ids."""
        if doc_id in self.documents or (doc_id in self.ontology.number and not self._own):
            return doc_id
        number = int(self.ontology.numbers([doc_id])[0])
        return doc_id if number == UNKNOWN else self._own.get(number, self.ontology.ids[number])

    def notes(self, expected: Iterable[str], retrieved: Iterable[str]) -> list[str]:
        """Sentences about alternative, obsolete and unknown ids."""
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
        listed = f"{', '.join(pairs[:MAX_IDS_LISTED])}{more}"
        amount = (
            f"{counted(len(pairs), f'{kind} id')} {'is an alternative id' if len(pairs) == 1 else 'are alternative ids'}"
        )
        return [f"{amount} in {self.ontology.name}; the main id of the term is used: {listed}."]
