"""ir_datasets: benchmarks of the ir_datasets package by identifier, such as ir_datasets:beir/scifact/test."""

from __future__ import annotations

import sys
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from assay.datasets.corpus import Items, Values
from assay.datasets.dataset import BenchmarkDataset, Notes
from assay.datasets.format import Format
from assay.datasets.probe import Probe
from assay.datasets.times.record_times import take_time
from assay.errors import AssayError, DataError, UnknownName, UsageError, near_matches
from assay.model import Document, Query, Time, text_id
from assay.text import counted

EXAMPLE = """\
ir_datasets:beir/scifact/test
irds:msmarco-passage/dev/small"""
PREFIXES = ("ir_datasets:", "irds:")
QUERY_TEXT = ("text", "title", "query", "question", "description")
DOCUMENT_TEXT = ("text", "body", "abstract", "contents", "content", "main_content")


def read_ir_datasets(path: Path) -> BenchmarkDataset:
    """Queries and judgments are read immediately, documents when they are needed.

    The package downloads the files itself, unless they are in its folder (~/.ir_datasets) already: first queries and
    judgments, later documents. assay downloads nothing. If a document has several judgments, the best grade counts.
    """
    name = _identifier(path)
    with _describe_errors(name):
        benchmark = _load(name)
        notes = Notes(name)
        dataset = BenchmarkDataset(name, repairs=notes.repairs)
        if not benchmark.has_queries() and not benchmark.has_qrels():
            raise DataError(
                f"found neither queries nor judgments; name a part that has them, such as {name}/test", source=name
            )
        if benchmark.has_queries():
            dataset.queries = {query.query_id: query for query in map(_query, benchmark.queries_iter())}
        if benchmark.has_qrels():
            dataset.qrels = _judgments(benchmark, notes)
        if benchmark.has_docs():
            dataset.documents = PackageDocuments(name, benchmark)
    return dataset


def _identifier(path: Path) -> str:
    """`beir/scifact/test` for `irds:beir/scifact/test`."""
    text = path.as_posix()
    return next((text.removeprefix(prefix) for prefix in PREFIXES if text.startswith(prefix)), text).strip("/")


def _load(name: str) -> Any:
    try:
        import ir_datasets  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise UsageError(f"{PREFIXES[0]}{name} needs the package ir_datasets: pip install ir_datasets") from None
    try:
        return ir_datasets.load(name)
    except KeyError:
        known = list(getattr(ir_datasets, "registry", ()))
        raise UnknownName(
            "ir_datasets benchmark", name, near_matches(name, known), "ir-datasets.com lists all names"
        ) from None


@contextmanager
def _describe_errors(name: str) -> Iterator[None]:
    """Turn an error inside the package into one that says what to do."""
    try:
        yield
    except AssayError:
        raise
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        hint = "The package downloads files, so without a network connection they must already be in ~/.ir_datasets"
        raise DataError(f"the package ir_datasets could not load this benchmark ({message}). {hint}", source=name) from error


def _fields(record: Any) -> dict[str, Any]:
    """The fields of a named tuple as plain values."""
    return {name: _value(value) for name, value in record._asdict().items()}


def _value(value: Any) -> Any:
    """Named tuples as objects, other tuples as lists, bytes as text."""
    if isinstance(value, tuple) and callable(getattr(value, "_asdict", None)):
        return _fields(value)
    if isinstance(value, tuple | list):
        return [_value(inner) for inner in value]
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _take_text(fields: dict[str, Any], names: tuple[str, ...], record: Any) -> str:
    """The text in the first of these fields; otherwise what the package uses as the text."""
    for name in names:
        if isinstance(fields.get(name), str):
            return str(fields.pop(name))
    default_text = getattr(record, "default_text", None)
    return "" if default_text is None else str(default_text())


def _query(record: Any) -> Query:
    """A query. Other fields, such as a description or narrative, become its metadata."""
    fields = _fields(record)
    query_id = text_id(fields.pop("query_id"))
    text, time = _take_text(fields, QUERY_TEXT, record), _take_time("queries", fields)
    return Query(query_id, text, time=time, metadata=fields or None)


def _document(record: Any) -> Document:
    """A document. A url becomes its source, and other fields become its metadata."""
    fields = _fields(record)
    doc_id, title, url = text_id(fields.pop("doc_id")), fields.pop("title", None), fields.pop("url", None)
    text, time = _take_text(fields, DOCUMENT_TEXT, record), _take_time("documents", fields)
    return Document(doc_id, text, source=url or None, title=title or None, time=time, metadata=fields or None)


