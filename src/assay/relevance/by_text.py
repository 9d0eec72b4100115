"""Relevance by text: compare retrieved texts, and texts that could have been retrieved, with the expected words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np

from assay.arrays import Floats, Ints, spread
from assay.model import Hit, Query
from assay.relevance.resolver import Ground, Judged
from assay.relevance.words import WordIndex, phrase_of
from assay.text import words_of

ROUNDING = 1e-12
"""A similarity that is below the threshold by no more than this reaches it."""
MANY_PAIRS = 2_000_000
"""The most pairs of query and document that are compared at once."""
NOTHING: Ints = np.zeros(0, dtype=np.int64)
GRADES = np.array([0.0, 1.0], dtype=object)
"""Not relevant, relevant; all texts share these two objects."""
ID, TEXT = attrgetter("doc_id"), attrgetter("text")


@dataclass(frozen=True)
class Pairs:
    """Pairs of an expected text and a text to compare it with."""

    index: WordIndex
    expected: Sequence[str]
    """The expected text of each query."""
    n_expected: Ints
    """The number of different words in each expected text."""
    query: Ints
    text: Ints
    shared: Ints
    """The number of different words that the texts of each pair share."""


Likeness = Callable[[Pairs], Floats]
"""The similarity of the texts of each pair, at most 1."""
Candidates = Callable[[Ground, Sequence[Query], Sequence[bool], Pairs], Iterator[Pairs]]
"""Pairs of queries and documents in their scopes that may be similar, in blocks. The flags say which queries count the
relevant documents in their scope; the given pairs are those of the hits."""


def has_expected(_: Ground, query: Query) -> bool:
    """Whether the query has an expected answer with words."""
    return query.expected is not None and bool(words_of(query.expected))


def judge_by_text(
    ground: Ground,
    queries: Sequence[Query],
    likeness: Likeness,
    threshold: float,
    candidates: Candidates | None = None,
) -> dict[str, Judged]:
    """A text is relevant if its similarity reaches the threshold.

    By default, candidates are documents that share a word with the expected text.
    If the dataset has documents and documents were retrieved, relevant texts are counted in the whole scope of the query.
    If other texts were retrieved, such as chunks, they are counted among the retrieved texts.
    """
    retrieved = _retrieved(ground, queries)
    passes = GRADES[(likeness(retrieved) >= threshold - ROUNDING).astype(int)].tolist()
    exact = np.bincount(retrieved.query[_are_exact(retrieved)], minlength=len(queries)).tolist()
    counts_scope = [bool(ground.documents) and _are_documents(ground, query) for query in queries]
    in_scope: list[set[str]] = [set() for _ in queries]
    for block in (candidates or _pairs_with_shared_words)(ground, queries, counts_scope, retrieved):
        alike = likeness(block) >= threshold - ROUNDING
        for number, text in zip(block.query[alike].tolist(), block.text[alike].tolist(), strict=True):
            in_scope[number].update(ground.documents_with(text, queries[number]))
    judged, place = {}, 0
    for number, query in enumerate(queries):
        hits = ground.hits.get(query.query_id, ())
        grades, n_without_text = _grades(ground, query, hits, passes[place : place + len(hits)])
        place += len(hits)
        missed = sorted(in_scope[number] - _documents_of_hits(ground, query)) if in_scope[number] else ()
        others = dict.fromkeys(missed, 1.0)
        over = "scope" if counts_scope[number] else "retrieved"
        judged[query.query_id] = Judged(
            {**others, **grades}, n_exact=exact[number], n_without_text=n_without_text, counted_over=over
        )
    return judged


def _grades(ground: Ground, query: Query, hits: Sequence[Hit], passes: Sequence[float]) -> tuple[dict[str, float], int]:
    """The grade of each hit, 0 if it has no text or is outside the scope; and the number of hits without text."""
    grades = dict(zip(map(ID, hits), passes, strict=True))
    n_without_text = 0
    if not all(map(TEXT, hits)):
        without = [hit for hit in hits if not ground.has_text(hit)]
        grades |= {hit.doc_id: 0.0 for hit in without}
        n_without_text = len(without)
    if query.scope is not None:
        grades |= {hit.doc_id: 0.0 for hit in hits if not ground.may_find(hit, query)}
    return grades, n_without_text


def _are_documents(ground: Ground, query: Query) -> bool:
    """Whether the text of every hit is the text of a document. A hit with an unknown id and no text does not matter."""
    known = ground.words.n_documents
    brought = (hit for hit in ground.hits.get(query.query_id, ()) if hit.text and hit.doc_id not in ground.documents)
    is_known = all(ground.words.number[ground.text_of(hit)] < known for hit in brought)
    return is_known and len(ground.scope_numbers(query)) > 0


def _documents_of_hits(ground: Ground, query: Query) -> set[str]:
    """The documents that the hits represent: by id, or by text if the id is not the id of a document."""
    doc_ids: set[str] = set()
    for hit in ground.hits.get(query.query_id, ()):
        if hit.doc_id in ground.documents:
            doc_ids.add(hit.doc_id)
        else:
            doc_ids.update(ground.documents_with(ground.words.number[ground.text_of(hit)], query)[:1])
    return doc_ids


def _retrieved(ground: Ground, queries: Sequence[Query]) -> Pairs:
    """Pairs of every hit and the expected text of its query."""
    index = ground.words
    expected = [query.expected or "" for query in queries]
    n_expected = np.array([len(index.different(text)) for text in expected], dtype=np.int64)
    texts = [ground.text_numbers.get(query.query_id, NOTHING) for query in queries]
    query, _ = spread(np.array(list(map(len, texts)), dtype=np.int64))
    text = np.concatenate((NOTHING, *texts))
    return Pairs(index, expected, n_expected, query, text, index.shared(expected, query, text))


def _pairs_with_shared_words(
    ground: Ground, queries: Sequence[Query], counts_scope: Sequence[bool], retrieved: Pairs
) -> Iterator[Pairs]:
    """Pairs of the documents in the scope of each query that share a word with its expected text, in blocks."""
    index = ground.words
    blocks: list[tuple[Ints, Ints, Ints]] = []
    size = 0
    for number, query in enumerate(queries):
        if counts_scope[number]:
            scope = ground.scope_numbers(query)
            shared = index.shared_with_all(retrieved.expected[number])[scope]
            some = np.flatnonzero(shared)
            blocks.append((np.full(len(some), number), scope[some], shared[some]))
            size += len(some)
        if blocks and (size > MANY_PAIRS or number == len(queries) - 1):
            numbers, texts, n_shared = (np.concatenate(column) for column in zip(*blocks, strict=True))
            yield replace(retrieved, query=numbers, text=texts, shared=n_shared)
            blocks, size = [], 0


def _are_exact(pairs: Pairs) -> Ints:
    """The pairs whose text contains the expected words one after the other."""
    whole = np.flatnonzero((pairs.shared == pairs.n_expected[pairs.query]) & (pairs.n_expected[pairs.query] > 0))
    holds = [holds_phrase(pairs, place) for place in whole.tolist()]
    return whole[np.array(holds, dtype=bool)]


def holds_phrase(pairs: Pairs, place: int) -> bool:
    """Whether the text of a pair contains the expected words one after the other."""
    return phrase_of(pairs.expected[pairs.query[place]]) in pairs.index.phrase(int(pairs.text[place]))
