"""Term ids: judgments and rankings in which every term has one id, whichever of its ids a file uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any

from assay.files import as_source, brings_hits, hits_of
from assay.model import Hit, Qrels, Rankings, Run
from assay.ontology import UNKNOWN, Ontology, notes_on_ids
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
        if doc_id in self.documents:
            return doc_id
        number = int(self.ontology.numbers([doc_id])[0])
        return doc_id if number == UNKNOWN else self._own.get(number, self.ontology.ids[number])

    def best(self, values: Mapping[str, float]) -> dict[str, float]:
        """Grades or scores by term; of several ids of one term the best counts."""
        by_term: dict[str, float] = {}
        for doc_id, value in values.items():
            term = self.of(doc_id)
            by_term[term] = max(value, by_term.get(term, value))
        return by_term

    def of_all(self, by_query: Mapping[str, Mapping[str, float]]) -> Mapping[str, Mapping[str, float]]:
        """Query → grades or scores by term; the same object where nothing is called otherwise."""
        strange = {
            query
            for query, values in by_query.items()
            if any(self.of(doc_id) != doc_id for doc_id in self._doubtful(values))
        }
        if not strange:
            return by_query
        return {query: self.best(values) if query in strange else values for query, values in by_query.items()}

    def _doubtful(self, ids: Iterable[str]) -> Iterable[str]:
        return (
            doc_id for doc_id in ids if doc_id not in self.documents and (doc_id not in self.ontology.number or self._own)
        )

    def of_run(self, run: Any, duplicates: str) -> tuple[Any, list[str]]:
        """A run in whatever shape, and all ids in it as they were; hits keep the text they bring along."""
        source = as_source(run)
        hits = hits_of(source) if brings_hits(source) else None
        if hits is not None:
            retrieved = [hit.doc_id for hit in chain(*hits.values())]
            return {query: self._hits(some) for query, some in hits.items()}, retrieved
        read = source if isinstance(source, Run) else Run(source, duplicates=duplicates)
        by_query = dict(zip(read.query_ids, read.rankings, strict=True))
        spelt = self.of_all(by_query)
        retrieved = list(chain.from_iterable(read.rankings))
        if spelt is by_query:
            return read, retrieved
        return Run.borrow(Rankings({query: dict(ranking) for query, ranking in spelt.items()}, read.tag)), retrieved

    def _hits(self, hits: Sequence[Hit]) -> list[Hit]:
        """Hits by term, each term where its best one stood; what comes twice under one id is left for others to refuse."""
        best: dict[str, Hit] = {}
        for hit in hits:
            term = self.of(hit.doc_id)
            if term not in best or hit.score > best[term].score:
                best[term] = hit
        best_ids = {id(hit) for hit in best.values()}
        same = {hit.doc_id for hit in best.values()}
        return [replace(hit, doc_id=self.of(hit.doc_id)) for hit in hits if id(hit) in best_ids or hit.doc_id in same]

    def of_judgments(self, qrels: Qrels) -> Qrels:
        """Judgments by term; those with subtopics stay as they are."""
        if qrels.subtopics is not None:
            return qrels
        judged = {query: qrels[query] for query in qrels}
        spelt = self.of_all(judged)
        return qrels if spelt is judged else Qrels(spelt)

    def notes(self, qrels: Mapping[str, Mapping[str, float]], retrieved: Iterable[str]) -> tuple[str, ...]:
        """What a reader should know about ids under other names, and about those that nobody knows."""
        expected = [doc for judged in qrels.values() for doc, grade in judged.items() if grade > 0]
        kinds = (("expected", expected), ("retrieved", list(dict.fromkeys(retrieved))))
        return tuple(
            note
            for kind, ids in kinds
            for note in (*self._on_alternatives(ids, kind), *notes_on_ids(self.ontology, ids, kind))
        )

    def _on_alternatives(self, ids: Iterable[str], kind: str) -> list[str]:
        others = [doc_id for doc_id in dict.fromkeys(ids) if doc_id not in self.ontology.number]
        pairs = [f"{doc_id} → {self.of(doc_id)}" for doc_id in others if self.ontology.find(doc_id).kind == "alternative"]
        if not pairs:
            return []
        more = " …" if len(pairs) > MAX_IDS_LISTED else ""
        reading = f"read as the term's own: {', '.join(pairs[:MAX_IDS_LISTED])}{more}"
        return [f"{counted(len(pairs), f'{kind} id')} alternative in {self.ontology.name}, {reading}."]
