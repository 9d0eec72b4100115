"""What the tests of relevance share: small grounds, made by hand or by hypothesis, and plain references."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from assay.model import Hit, Pack, Query
from assay.relevance import Ground
from assay.text import words_of

EXPECTED = "Paris is the capital of France."
RETRIEVED = "Paris is the capital and most populous city of France..."
"""Seed 003: 6 expected words, 10 retrieved, 6 shared."""

WORDS = ("cat", "Katze", "sleeps", "the", "猫", "12")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
DOCUMENTS = st.dictionaries(st.sampled_from([f"d{number}" for number in range(8)]), TEXTS, max_size=8)
GROUPS = ("north", "south")
TEXT_RESOLVERS = ("token", "coverage", "substring", "lexical", "hybrid", "hybrid(method=weighted)")


def ground(queries: Query | Iterable[Query], hits: Mapping[str, Sequence[Any]] | Sequence[Any], **more: Any) -> Ground:
    """Queries and their hits; hits of a single query may stand alone, and ids stand for hits."""
    queries = [queries] if isinstance(queries, Query) else list(queries)
    by_query = hits if isinstance(hits, Mapping) else {queries[0].query_id: hits}
    made = {
        query: [hit if isinstance(hit, Hit) else Hit(hit, -float(place)) for place, hit in enumerate(some)]
        for query, some in by_query.items()
    }
    return Ground({query.query_id: query for query in queries}, made, **more)


def bag(text: str) -> set[str]:
    return set(words_of(text))


def f1(wanted: str, text: str) -> float:
    """Seed 003, as it stands there."""
    expected, chunk = bag(wanted), bag(text)
    overlap = len(expected & chunk)
    if not overlap:
        return 0.0
    precision, recall = overlap / len(chunk), overlap / len(expected)
    return 2 * precision * recall / (precision + recall)


def coverage(wanted: str, text: str) -> float:
    return len(bag(wanted) & bag(text)) / len(bag(wanted))


def substring(wanted: str, text: str) -> float:
    words, inside = words_of(wanted), words_of(text)
    return float(any(inside[start : start + len(words)] == words for start in range(len(inside))))


def bm25(
    documents: Sequence[str], others: Sequence[str], wanted: str, k1: float = 1.2, b: float = 0.75
) -> tuple[list[float], float]:
    """Scores of all texts, and that of a text of mean length with every wanted word once; documents alone set the scale."""
    counts = [Counter(words_of(text)) for text in (*documents, *others)]
    known = counts[: len(documents)]
    mean = max(sum(count.total() for count in known) / len(known), 1.0) if known else 1.0
    b = b if known else 0.0
    scores, best = [0.0] * len(counts), 0.0
    for word in bag(wanted):
        n = sum(word in count for count in known)
        rarity = math.log(1 + (len(known) - n + 0.5) / (n + 0.5)) if known else 1.0
        best += rarity
        for number, count in enumerate(counts):
            scores[number] += rarity * count[word] * (k1 + 1) / (count[word] + k1 * (1 - b + b * count.total() / mean))
    return scores, best


def lexical(made: Ground) -> Callable[[str, str], float]:
    """The share of the best BM25 score, with the distinct texts of documents telling what is rare and long."""
    documents = list(dict.fromkeys(made.documents.values()))

    def share(wanted: str, text: str) -> float:
        scores, best = bm25(documents, [text], wanted)
        return min(scores[-1] / best, 1.0)

    return share


def grades_by_text(made: Ground, query: Query, alike: Callable[[str, str], float], threshold: float) -> dict[str, float]:
    """Every hit by its text; unless other texts than documents' were brought, also the scope's that no hit stands for."""
    hits = made.hits.get(query.query_id, ())
    scope = list(made.documents) if query.scope is None else list(made.scopes.get(query.scope, ()))
    wanted = query.expected or ""

    def passes(text: str) -> bool:
        return alike(wanted, text) >= threshold - 1e-12

    def is_foreign(hit: Hit) -> bool:
        is_scoped = query.scope is not None and made.scopes
        return bool(is_scoped) and hit.doc_id in made.documents and hit.doc_id not in scope

    grades = {hit.doc_id: float(passes(made.text_of(hit)) and not is_foreign(hit)) for hit in hits}
    known = set(made.documents.values())
    if scope and all(hit.doc_id in made.documents or not hit.text or hit.text in known for hit in hits):
        stood_for = {hit.doc_id for hit in hits}
        for hit in hits:
            if hit.doc_id not in made.documents:
                stood_for |= set([doc for doc in scope if made.documents[doc] == made.text_of(hit)][:1])
        grades |= {doc: 1.0 for doc in scope if doc not in stood_for and passes(made.documents[doc])}
    return grades


@st.composite
def grounds(draw: st.DrawFn) -> Ground:
    """Up to four queries with expected answers, some with a scope; hits that are documents, chunks, or strangers."""
    documents = draw(DOCUMENTS)
    groups = {doc: draw(st.sampled_from((*GROUPS, None))) for doc in documents}
    scopes = {group: [doc for doc in documents if groups[doc] == group] for group in GROUPS if group in groups.values()}
    queries, hits = [], {}
    for number in range(draw(st.integers(1, 4))):
        expected = draw(TEXTS.filter(words_of))
        queries.append(Query(f"q{number}", expected=expected, scope=draw(st.sampled_from((None, None, *GROUPS)))))
        ids = draw(st.lists(st.sampled_from([*documents, "d0#1", "d1#1", "x"]), max_size=6, unique=True))
        texts = [draw(st.none() | TEXTS | st.sampled_from([*documents.values(), "cat"])) for _ in ids]
        if draw(st.booleans()):
            hits[f"q{number}"] = [
                Hit(doc, -float(place), text) for place, (doc, text) in enumerate(zip(ids, texts, strict=True))
            ]
    return ground(queries, hits, documents=documents, scopes=scopes)


def evidence_pack(**covers: str | bool | None) -> Pack:
    """A pack that knows which item each document covers; without any it goes by the document's id before `#`."""

    def is_relevant(query: Query, hit: Hit) -> str | bool | None:
        item = covers.get(hit.doc_id, hit.doc_id.partition("#")[0])
        return item if item is True or item in (query.evidence or ()) else None

    return Pack("test", is_relevant, lambda query: None if query.evidence is None else len(query.evidence))
