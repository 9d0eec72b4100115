"""Fingerprint rows: what the fingerprints of queries, documents and judgments are computed from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from assay.model import Document, Query, time_text

if TYPE_CHECKING:
    from assay.datasets.dataset import BenchmarkDataset


def _beside_text(record: Query | Document) -> tuple[str, ...]:
    """The file and the time of a record, if it has them; nothing for texts, so that their fingerprints stay the same."""
    file = () if record.media is None else (record.media,)
    return file if record.time is None else (*file, time_text(record.time))


def _query_rows(dataset: BenchmarkDataset) -> Iterable[tuple[object, ...]]:
    return ((query.query_id, query.text, query.scope or "", *_beside_text(query)) for query in dataset.queries.values())


def _document_rows(dataset: BenchmarkDataset) -> Iterable[tuple[object, ...]]:
    return (
        (
            document.doc_id,
            document.title or "",
            document.text,
            document.group or "",
            *_beside_text(document),
        )
        for document in dataset.documents.values()
    )


def _judgment_rows(dataset: BenchmarkDataset) -> Iterable[tuple[object, ...]]:
    """Ground truth of every kind: grades, queries with nothing relevant, evidence, expected answers, and spans."""
    for query, judged in dataset.qrels.items():
        yield from ((query, doc, float(grade)) for doc, grade in judged.items())
        if not judged:
            yield query, "nothing"
    for (query, doc), grades in dataset.subtopics.items():
        yield from ((query, doc, float(grade), subtopic) for subtopic, grade in grades.items())
    for record in dataset.queries.values():
        if record.evidence is not None:
            yield record.query_id, "evidence", *sorted(set(record.evidence))
        if record.expected is not None:
            yield record.query_id, "expected", record.expected
    if dataset.as_of is not None:
        yield "as of", str(dataset.as_of)
    for query, spans in dataset.spans.items():
        yield from ((query, span.doc_id, span.start, span.end, span.unit) for span in spans)


ROWS: Mapping[str, Callable[[BenchmarkDataset], Iterable[tuple[object, ...]]]] = {
    "queries": _query_rows,
    "documents": _document_rows,
    "judgments": _judgment_rows,
}
"""Part of a dataset → its rows, in any order."""
