"""Older documents: ask a retriever for more until enough of what it returns is in the time scope of each query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from assay.datasets import TimeScope
from assay.errors import ProviderError
from assay.model import Hit, Query
from assay.providers import ReportedHits

Answers = list[list[Hit] | ProviderError]
Ask = Callable[[Sequence[Query], int], Answers]
"""Queries and the number of documents → the hits of each query, or its error."""
GROWTH = 4
"""How many times more documents are asked for if too many were younger."""
MOST = 10_000
"""The largest number of documents to ask for; search engines refuse more."""


def search_in_time(ask: Ask, scope: TimeScope, queries: Sequence[Query], k: int) -> Answers:
    """Up to k hits of each query that are not younger than it.

    A query with too few of them is sent again for more documents, until the retriever has no more or the limit is reached.
    """
    answers = dict(enumerate(ask(queries, k)))
    kept = {place: _in_scope(scope, queries[place], hits) for place, hits in answers.items()}
    depth = k
    while depth < MOST and (left := [place for place in kept if _is_short(kept[place], answers[place], k, depth)]):
        depth = min(depth * GROWTH, MOST)
        more = ask([queries[place] for place in left], depth)
        answers |= dict(zip(left, more, strict=True))
        kept |= {place: _in_scope(scope, queries[place], answers[place]) for place in left}
    return [_first(kept[place], k) for place in range(len(queries))]


def _in_scope(scope: TimeScope, query: Query, hits: list[Hit] | ProviderError) -> Any:
    if isinstance(hits, ProviderError) or not scope.allows(query.query_id):
        return hits
    return _same_kind(hits, [hit for hit in hits if not scope.is_younger(query.query_id, hit.doc_id)])


def _is_short(kept: Any, answer: Any, k: int, depth: int) -> bool:
    """Whether younger documents were removed, and the retriever may have more."""
    return not isinstance(answer, ProviderError) and len(kept) < min(k, len(answer)) and len(answer) >= depth


def _first(hits: Any, k: int) -> Any:
    return hits if isinstance(hits, ProviderError) or len(hits) <= k else _same_kind(hits, hits[:k])


def _same_kind(hits: list[Hit], kept: list[Hit]) -> list[Hit]:
    """The kept hits with the fields that the retriever reported about the query."""
    return ReportedHits(kept, hits.fields) if isinstance(hits, ReportedHits) else kept
