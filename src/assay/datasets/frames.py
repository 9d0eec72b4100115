"""Frames: read benchmarks from data frames and lists of records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from assay.datasets.dataset import BenchmarkDataset, require_queries
from assay.datasets.query_table import JudgmentTable, QueryTable
from assay.errors import DataError, Fault
from assay.files import are_columns, each_numbered_record, is_frame, rows_of, take_each, write_lines
from assay.model import Qrels, Query
from assay.text import shortened

FRAME = "frame"
"""The name of a benchmark from a frame, and the place in messages about its records."""


def are_records(source: Any) -> bool:
    """Whether a value is a data frame, a list of records, or columns."""
    if isinstance(source, Mapping):
        return are_columns(source)
    return (
        type(source).__name__ == "LazyFrame"
        or is_frame(source)
        or (isinstance(source, list | tuple) and bool(source) and isinstance(source[0], Mapping))
    )


def read_frame(source: Any, read: Callable[[Path], BenchmarkDataset]) -> BenchmarkDataset:
    """The benchmark in a frame whose rows are queries. It is recognised and read as a file with the same records is."""
    with TemporaryDirectory(prefix="assay-") as folder:
        path = Path(folder, f"{FRAME}.jsonl")
        write_lines(path, rows_of(source, "a benchmark"))
        try:
            dataset = read(path)
        except DataError as error:
            raise _about_records(error) from None
    dataset.path = None
    return dataset


def _about_records(error: DataError) -> DataError:
    """The same error about records of a frame, not lines of a temporary file."""
    place = f"{FRAME}, record"
    faults = [Fault(fault.what, fault.line, fault.query, fault.code, fault.source and place) for fault in error.faults]
    return DataError(error.what, faults, source=FRAME, code=error.code, hint=error.hint)


def read_frames(queries: Any, qrels: Any, name: str) -> BenchmarkDataset:
    """A benchmark from tables of queries and judgments."""
    dataset = BenchmarkDataset(name)
    table = QueryTable(dataset, "queries")
    if isinstance(queries, str | Path):
        table.label = str(queries)
        each_numbered_record(Path(queries), table.take)
    else:
        numbers = count(1)
        example = "query_id and query"
        take_each(_query_rows(queries), "queries", lambda record: table.take(next(numbers), "queries", record), example)
    table.finish(has_judgments=qrels is not None)
    if qrels is not None:
        _add_judgments(dataset, qrels)
    return require_queries(dataset, "queries")


def _query_rows(queries: Any) -> Iterable[Any]:
    """Records of queries; a mapping id → text is accepted too, and so are texts alone."""
    if isinstance(queries, Mapping) and queries and all(isinstance(text, str) for text in queries.values()):
        return [{"query_id": query, "query": text} for query, text in queries.items()]
    rows = list(rows_of(queries, "queries"))
    return [{"query": row} if isinstance(row, str) else row for row in rows]


def _add_judgments(dataset: BenchmarkDataset, qrels: Any) -> None:
    """Judgments of a frame, of records, or of anything that `Qrels` reads."""
    if not are_records(qrels):
        if not isinstance(qrels, Qrels | Mapping | str | Path):
            accepted = "a data frame, a list of records, a file, or query → document → grade"
            raise DataError(f"qrels must be {accepted}, not {shortened(qrels)}")
        judged = qrels if isinstance(qrels, Qrels) else Qrels(qrels)
        dataset.qrels |= {query: judged[query] for query in judged}
    else:
        table = JudgmentTable(dataset)
        take_each(
            rows_of(qrels, "qrels"), "qrels", lambda record: table.take("qrels", record), "query_id, doc_id and relevance"
        )
        table.finish()
    dataset.queries |= {query: Query(query) for query in dataset.qrels if query not in dataset.queries}
