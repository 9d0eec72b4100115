"""pack: the dataset's own format knows which evidence a hit covers, as in LoCoMo and LongMemEval."""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import UsageError
from assay.model import Pack, Query
from assay.relevance._resolver import Ground, Judged, Resolver


def has_evidence(ground: Ground, query: Query) -> bool:
    """Whether the format owns relevance, and knows the query's evidence."""
    return ground.pack is not None and ground.pack.n_evidence(query) is not None


def resolve_pack(ground: Ground, queries: Sequence[Query]) -> dict[str, Judged]:
    """Each piece of evidence is credited once, to the first hit that covers it; later ones are redundant: grade 0."""
    if ground.pack is None:
        raise UsageError("this dataset's format does not decide about relevance; use qrels or a resolver of text")
    return {query.query_id: _judge(ground.pack, ground, query) for query in queries}


def _judge(pack: Pack, ground: Ground, query: Query) -> Judged:
    covered: set[str] = set()
    grades: dict[str, float] = {}
    for hit in ground.hits.get(query.query_id, ()):
        items = pack.is_relevant(query, hit)
        if items is True and len(covered) >= (pack.n_evidence(query) or 0):
            items = None  # everything there is to find was found
        found = {hit.doc_id} if items is True else {items} if items and isinstance(items, str) else set(items or ())
        grades[hit.doc_id] = float(not found <= covered)
        covered |= found
    total = pack.n_evidence(query) or 0
    return Judged(grades, hidden=[1.0] * max(total - len(covered), 0), counted_over="evidence")


RESOLVER = Resolver("pack", "evidence that the dataset's format owns", has_evidence, resolve_pack)