def _take_time(table: str, fields: dict[str, Any]) -> Time | None:
    """The time of a record. What cannot be parsed stays in the metadata, because the user cannot change these files."""
    with suppress(DataError):
        return take_time(table, fields)
    return None


LARGEST_GRADE = sys.float_info.max


def _grade(value: Any, doc: str) -> float:
    """The grade; an error if it is not a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -LARGEST_GRADE <= value <= LARGEST_GRADE:
        raise DataError(f"the grade of document {doc} must be a finite number, not {value!r}")
    return value


def _judgments(benchmark: Any, notes: Notes) -> dict[str, dict[str, float]]:
    judgments: dict[str, dict[str, float]] = {}
    n_again = 0
    for row in benchmark.qrels_iter():
        judged, doc = judgments.setdefault(text_id(row.query_id), {}), text_id(row.doc_id)
        n_again += doc in judged
        grade = _grade(row.relevance, doc)
        judged[doc] = max(grade, judged.get(doc, grade))
    if n_again:
        notes.mend("judgments", f"found {counted(n_again, 'repeated judgment')}; the best grade of a document counts")
    return judgments


class PackageDocuments(MutableMapping[str, Document]):
    """Documents in the package's own storage. Documents that are added or replaced are kept in memory."""

    def __init__(self, name: str, benchmark: Any) -> None:
        self._name, self._benchmark = name, benchmark
        self._added: dict[str, Document] = {}
        self._removed: set[str] = set()

    @cached_property
    def _store(self) -> Any:
        with _describe_errors(self._name):
            return self._benchmark.docs_store()

    @cached_property
    def _count(self) -> int:
        with _describe_errors(self._name):
            docs_count = getattr(self._benchmark, "docs_count", None)
            count = None if docs_count is None else docs_count()
            return sum(1 for _ in self._benchmark.docs_iter()) if count is None else int(count)

    def _find_stored(self, doc_id: object) -> Document | None:
        """A document of the package, even if it was replaced here; None if there is none."""
        if not isinstance(doc_id, str):
            return None
        with _describe_errors(self._name):
            try:
                return _document(self._store.get(doc_id))
            except KeyError:
                return None

    def __len__(self) -> int:
        n_new = sum(self._find_stored(doc_id) is None for doc_id in self._added)
        return self._count - len(self._removed) + n_new

    def __iter__(self) -> Iterator[str]:
        return (doc_id for doc_id, _ in self.stream())

    def stream(self) -> Iterator[tuple[str, Document]]:
        """Every document once, without keeping any in memory."""
        with _describe_errors(self._name):
            for document in map(_document, self._benchmark.docs_iter()):
                if document.doc_id not in self._added and document.doc_id not in self._removed:
                    yield document.doc_id, document
        yield from self._added.items()

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self._added or (doc_id not in self._removed and self._find_stored(doc_id) is not None)

    def __getitem__(self, doc_id: str) -> Document:
        if doc_id in self._added:
            return self._added[doc_id]
        document = None if doc_id in self._removed else self._find_stored(doc_id)
        if document is None:
            raise KeyError(doc_id)
        return document

    def __setitem__(self, doc_id: str, document: Document) -> None:
        self._added[doc_id] = document
        self._removed.discard(doc_id)

    def __delitem__(self, doc_id: str) -> None:
        if doc_id not in self:
            raise KeyError(doc_id)
        self._added.pop(doc_id, None)
        if self._find_stored(doc_id) is not None:
            self._removed.add(doc_id)

    def items(self) -> Any:
        """Pairs of id and document, in one pass."""
        return Items(self)

    def values(self) -> Any:
        """Documents, in one pass."""
        return Values(self)


def detect(probe: Probe) -> bool:
    """An identifier with the prefix `ir_datasets:` or `irds:`."""
    return probe.path.as_posix().startswith(PREFIXES)


FORMAT = Format(
    "ir_datasets",
    "benchmarks of the ir_datasets package by identifier: ir_datasets:beir/scifact/test",
    read_ir_datasets,
    detect,
    example=EXAMPLE,
    needs="an identifier such as ir_datasets:beir/scifact/test",
    rank=100,
)
