"""Nearby documents: which table or folder next to a list of queries has its documents."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.document_sources import TABLE_ENDINGS
from assay.datasets.fields import roles_of
from assay.datasets.loading import load_dataset
from assay.datasets.probe import Probe
from assay.datasets.text_documents import DOCUMENT_STEMS, text_files
from assay.errors import AssayError


class Nearby(NamedTuple):
    """Documents next to a benchmark, and the benchmark with them."""

    path: Path
    dataset: BenchmarkDataset

    @property
    def has_relevant(self) -> bool:
        """Whether it has a document that the benchmark judges; every document could be one if there are no judgments."""
        judged = [doc for grades in self.dataset.qrels.values() for doc in grades]
        return not judged or any(doc in self.dataset.documents for doc in judged)


def find_documents(benchmark: Path, entries: Iterable[Path]) -> Sequence[Nearby]:
    """The places that can hold the documents of a benchmark: those with judged documents, else any table of documents."""
    nearby = []
    for path in entries:
        if path == benchmark or not (is_document_table(path) or is_document_folder(path)):
            continue
        try:
            nearby.append(Nearby(path, load_dataset(benchmark, documents=path)))
        except (AssayError, OSError, UnicodeError):
            continue
    return [place for place in nearby if place.has_relevant] or [place for place in nearby if place.path.is_file()]


def is_table_file(path: Path) -> bool:
    """Whether the name says that a file is a table."""
    return path.name.lower().endswith(TABLE_ENDINGS) and path.is_file()


def is_document_table(path: Path) -> bool:
    """Whether a file is a table of documents rather than of queries."""
    return is_table_file(path) and has_document_columns(Probe(path).first_record)


def has_document_columns(names: Collection[str]) -> bool:
    """Whether columns are those of documents. `chunk_id` and `text` can also mean queries: then they are documents."""
    documents, queries = roles_of("documents", names), roles_of("queries", names)
    if "doc_id" not in documents or "text" not in documents or "expected" in queries:
        return False
    is_numbered_apart = queries.get("query_id", documents["doc_id"]) != documents["doc_id"]
    return not is_numbered_apart and queries.get("query", documents["text"]) in documents.values()


def is_document_folder(path: Path) -> bool:
    """Whether a folder is called documents and has text files."""
    return path.is_dir() and path.name.lower() in DOCUMENT_STEMS and next(text_files(path), None) is not None
