"""Preflight of documents: one pass over their texts, without keeping any."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.preflight.findings import Case, Cases, Finding, how_many
from assay.datasets.preflight.media import MediaSurvey
from assay.datasets.preflight.queries import describe_mojibake, find_mojibake, folded_id
from assay.errors import DataError
from assay.model import Document, Time
from assay.relevance import check_label, resolved
from assay.text import counted
from assay.views import count_lines


@dataclass
class Corpus:
    """What is known about documents after one pass over them."""

    ids: dict[str, None] = field(default_factory=dict)
    """Every id, in order."""
    group_of: dict[str, str] = field(default_factory=dict)
    """Document → its group, for those that have one."""
    group_sizes: dict[str, int] = field(default_factory=dict)
    time_of: dict[str, Time] = field(default_factory=dict)
    """Document → its time, for those that have one."""
    first_copy: dict[str, str] = field(default_factory=dict)
    """Document → the first document with the same text; only if there are several."""
    sizes: dict[str, dict[str, int]] = field(default_factory=dict)
    """Document → its number of lines and characters; only if there are spans."""
    is_readable: bool = True

    def may_find(self, scope: str | None) -> int:
        """How many documents a query with this scope may search."""
        return len(self.ids) if scope is None else self.group_sizes.get(scope, 0)


CORPUS_NAMES = ("corpus", "documents", "docs", "collection")
"""Names of files for documents in the folder of a benchmark, without their extension."""


def find_empty_corpus(dataset: BenchmarkDataset) -> Path | None:
    """The file for documents in the folder of a benchmark, if no document is in it; None if there is no such file."""
    path = dataset.path
    if path is None or not path.is_dir() or dataset.documents or dataset.files is not None:
        return None
    files = (file for file in sorted(path.iterdir()) if file.name.lower().partition(".")[0] in CORPUS_NAMES)
    return next(files, None)


def _check_corpus(dataset: BenchmarkDataset) -> list[Finding]:
    file = find_empty_corpus(dataset)
    if file is None:
        return []
    cases = Cases("empty-corpus")
    cases.add(Case(str(file), f"the file has {counted(file.stat().st_size, 'byte')}" if file.is_file() else ""))
    return cases.finding(f"{file.name} has no documents")


def survey_documents(dataset: BenchmarkDataset) -> tuple[Corpus, list[Finding]]:
    """Check every document once. If the file cannot be read to its end, this is a finding, and the corpus is empty."""
    if dataset.features is not None:  # the documents have no texts
        sizes = {query: len(docs) for query, docs in dataset.features.groups.items()}
        return Corpus(ids=dict.fromkeys(dataset.documents), group_sizes=sizes), []
    survey = _Survey(dataset)
    try:
        len(dataset.documents)  # checks every line of a file
        for key, document in dataset.documents.items():
            survey.add(key, document)
    except DataError as error:
        return Corpus(is_readable=False), faults_as_cases("unreadable-documents", error, "the documents cannot be read")
    return survey.corpus, [*_check_corpus(dataset), *survey.findings()]


def faults_as_cases(code: str, error: DataError, message: str) -> list[Finding]:
    """The faults of a reader as cases."""
    cases = Cases(code)
    for fault in error.each_fault:
        cases.add(Case(fault.place, fault.what))
    return cases.finding(message)


class _Survey:
    """Collects facts about each document; texts are kept as 64-bit hashes."""

    def __init__(self, dataset: BenchmarkDataset) -> None:
        self.corpus = Corpus()
        self._query_of = {text: key for key, query in dataset.queries.items() if (text := query.text.strip())}
        self._queries = dataset.queries
        self._has_spans = any(dataset.spans.values())
        self._texts, self._folded = array("q"), array("q")
        self._empty, self._mojibake = Cases("empty-document"), Cases("mojibake-document")
        self._media = MediaSurvey(dataset)
        self._mismatch, self._is_query = Cases("document-id-mismatch"), Cases("query-is-document-text")

    def add(self, key: str, document: Document) -> None:
        """Check one document."""
        corpus, content = self.corpus, document.content
        corpus.ids[key] = None
        if document.group is not None:
            corpus.group_of[key] = document.group
            corpus.group_sizes[document.group] = corpus.group_sizes.get(document.group, 0) + 1
        if document.time is not None:
            corpus.time_of[key] = document.time
        is_empty = not content or content.isspace()
        media = document.media
        self._texts.append(hash((key, None) if is_empty else (document.group, content, media)))
        self._folded.append(hash(folded_id(key)))
        if key != document.doc_id:
            self._mismatch.about_document(key, f"its doc_id is {document.doc_id!r}")
        if media is not None:
            self._media.add_document(key, media)
        if is_empty and media is None:
            self._empty.about_document(key)
        elif wrong := find_mojibake(content):
            self._mojibake.about_document(key, describe_mojibake(*wrong))
        if (query := self._query_of.get(document.text.strip())) is not None and not is_empty:
            self._is_query.about_document(key, f"same text as query {query}")
        if self._has_spans:
            corpus.sizes[key] = {"lines": count_lines(document.text), "characters": len(document.text)}

    def findings(self) -> Iterator[Finding]:
        """All findings, after all documents were added."""
        n = len(self.corpus.ids)
        mismatch = how_many(self._mismatch, "document", "has a key other than its", "have keys other than their")
        yield from self._mismatch.finding(f"{mismatch} doc_id")
        yield from self._similar_ids()
        yield from self._empty.finding(f"{how_many(self._empty, 'document', 'has', 'have', of=n)} no text")
        bad = how_many(self._mojibake, "document", "contains", "contain", of=n)
        yield from self._mojibake.finding(f"{bad} wrongly decoded characters")
        yield from self._media.findings()
        yield from self._copies()
        yield from self._same_ids()
        same = how_many(self._is_query, "document", "has", "have")
        yield from self._is_query.finding(f"{same} exactly the text of a query")

    def _similar_ids(self) -> list[Finding]:
        cases = Cases("similar-document-ids")
        for same in self._equal(self._folded):
            for other in same[1:]:
                cases.about_document(other, f"differs from document {same[0]!r} only in case or surrounding spaces")
        similar = how_many(cases, "document id", "differs", "differ")
        return cases.finding(f"{similar} from another id only in case or surrounding spaces")

    def _copies(self) -> list[Finding]:
        cases = Cases("duplicate-documents")
        for same in self._equal(self._texts):
            self.corpus.first_copy |= dict.fromkeys(same, same[0])
            for other in same[1:]:
                cases.about_document(other, f"same text as document {same[0]}")
        copies = how_many(cases, "document", "has", "have", of=len(self.corpus.ids))
        return cases.finding(f"{copies} the same text as an earlier document")

    def _equal(self, hashes: array[int]) -> Iterator[list[str]]:
        """Ids of documents that share a hash, in order."""
        values = np.frombuffer(hashes, np.int64)
        order = np.argsort(values, kind="stable")
        changes = np.flatnonzero(np.diff(values[order])) + 1
        starts = np.concatenate(([0], changes, [len(values)]))
        repeated = np.flatnonzero(np.diff(starts) > 1)
        ids = list(self.corpus.ids) if len(repeated) else []
        groups = [order[starts[number] : starts[number + 1]] for number in repeated]
        for places in sorted(groups, key=lambda places: int(places[0])):
            yield [ids[place] for place in places]

    def _same_ids(self) -> list[Finding]:
        cases = Cases("query-is-document-id")
        for key in self._queries:
            if key in self.corpus.ids:
                cases.about_query(key, "a document has the same id")
        return cases.finding(how_many(cases, "query id", "is also a document id", "are also document ids"))


def check_stale(dataset: BenchmarkDataset) -> list[Finding]:
    """Spans whose recorded text is no longer at their place. Spans without a recorded text are not checked."""
    cases = Cases("stale-span")
    for key, document, fault in _stale(dataset):
        cases.about_judgment(key, document, fault)
    n_recorded = sum(span.text is not None for spans in dataset.spans.values() for span in spans)
    stale = how_many(cases, "span", "no longer has its", "no longer have their", of=n_recorded)
    return cases.finding(f"{stale} recorded text")


def stale_sentences(dataset: BenchmarkDataset) -> set[str]:
    """The texts about stale spans. Readers note the same, and it should be reported only once."""
    return {fault for _, _, fault in _stale(dataset)} if dataset.documents else set()


def _stale(dataset: BenchmarkDataset) -> Iterator[tuple[str, str, str]]:
    """Query, file and fault of each span whose recorded text is elsewhere or missing."""
    recorded = [(key, span) for key, spans in dataset.spans.items() for span in spans if span.text is not None]
    labels = resolved((span for _, span in recorded), dataset.documents)
    for (key, span), label in zip(recorded, labels, strict=True):
        if fault := check_label(label, dataset.documents).fault:
            yield key, span.doc_id, fault
