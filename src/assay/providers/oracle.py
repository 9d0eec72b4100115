"""oracle: the relevant documents, best grade first; the ceiling that checks the harness."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from assay.errors import ProviderError
from assay.model.records import Document, Hit, Query
from assay.providers._documents import in_tie_order, not_indexed
from assay.providers._parts import ranked
from assay.providers._provider import Provider


class Oracle:
    """Answers out of the judgments, which must be told to it. What is not among the documents cannot be found."""

    def __init__(self) -> None:
        self._ids: frozenset[str] | None = None
        self._qrels: Mapping[str, Mapping[str, float]] | None = None

    def know(self, qrels: Mapping[str, Mapping[str, float]]) -> None:
        """Take the judgments: query → document → grade."""
        self._qrels = qrels

    def index(self, documents: Iterable[Document]) -> None:
        """Take the ids that may be found."""
        self._ids = frozenset(document.doc_id for document in in_tie_order(documents))

    def search(self, queries: Sequence[Query], k: int) -> list[list[Hit]]:
        """For each query up to k documents with a grade above 0."""
        if self._ids is None:
            raise not_indexed("oracle")
        if self._qrels is None:
            raise ProviderError("oracle was not told the judgments: call know(qrels), or give a benchmark that has them")
        ids, qrels = self._ids, self._qrels
        judged = (qrels.get(query.query_id, {}) for query in queries)
        found = ((Hit(doc, float(grade)) for doc, grade in one.items() if grade > 0 and doc in ids) for one in judged)
        return [ranked(hits)[:k] for hits in found]


PROVIDER = Provider(
    "oracle",
    "the relevant documents, best grade first; the ceiling that checks the harness",
    Oracle,
    is_repeatable=False,
)
