"""Preflight of times: relevant documents that are younger than their query, and times that only some records have."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.preflight.documents import Corpus
from assay.datasets.preflight.findings import Cases, Finding, how_many
from assay.datasets.times.time_scope import TimeScope, younger_judged
from assay.model import time_text
from assay.text import counted


def check_times(dataset: BenchmarkDataset, corpus: Corpus) -> Iterator[Finding]:
    """All findings about times. Without any time of a query or of a document there is none."""
    timed = [key for key, query in dataset.queries.items() if query.time is not None]
    if timed:
        yield from _without_time("query-without-time", "query", timed, dataset.queries)
    if corpus.time_of and timed:
        yield from _without_time("document-without-time", "document", corpus.time_of, corpus.ids)
        yield from _younger(dataset, corpus)


def _without_time(code: str, noun: str, dated: Collection[str], every: Collection[str]) -> list[Finding]:
    cases = Cases(code)
    known = set(dated)
    for key in every:
        if key not in known:
            cases.about_query(key) if noun == "query" else cases.about_document(key)
    return cases.finding(f"{how_many(cases, noun, 'has', 'have', of=len(every))} no time, but others have one")


def _younger(dataset: BenchmarkDataset, corpus: Corpus) -> list[Finding]:
    """Relevant documents that did not exist when their query was asked."""
    cases = Cases("younger-than-query")
    queries: set[str] = set()
    for query, doc in younger_judged(dataset, TimeScope.of_times(dataset, corpus.time_of), only_relevant=True):
        time, asked = corpus.time_of.get(doc), dataset.queries[query].time
        words = f"{time_text(time)} is after {time_text(asked)}" if time is not None and asked is not None else ""
        cases.about_judgment(query, doc, words)
        queries.add(query)
    about = how_many(cases, "relevant document", "is", "are")
    return cases.finding(f"{about} younger than the query, in {counted(len(queries), 'query')}")
