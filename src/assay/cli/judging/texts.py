"""Texts of judged documents: grades count only for the text that the judge saw."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.cli.output_options import open_store
from assay.cli.terminal import write_notes
from assay.errors import AssayError, DataError, UsageError
from assay.text import counted

if TYPE_CHECKING:
    from assay.datasets import BenchmarkDataset
    from assay.model import Query
    from assay.store import Judgment

MAX_SEARCHED = 5
"""The newest results of a benchmark that are searched for texts of queries."""


def with_present_texts(options: argparse.Namespace, judgments: list[Judgment], benchmark: str) -> list[Judgment]:
    """The judgments without those for documents that have another text now. A note says how many are left out."""
    from assay.datasets import has_own_documents, load_dataset
    from assay.judging import about_other_texts

    name = options.texts or benchmark
    if not any(judgment.text_digest for judgment in judgments) or not (options.texts or has_own_documents(name)):
        return judgments
    documents = _documents_now(name) if options.texts else load_dataset(name).documents
    changed = set(about_other_texts(judgments, lambda document: _texts_in(documents, document)))
    if changed:
        by = judgments[0].kind
        verb = "does" if len(changed) == 1 else "do"
        write_notes(
            options,
            f"note: {counted(len(changed), 'grade')} by {by} {verb} not count, because the document has another text now. "
            "Judge these documents again",
        )
    return [judgment for judgment in judgments if judgment not in changed]


def dataset_with_texts(options: argparse.Namespace, benchmark: str) -> BenchmarkDataset | str | None:
    """The named dataset; with --documents alone, these documents and the queries of the newest results in the store."""
    from assay.datasets import BenchmarkDataset, has_own_documents, load_documents

    if options.dataset or not options.documents or has_own_documents(benchmark):
        return str(options.dataset) if options.dataset else None
    return BenchmarkDataset(
        benchmark, queries=_stored_queries(options, benchmark), documents=load_documents(options.documents)
    )


def _stored_queries(options: argparse.Namespace, benchmark: str) -> dict[str, Query]:
    """Query → its text and tags, from the newest results; empty without a store."""
    from assay.store import parse_location

    if not parse_location(options.store).exists:
        return {}
    known: dict[str, Query] = {}
    with open_store(options) as store:
        for entry in store.list(benchmark, limit=MAX_SEARCHED):
            for result in store.find(f"{entry.evaluation}#{entry.benchmark}/{entry.provider}").results:
                known = {**result.queries, **known}
    return known


def _documents_now(name: str) -> Mapping[str, Any]:
    """The documents of a benchmark, or of a folder or table of documents alone; an error if it has none."""
    from assay.datasets import load_dataset, load_documents

    try:
        documents: Mapping[str, Any] = load_dataset(name).documents
    except DataError:
        documents = load_documents(name)
    if not len(documents):
        raise UsageError(f"--texts {name}: it has no documents. Name the folder or the table of the documents")
    return documents


def _texts_in(documents: Any, document: str) -> tuple[str, ...]:
    """The text of a document with and without its title, or of a chunk by its location; empty if it is unknown."""
    from assay.views import text_at

    if not isinstance(documents, Mapping):
        return ()
    try:
        entry = documents.get(document)
        return (text_at(document, documents),) if entry is None else (str(entry.text), str(entry.content))
    except (AssayError, OSError, IndexError):
        return ()
