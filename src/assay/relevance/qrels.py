"""qrels: the judgments say which documents are relevant, by their ids."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.model import Query
from assay.relevance._resolver import Ground, Judged, Resolver


def is_judged(ground: Ground, query: Query) -> bool:
    """Whether the query has judgments; an empty list says that nothing is relevant."""
    return query.query_id in ground.qrels


def resolve_qrels(ground: Ground, queries: Sequence[Query]) -> dict[str, Judged]:
    """Every judged document has its grade. Of several chunks of one document the first is credited, later ones get 0."""
    if ground.document_of is None:
        return {query.query_id: Judged(ground.qrels[query.query_id]) for query in queries}
    return {query.query_id: _credit_once(ground, query, ground.document_of) for query in queries}


def _credit_once(ground: Ground, query: Query, document_of: Callable[[str], str]) -> Judged:
    left = dict(ground.qrels[query.query_id])
    grades: dict[str, float] = {}
    for hit in ground.hits.get(query.query_id, ()):
        document = document_of(hit.doc_id)
        if document in ground.qrels[query.query_id]:
            grades[hit.doc_id] = left.pop(document, 0.0)
    return Judged(grades, hidden=list(left.values()))


RESOLVER = Resolver("qrels", "judged document ids", is_judged, resolve_qrels)
