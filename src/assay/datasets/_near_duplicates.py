"""Near duplicates: queries with the same words, or with nearly the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from assay.model import Query
from assay.text import words_of

ALIKE = 9, 10
"""Share of common words, as a fraction, from which on two queries are alike (Jaccard)."""
MIN_WORDS = 9
"""With fewer words, that share is only reached by the same words."""
MOST_COMPARED = 50
"""Queries that one is compared with at most per rare word; for thousands with hardly different words some are missed."""


class Pair(NamedTuple):
    """A query, an earlier one that it resembles, and the share of words they have in common."""

    query: str
    earlier: str
    likeness: float


def near_duplicates(queries: Iterable[Query]) -> Iterator[Pair]:
    """Each query that resembles an earlier one of its scope, once. Order and repetition of words do not matter."""
    first: dict[tuple[str | None, frozenset[str]], str] = {}
    for query in queries:
        key = query.scope, frozenset(words_of(query.text))
        if not key[1]:
            continue
        earlier = first.setdefault(key, query.query_id)
        if earlier != query.query_id:
            yield Pair(query.query_id, earlier, 1.0)
    yield from _overlapping([(words, scope, query) for (scope, words), query in first.items() if len(words) >= MIN_WORDS])


def _overlapping(distinct: list[tuple[frozenset[str], str | None, str]]) -> Iterator[Pair]:
    """Sets that share 90 % share one of their rarest words: only queries with such a word in common are compared."""
    frequency = Counter(word for words, _, _ in distinct for word in words)
    holders: dict[tuple[str | None, str], list[int]] = {}
    for number, (words, scope, query) in enumerate(distinct):
        n_rarest = len(words) - _most(len(words)) + 1
        keys = [(scope, word) for word in sorted(words, key=lambda word: (frequency[word], word))[:n_rarest]]
        candidates = {one for key in keys for one in holders.get(key, ())[-MOST_COMPARED:]}
        likest = max(((_likeness(words, distinct[one][0]), -one) for one in candidates), default=(0.0, 0))
        if likest[0] * ALIKE[1] >= ALIKE[0]:
            yield Pair(query, distinct[-likest[1]][2], likest[0])
        for key in keys:
            holders.setdefault(key, []).append(number)


def _most(n_words: int) -> int:
    """So many words of a set must be in another that is alike."""
    return -(-n_words * ALIKE[0] // ALIKE[1])


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    n_common = len(one & other)
    return n_common / (len(one) + len(other) - n_common)
