"""Preflight of queries: their ids, their texts, and whether anything is known about what answers them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.datasets._dataset import BenchmarkDataset
from assay.datasets._finding import Cases, Finding, unplaced
from assay.datasets._mojibake import find_mojibake
from assay.datasets._near_duplicates import near_duplicates
from assay.model import Query
from assay.text import counted, percent, shortened, words_of


def check_queries(dataset: BenchmarkDataset) -> Iterator[Finding]:
    """Everything that queries tell by themselves."""
    if not dataset.queries:
        yield from unplaced("no-queries", "the dataset has no queries")
        return
    yield from _ids(dataset)
    yield from _empty(dataset)
    yield from _mojibake(dataset.queries.values())
    yield from _near_duplicates(dataset.queries)
    yield from _expected(dataset.queries.values())
    yield from _ground_truth(dataset)


def _ids(dataset: BenchmarkDataset) -> Iterator[Finding]:
    mismatch = Cases("query-id-mismatch")
    for key, query in dataset.queries.items():
        if key != query.query_id:
            mismatch.about_query(key, f"calls itself {query.query_id!r}")
    yield from mismatch.finding(f"{counted(len(mismatch), 'query')} kept under another id than their own")
    similar = Cases("similar-query-ids")
    first: dict[str, str] = {}
    for key in dataset.queries:
        if (other := first.setdefault(folded_id(key), key)) != key:
            similar.about_query(key, f"differs from query {other!r} by case or blanks alone")
    yield from similar.finding(f"{counted(len(similar), 'query id')} that others resemble but for case or blanks")


def folded_id(key: str) -> str:
    """An id without what people overlook."""
    return key.strip().casefold()


def _empty(dataset: BenchmarkDataset) -> Iterator[Finding]:
    """Queries without text among others that have one; where none has, only runs are scored, and texts do not matter."""
    empty = Cases("empty-query")
    for key, query in dataset.queries.items():
        if not query.text.strip():
            empty.about_query(key)
    if len(empty) < len(dataset.queries):
        yield from empty.finding(f"{counted(len(empty), 'query')} without text")


def _mojibake(queries: Iterable[Query]) -> Iterator[Finding]:
    cases = Cases("mojibake-query")
    for query in queries:
        for what, text in (("", query.text), ("its expected answer has ", query.expected or "")):
            if wrong := find_mojibake(text):
                cases.about_query(query.query_id, what + in_words(*wrong))
                break
    yield from cases.finding(f"{counted(len(cases), 'query')} with letters of the wrong encoding")


def in_words(found: str, meant: str) -> str:
    """What letters of the wrong encoding should have been."""
    return f"{found!r} for {meant!r}" if meant else f"{found!r}, where a letter was lost"


def _near_duplicates(queries: dict[str, Query]) -> Iterator[Finding]:
    cases = Cases("near-duplicate-queries")
    for query, earlier, likeness in near_duplicates(queries.values()):
        share = "the same words" if likeness == 1 else f"{percent(likeness)} of all words in common"
        cases.about_query(query, f"{share} with query {earlier}")
    yield from cases.finding(f"{counted(len(cases), 'query')} nearly the same as others")


def _expected(queries: Iterable[Query]) -> Iterator[Finding]:
    cases = Cases("expected-empty")
    for query in queries:
        if query.expected is not None and not words_of(query.expected):
            cases.about_query(query.query_id, f"expected is {shortened(query.expected)}")
    yield from cases.finding(f"{counted(len(cases), 'query')} whose expected answer has no words")


def _ground_truth(dataset: BenchmarkDataset) -> Iterator[Finding]:
    without, nothing = Cases("query-without-judgments"), Cases("query-without-relevant")
    for key, query in dataset.queries.items():
        if not has_ground_truth(dataset, key, query):
            without.about_query(key)
        elif why := _nothing_to_find(dataset, key, query):
            nothing.about_query(key, why)
    if len(without) == len(dataset.queries):
        yield from unplaced("no-ground-truth", "not one query has judgments, evidence, an expected answer or spans")
        return
    what = "without judgments, evidence, expected answer or spans"
    yield from without.finding(f"{counted(len(without), 'query')} of {len(dataset.queries):,} {what}")
    yield from nothing.finding(f"{counted(len(nothing), 'query')} of {len(dataset.queries):,} with nothing relevant")


def has_ground_truth(dataset: BenchmarkDataset, key: str, query: Query) -> bool:
    """Whether anything is known about what answers a query, be it that nothing does."""
    return key in dataset.qrels or query.evidence is not None or bool(query.expected) or bool(dataset.spans.get(key))


def _nothing_to_find(dataset: BenchmarkDataset, key: str, query: Query) -> str:
    """Why there is nothing to find; judgments come before evidence, and evidence before text."""
    judged = dataset.qrels.get(key)
    if judged is not None:
        has_relevant = any(grade > 0 for grade in judged.values())
        return "" if has_relevant else f"{counted(len(judged), 'judgment')}, no grade above 0" if judged else "judged so"
    return "its evidence is empty" if query.evidence is not None and not query.evidence else ""
