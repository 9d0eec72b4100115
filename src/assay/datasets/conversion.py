"""Conversion: check the target of a conversion, and list what of a benchmark was not written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.format import Format
from assay.datasets.probe import Probe
from assay.errors import UsageError
from assay.files import COMPRESSIONS
from assay.model import Document, Query
from assay.text import counted


def check_target(written: Format, path: Path) -> None:
    """Raise if the format would not be recognised again under this name."""
    if written.is_single_file and Probe(path).suffix != ".json" and not path.is_dir():
        raise UsageError(
            f"{path}: {written.name} is written as one JSON file; use the extension .json, such as {path.stem}.json"
        )
    if path.name.endswith(tuple(COMPRESSIONS)):
        raise UsageError(f"{path}: files are written uncompressed; remove the extension {path.suffix}")


def describe_losses(made: BenchmarkDataset, read_back: BenchmarkDataset) -> list[str]:
    """The parts of a benchmark that are missing or different after it was written and read back."""
    queries = [(query, read_back.queries.get(key, Query(key))) for key, query in made.queries.items()]
    n_texts = sum(query.text != other.text for query, other in queries)
    judged = {(query, doc) for query, docs in made.qrels.items() for doc in docs}
    kept_judgments = {(query, doc) for query, docs in read_back.qrels.items() for doc in docs}
    empty = {query for query, docs in made.qrels.items() if not docs} - read_back.qrels.keys()
    counts = [
        (len(made.documents) - len(read_back.documents), "document"),
        (len(made.queries.keys() - read_back.queries.keys()), "query"),
        (n_texts, "query text"),
        (len(judged - kept_judgments), "judgment"),
    ]
    words = [counted(count, noun) for count, noun in counts if count > 0]
    words += [f"empty judgments of {counted(len(empty), 'query')}"] if empty else []
    return words + _lost_kinds(made, read_back, queries)


def _lost_kinds(made: BenchmarkDataset, read_back: BenchmarkDataset, queries: list[tuple[Query, Query]]) -> list[str]:
    """The kinds of fields that are missing or different, in records and in the dataset itself."""

    def differ(*names: str) -> bool:
        return any(getattr(query, name) != getattr(other, name) for query, other in queries for name in names)

    missing = {
        "tags": differ("query_type", "difficulty", "domain"),
        "expected answers": differ("expected"),
        "evidence": differ("evidence"),
        "scopes": differ("scope"),
        "times of queries": differ("time"),
        "judgments that hold for a time": made.intervals != read_back.intervals,
        "query metadata": any((query.metadata or None) != (other.metadata or None) for query, other in queries),
        "document fields": bool(read_back.documents) and _documents_differ(made, read_back),
        "subtopics": made.subtopics != read_back.subtopics,
        "judges and timestamps": made.judgments != read_back.judgments,
        "spans": made.spans != read_back.spans,
        "name and version": (made.name, made.version) != (read_back.name, read_back.version),
        "metadata": made.metadata != read_back.metadata,
    }
    return [what for what, is_missing in missing.items() if is_missing]


def _documents_differ(made: BenchmarkDataset, read_back: BenchmarkDataset) -> bool:
    """Whether any document changed. Documents are written in order, so one pass is enough."""
    pairs = zip(made.documents.values(), read_back.documents.values(), strict=False)
    return any(_normalise_empty(document) != _normalise_empty(other) for document, other in pairs)


def _normalise_empty(document: Document) -> Document:
    """The document, with None in place of an empty title or empty metadata."""
    return replace(document, title=document.title or None, metadata=document.metadata or None)
