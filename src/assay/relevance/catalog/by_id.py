"""Relevance by id: judgments name documents, or the format of the dataset knows which evidence a hit covers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.errors import UsageError
from assay.model import Pack, Query
from assay.relevance.resolver import Ground, Judged, Resolver


def has_evidence(ground: Ground, query: Query) -> bool:
    """Whether the format defines relevance, and knows the evidence of the query or does not need it."""
    pack = ground.pack
    if pack is None or not pack.sealed_relevance:
        return False
    return not pack.needs_evidence or pack.count(query) is not None


def resolve_pack(ground: Ground, queries: Sequence[Query]) -> dict[str, Judged]:
    """Each piece of evidence counts once, for the first hit that covers it; later hits get the grade 0."""
    if ground.pack is None:
        raise UsageError(
            "the format of this dataset does not define relevance. "
            "Use --relevance qrels, or a resolver that compares texts, such as token"
        )
    return {query.query_id: _judge_pack(ground.pack, ground, query) for query in queries}


def _judge_pack(pack: Pack, ground: Ground, query: Query) -> Judged:
    """The grades of the hits. If the number of items is unknown, only the items that the hits cover are counted."""
    covered: set[str] = set()
    grades: dict[str, float] = {}
    total = pack.count(query)
    for hit in ground.hits.get(query.query_id, ()):
        items = pack.is_relevant(query, hit)
        if items is True and total is not None and len(covered) >= total:
            items = None  # all evidence has been found
        evidence = {hit.doc_id} if items is True else {items} if items and isinstance(items, str) else set(items or ())
        grades[hit.doc_id] = float(not evidence <= covered)
        covered |= evidence
    n_hidden = 0 if total is None else max(total - len(covered), 0)
    return Judged(grades, hidden=[1.0] * n_hidden, counted_over="retrieved" if total is None else "evidence")


PACK = Resolver(
    "pack",
    "evidence that the format of the dataset defines",
    has_evidence,
    resolve_pack,
    needs="evidence that the format of the dataset defines",
)


def is_judged(ground: Ground, query: Query) -> bool:
    """Whether the query has judgments; an empty list means that nothing is relevant."""
    return query.query_id in ground.qrels


def resolve_qrels(ground: Ground, queries: Sequence[Query]) -> dict[str, Judged]:
    """Every judged document has its grade. The first chunk of a document gets it; later chunks of the document get 0."""
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


QRELS = Resolver("qrels", "judged document ids", is_judged, resolve_qrels, needs="judgments")
