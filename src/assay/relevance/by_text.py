"""Relevance by text: compare what was retrieved, and what could have been, with the expected words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from assay.arrays import Floats, Ints, spread
from assay.model import Hit, Query
from assay.relevance.resolver import Ground, Judged
from assay.relevance.words import WordIndex, phrase_of
from assay.text import words_of

ROUNDING = 1e-12
"""A likeness this little below the threshold has reached it."""
MANY_PAIRS = 2_000_000
"""Pairs of query and document compared at once."""
NOTHING: Ints = np.zeros(0, dtype=np.int64)
GRADES = np.array([0.0, 1.0], dtype=object)
"""Not relevant, relevant: two objects, however many texts there are."""
ID, TEXT = attrgetter("doc_id"), attrgetter("text")


@dataclass(frozen=True)
class Pairs:
    """Expected texts and texts to compare them with, side by side."""

    index: WordIndex
    expected: Sequence[str]
    """The expected text of each query."""
    n_expected: Ints
    """How many different words each of them has."""
    query: Ints
    text: Ints
    shared: Ints
    """How many different words the two of a pair share."""


Likeness = Callable[[Pairs], Floats]
"""How alike the two of each pair are, from 0 to 1."""


def has_expected(_: Ground, query: Query) -> bool:
    """Whether the query says what to expect."""
    return query.expected is not None and bool(words_of(query.expected))


def judge_by_text(ground: Ground, queries: Sequence[Query], likeness: Likeness, threshold: float) -> dict[str, Judged]:
    """Texts that are alike enough are relevant.

    They are counted over the query's scope where documents are at hand and documents were retrieved; over what was
    retrieved where it was other texts, such as chunks.
    """
    texts = [query.expected or "" for query in queries]
    n_expected = np.array([len(ground.words.different(text)) for text in texts], dtype=np.int64)
    retrieved = _retrieved(ground, queries, texts, n_expected)
    passes = GRADES[(likeness(retrieved) >= threshold - ROUNDING).astype(int)].tolist()
    exact = np.bincount(retrieved.query[_are_exact(retrieved)], minlength=len(queries)).tolist()
    counts_scope = [bool(ground.documents) and _are_documents(ground, query) for query in queries]
    in_scope: list[set[str]] = [set() for _ in queries]
    for block in _in_scope(ground, queries, texts, n_expected, counts_scope):
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
    """What each hit is worth, 0 where it has no text or lies elsewhere; and how many have no text."""
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
    """Whether no hit brings a text that is no document's; an id that nobody knows is simply not relevant."""
    known = ground.words.n_documents
    brought = (hit for hit in ground.hits.get(query.query_id, ()) if hit.text and hit.doc_id not in ground.documents)
    is_known = all(ground.words.number[ground.text_of(hit)] < known for hit in brought)
    return is_known and len(ground.scope_numbers(query)) > 0


def _documents_of_hits(ground: Ground, query: Query) -> set[str]:
    """Documents that a hit stands for: by its id, or by its text where it goes by an id of its own."""
    doc_ids: set[str] = set()
    for hit in ground.hits.get(query.query_id, ()):
        if hit.doc_id in ground.documents:
            doc_ids.add(hit.doc_id)
        else:
            doc_ids.update(ground.documents_with(ground.words.number[ground.text_of(hit)], query)[:1])
    return doc_ids


def _retrieved(ground: Ground, queries: Sequence[Query], expected: Sequence[str], n_expected: Ints) -> Pairs:
    """Every hit with the expected text of its query."""
    index = ground.words
    texts = [ground.text_numbers.get(query.query_id, NOTHING) for query in queries]
    query, _ = spread(np.array(list(map(len, texts)), dtype=np.int64))
    text = np.concatenate((NOTHING, *texts))
    return Pairs(index, expected, n_expected, query, text, index.shared(expected, query, text))


def _in_scope(
    ground: Ground, queries: Sequence[Query], texts: Sequence[str], n_expected: Ints, counts_scope: Sequence[bool]
) -> Iterator[Pairs]:
    """Documents of each query's scope that share a word with what is expected, a few million at a time."""
    index = ground.words
    blocks: list[tuple[Ints, Ints, Ints]] = []
    size = 0
    for number, query in enumerate(queries):
        if counts_scope[number]:
            scope = ground.scope_numbers(query)
            shared = index.shared_with_all(texts[number])[scope]
            some = np.flatnonzero(shared)
            blocks.append((np.full(len(some), number), scope[some], shared[some]))
            size += len(some)
        if blocks and (size > MANY_PAIRS or number == len(queries) - 1):
            columns = (np.concatenate(column) for column in zip(*blocks, strict=True))
            yield Pairs(index, texts, n_expected, *columns)
            blocks, size = [], 0


def _are_exact(pairs: Pairs) -> Ints:
    """The pairs where the expected words stand in the text one after the other."""
    whole = np.flatnonzero((pairs.shared == pairs.n_expected[pairs.query]) & (pairs.n_expected[pairs.query] > 0))
    holds = [holds_phrase(pairs, place) for place in whole.tolist()]
    return whole[np.array(holds, dtype=bool)]


def holds_phrase(pairs: Pairs, place: int) -> bool:
    """Whether the text of a pair holds the expected words one after the other."""
    return phrase_of(pairs.expected[pairs.query[place]]) in pairs.index.phrase(int(pairs.text[place]))
