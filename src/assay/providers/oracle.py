"""oracle: the relevant documents, best grade first; the ceiling that checks the harness."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.errors import DataError
from assay.model import Document, Hit, Pack, Query
from assay.providers._answers import Answers
from assay.providers._documents import in_tie_order, not_indexed
from assay.providers._parts import Judged, ranked
from assay.providers._provider import Provider
from assay.providers._refusals import PermanentFailure
from assay.relevance import Ground, resolve


class Oracle:
    """Answers out of what is relevant, which must be told to it. What is not among the documents cannot be found."""

    def __init__(self) -> None:
        self._texts: dict[str, str] | None = None
        self._qrels: Judged | None = None
        self._pack: Pack | None = None
        self._relevance, self._settings = "auto", dict[str, Any]()

    def know(self, qrels: Judged, pack: Pack | None = None, relevance: str = "auto", **settings: Any) -> None:
        """Take the judgments (query → document → grade), the pack that knows evidence, and the resolver that decides."""
        self._qrels, self._pack, self._relevance, self._settings = qrels, pack, relevance, settings

    def index(self, documents: Iterable[Document]) -> None:
        """Take the documents that may be found."""
        self._texts = {document.doc_id: document.content for document in in_tie_order(documents)}

    def search(self, queries: Sequence[Query], k: int) -> Answers:
        """For each query up to k documents with a grade above 0."""
        texts, qrels = self._texts, self._qrels
        if texts is None:
            raise not_indexed("oracle")
        if qrels is None:
            raise PermanentFailure("oracle was not told the judgments: call know(qrels), or give a benchmark that has them")
        grades = self._grades(queries, texts, qrels)
        found = [
            [Hit(doc, float(grade)) for doc, grade in grades.get(query.query_id, {}).items() if grade > 0 and doc in texts]
            for query in queries
        ]
        can_know = bool(qrels) or self._pack is not None
        return [
            ranked(hits)[:k] if can_know or query.expected is not None else PermanentFailure(NOTHING_KNOWN)
            for query, hits in zip(queries, found, strict=True)
        ]

    def _grades(self, queries: Sequence[Query], texts: Mapping[str, str], qrels: Judged) -> Judged:
        """Query → document → grade, decided as it is when a run over these documents is scored."""
        if self._relevance == "auto" and all(query.query_id in qrels for query in queries):
            return qrels
        ground = Ground(
            queries={query.query_id: query for query in queries},
            hits={query.query_id: self._candidates(query, texts) for query in queries},
            qrels=qrels,
            pack=self._pack,
            documents=texts,
            scopes={query.scope: list(texts) for query in queries if query.scope is not None},
        )
        try:
            return resolve(ground, self._relevance, **self._settings).qrels
        except DataError:  # not one of these queries has any ground truth
            return {}

    def _candidates(self, query: Query, texts: Mapping[str, str]) -> list[Hit]:
        """What a pack is asked about: the evidence itself where all of it are documents, else every document."""
        total = self._pack.n_evidence(query) if self._pack else None
        if total is None or (self._relevance == "auto" and query.query_id in (self._qrels or {})):
            return []
        evidence = [doc for doc in dict.fromkeys(query.evidence or ()) if doc in texts]
        return [Hit(doc) for doc in (evidence if len(evidence) >= total else texts)]


NOTHING_KNOWN = "oracle knows no ground truth here: it needs judgments, evidence, or an expected answer for each query"

PROVIDER = Provider(
    "oracle",
    "the relevant documents, best grade first; the ceiling that checks the harness",
    Oracle,
    is_repeatable=False,
)
