"""What the reader tests share: one small run and its judgments, written in every format there is."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import zstandard

from assay import DataError

BOM = b"\xef\xbb\xbf"

RUN = {"q1": {"d1": 0.5, "d#2": 1.5, "é日": 0.25}, "7": {"9": 2.0, "d1": -1.0}}
"""A run with ids that look like comments, numbers and foreign words. Equal scores: none."""
QRELS = {"q1": {"d1": 2.0, "d#2": 0.0, "é日": 1.0}, "7": {"9": 1.0, "nowhere": -1.0}}

RUN_ROWS = [(query, doc, score) for query, ranking in RUN.items() for doc, score in ranking.items()]
QRELS_ROWS = [(query, doc, grade) for query, judged in QRELS.items() for doc, grade in judged.items()]

NUMBERED_RUN = {"1": {"10": 0.5, "20": 1.5}, "2": {"10": 2.0}}
NUMBERED_ROWS = [(1, 10, 0.5), (1, 20, 1.5), (2, 10, 2.0)]


def plain(mapping: Any) -> dict[str, dict[str, float]]:
    """A Run or Qrels as nested dicts."""
    return {query: dict(mapping[query]) for query in mapping}


def packed(content: bytes) -> bytes:
    """Gzipped, the same way every time."""
    return gzip.compress(content, mtime=0)


def write(path: Path, content: str | bytes) -> Path:
    """A file with exactly this content."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def trec_run(rows: Any = RUN_ROWS, tag: str = "bm25") -> str:
    """Six columns with one blank between them."""
    return "".join(f"{query} Q0 {doc} {rank} {score} {tag}\n" for rank, (query, doc, score) in enumerate(rows, 1))


def trec_qrels(rows: Any = QRELS_ROWS) -> str:
    """Four columns with one blank between them."""
    return "".join(f"{query} 0 {doc} {grade:g}\n" for query, doc, grade in rows)


def delimited(rows: Any, header: tuple[str, ...], delimiter: str = ",") -> str:
    """A table with a header."""
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows([header, *rows])
    return file.getvalue()


def records(rows: Any, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """A dict for each row."""
    return [dict(zip(names, row, strict=True)) for row in rows]


def jsonl(rows: Any, names: tuple[str, ...]) -> str:
    """An object on each line."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records(rows, names))


def columns(rows: Any, names: tuple[str, ...]) -> dict[str, list[Any]]:
    """A list for each column."""
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def parquet(path: Path, rows: Any, names: tuple[str, ...]) -> Path:
    """A Parquet file."""
    pl.DataFrame(columns(rows, names)).write_parquet(path)
    return path


@dataclass
class Scored:
    """A record as people keep them in their own programs."""

    query_id: str
    doc_id: str
    score: float
    note: str = "not read"


@dataclass
class Judged:
    """A judgment as people keep them in their own programs."""

    query_id: str
    doc_id: str
    relevance: float


class Slotted:
    """The same without a `__dict__`."""

    __slots__ = ("doc_id", "query_id", "score")

    def __init__(self, query: str, doc: str, score: float) -> None:
        self.query_id, self.doc_id, self.score = query, doc, score


RUN_NAMES = ("query_id", "doc_id", "score")
QRELS_NAMES = ("query_id", "doc_id", "relevance")


class ScoredTuple(NamedTuple):
    """A row of a run."""

    query_id: str
    doc_id: str
    score: float


class JudgedTuple(NamedTuple):
    """A row of judgments."""

    query_id: str
    doc_id: str
    relevance: float


class Turned(NamedTuple):
    """A row of a run whose fields come in another order."""

    score: float
    extra: int
    doc_id: str
    query_id: str


STRUCTURE = [("query_id", "U9"), ("doc_id", "U9"), ("score", float)]
GRADE_STRUCTURE = [("query_id", "U9"), ("doc_id", "U9"), ("relevance", float)]


def turned(rows: Any) -> list[tuple[Any, ...]]:
    """The same rows with the columns the other way round."""
    return [row[::-1] for row in rows]


TEXT = trec_run()
RUN_FILES: dict[str, tuple[str, str | bytes]] = {
    "blanks": ("run.txt", TEXT),
    "tabs": ("run.txt", TEXT.replace(" ", "\t")),
    "many blanks": ("run.txt", TEXT.replace(" ", "  \t ")),
    "leading and trailing blanks": ("run.txt", "".join(f"  {line} \n" for line in TEXT.splitlines())),
    "CRLF": ("run.txt", TEXT.replace("\n", "\r\n")),
    "byte-order mark": ("run.txt", BOM + TEXT.encode()),
    "comments": ("run.txt", "# by hand\n" + TEXT.replace("\n", "\n# q1 Q0 d9 1 1.0 t\n#q1 Q0 d9 one 1.0 t\n")),
    "blank lines": ("run.txt", "\n  \n" + TEXT.replace("\n", "\n\n \t\n")),
    "no final newline": ("run.txt", TEXT.rstrip("\n")),
    "interleaved": ("run.txt", trec_run([RUN_ROWS[place] for place in (0, 3, 1, 4, 2)])),
    "any ending": ("run.bm25-v2", TEXT),
    "gzip": ("run.txt.gz", packed(TEXT.encode())),
    "xz": ("run.txt.xz", lzma.compress(TEXT.encode())),
    "xz in two streams": ("run.xz", lzma.compress(TEXT.encode()[:40]) + lzma.compress(TEXT.encode()[40:])),
    "bzip2": ("run.txt.bz2", bz2.compress(TEXT.encode())),
    "bzip2 without an ending": ("run", bz2.compress(TEXT.encode())),
    "gzip in two members": ("run.gz", packed(TEXT.encode()[:40]) + packed(TEXT.encode()[40:])),
    "gzip by its first bytes": ("run.txt", packed(TEXT.encode())),
    "zstd": ("run.txt.zst", zstandard.compress(TEXT.encode())),
    "zstd in two frames": ("run.zst", zstandard.compress(TEXT.encode()[:40]) + zstandard.compress(TEXT.encode()[40:])),
    "zstd by its first bytes": ("run.txt", zstandard.compress(TEXT.encode())),
    "JSON": ("run.json", json.dumps(RUN)),
    "JSON, pretty": ("run.json", json.dumps(RUN, indent=2, ensure_ascii=False)),
    "JSON, CRLF and mark": ("run.json", BOM + json.dumps(RUN, indent=2).replace("\n", "\r\n").encode()),
    "JSON of records": ("run.json", json.dumps(records(RUN_ROWS, RUN_NAMES))),
    "JSON of triples": ("run.json", json.dumps(RUN_ROWS)),
    "JSON of columns": ("run.json", json.dumps(columns(RUN_ROWS, RUN_NAMES))),
    "JSON of pairs": ("run.json", json.dumps({query: list(ranking.items()) for query, ranking in RUN.items()})),
    "JSON under a run key": ("run.json", json.dumps({"run": RUN})),
    "JSON without ending": ("run", json.dumps(RUN, indent=1)),
    "JSON on one line without ending": ("run", json.dumps(RUN)),
    "gzipped JSON": ("run.json.gz", packed(json.dumps(RUN).encode())),
    "JSONL": ("run.jsonl", jsonl(RUN_ROWS, RUN_NAMES)),
    "JSONL, blank lines": ("run.ndjson", jsonl(RUN_ROWS, RUN_NAMES).replace("\n", "\n\n")),
    "JSONL without ending": ("run", jsonl(RUN_ROWS, RUN_NAMES)),
    "JSONL, other names": ("run.jsonl", jsonl(turned(RUN_ROWS), ("sim", "docno", "qid"))),
    "JSONL zstd": ("run.jsonl.zst", zstandard.compress(jsonl(RUN_ROWS, RUN_NAMES).encode())),
    "CSV": ("run.csv", delimited(RUN_ROWS, RUN_NAMES)),
    "CSV, quoted": ("run.csv", delimited(RUN_ROWS, RUN_NAMES).replace("d1", '"d1"')),
    "CSV, CRLF and mark": ("run.csv", BOM + delimited(RUN_ROWS, RUN_NAMES).replace("\n", "\r\n").encode()),
    "CSV with blanks": ("run.csv", delimited(RUN_ROWS, RUN_NAMES).replace(",", ", ")),
    "CSV, other order": ("run.csv", delimited(turned(RUN_ROWS), ("Similarity", "Doc-ID", "Topic"))),
    "CSV, more columns": (
        "run.csv",
        delimited([(1, *row, "x,y") for row in RUN_ROWS], ("rank", "qid", "docid", "score", "note")),
    ),
    "CSV with semicolons": ("run.csv", delimited(RUN_ROWS, RUN_NAMES, ";")),
    "CSV gzipped": ("run.csv.gz", packed(delimited(RUN_ROWS, RUN_NAMES).encode())),
    "TSV": ("run.tsv", delimited(RUN_ROWS, ("query-id", "corpus-id", "score"), "\t")),
    "TSV, comment first": ("run.tsv", "# made by hand\n" + delimited(RUN_ROWS, RUN_NAMES, "\t")),
    "table with blanks": ("run.txt", delimited(RUN_ROWS, RUN_NAMES, " ")),
    "TREC in a .tsv": ("run.tsv", TEXT.replace(" ", "\t")),
}

QRELS_TEXT = trec_qrels()
BEIR_NAMES = ("query-id", "corpus-id", "score")
QRELS_FILES: dict[str, tuple[str, str | bytes]] = {
    "blanks": ("qrels.txt", QRELS_TEXT),
    "tabs": ("qrels.txt", QRELS_TEXT.replace(" ", "\t")),
    "many blanks": ("qrels.txt", QRELS_TEXT.replace(" ", "  \t ")),
    "CRLF": ("qrels.txt", QRELS_TEXT.replace("\n", "\r\n")),
    "byte-order mark": ("qrels.txt", BOM + QRELS_TEXT.encode()),
    "comments": ("qrels.txt", "# by hand\n" + QRELS_TEXT.replace("\n", "\n#q1 0 d9 1\n")),
    "blank lines": ("qrels.txt", "\n  \n" + QRELS_TEXT.replace("\n", "\n\n \t\n")),
    "no final newline": ("qrels", QRELS_TEXT.rstrip("\n")),
    "interleaved": ("qrels.txt", trec_qrels([QRELS_ROWS[place] for place in (0, 3, 1, 4, 2)])),
    "float grades": ("qrels.txt", "".join(f"{query} 0 {doc} {grade}\n" for query, doc, grade in QRELS_ROWS)),
    "gzip": ("qrels.txt.gz", packed(QRELS_TEXT.encode())),
    "zstd": ("qrels.txt.zst", zstandard.compress(QRELS_TEXT.encode())),
    "JSON": ("qrels.json", json.dumps(QRELS)),
    "JSON of records": ("qrels.json", json.dumps(records(QRELS_ROWS, QRELS_NAMES))),
    "JSON of triples": ("qrels.json", json.dumps(QRELS_ROWS)),
    "JSON of columns": ("qrels.json", json.dumps(columns(QRELS_ROWS, QRELS_NAMES))),
    "JSON under a qrels key": ("qrels.json", json.dumps({"qrels": QRELS, "queries": {"q1": "what?"}})),
    "JSON without ending": ("qrels", json.dumps(QRELS, indent=1)),
    "JSONL": ("qrels.jsonl", jsonl(QRELS_ROWS, QRELS_NAMES)),
    "JSONL, other names": ("qrels.jsonl", jsonl(turned(QRELS_ROWS), ("label", "pid", "qid"))),
    "CSV": ("qrels.csv", delimited(QRELS_ROWS, QRELS_NAMES)),
    "CSV, other order": ("qrels.csv", delimited(turned(QRELS_ROWS), ("Grade", "Document ID", "Query ID"))),
    "BEIR": ("test.tsv", delimited(QRELS_ROWS, BEIR_NAMES, "\t")),
    "BEIR gzipped": ("test.tsv.gz", packed(delimited(QRELS_ROWS, BEIR_NAMES, "\t").encode())),
    "TREC in a .tsv": ("qrels.tsv", QRELS_TEXT.replace(" ", "\t")),
}

RUN_OBJECTS = {
    "nested dict": lambda: RUN,
    "pandas": lambda: pd.DataFrame(RUN_ROWS, columns=list(RUN_NAMES)),
    "pandas, other index": lambda: pd.DataFrame(RUN_ROWS, columns=list(RUN_NAMES), index=[5, 5, 5, 1, 1]),
    "pandas, object columns": lambda: pd.DataFrame(RUN_ROWS, columns=list(RUN_NAMES), dtype=object),
    "pandas, categories": lambda: pd.DataFrame(RUN_ROWS, columns=list(RUN_NAMES)).astype({"query_id": "category"}),
    "pandas, other order": lambda: pd.DataFrame(turned(RUN_ROWS), columns=["score", "docno", "qid"]),
    "polars": lambda: pl.DataFrame(columns(RUN_ROWS, RUN_NAMES)),
    "polars, categories": lambda: pl.DataFrame(columns(RUN_ROWS, RUN_NAMES)).cast({"query_id": pl.Categorical}),
    "pyarrow": lambda: pa.table(columns(RUN_ROWS, RUN_NAMES)),
    "pyarrow in chunks": lambda: pa.concat_tables(
        [pa.table(columns(rows, RUN_NAMES)) for rows in (RUN_ROWS[:2], RUN_ROWS[2:])]
    ),
    "pyarrow batch": lambda: pa.record_batch(columns(RUN_ROWS, RUN_NAMES)),
    "dict of columns": lambda: columns(RUN_ROWS, ("qid", "docid", "score")),
    "dict of arrays": lambda: {name: np.array(column) for name, column in columns(RUN_ROWS, RUN_NAMES).items()},
    "structured array": lambda: np.array(RUN_ROWS, dtype=STRUCTURE),
    "structured array, other order": lambda: np.array(RUN_ROWS, dtype=STRUCTURE)[["score", "doc_id", "query_id"]],
    "record array": lambda: np.rec.array(np.array(RUN_ROWS, dtype=STRUCTURE)),
    "object array": lambda: np.array(RUN_ROWS, dtype=object),
    "text array": lambda: np.array(RUN_ROWS, dtype=str),
    "tuples": lambda: RUN_ROWS,
    "lists": lambda: [list(row) for row in RUN_ROWS],
    "dicts": lambda: records(RUN_ROWS, RUN_NAMES),
    "namedtuples": lambda: [ScoredTuple(*row) for row in RUN_ROWS],
    "namedtuples, other order": lambda: [Turned(score, 0, doc, query) for query, doc, score in RUN_ROWS],
    "rows of pandas": lambda: pd.DataFrame(RUN_ROWS, columns=list(RUN_NAMES)).itertuples(),
    "objects": lambda: [SimpleNamespace(qid=query, docid=doc, score=score) for query, doc, score in RUN_ROWS],
    "dataclasses": lambda: [Scored(*row) for row in RUN_ROWS],
    "objects with slots": lambda: [Slotted(*row) for row in RUN_ROWS],
    "generator": lambda: (row for row in RUN_ROWS),
    "set of tuples": lambda: set(RUN_ROWS),
}

QRELS_OBJECTS = {
    "nested dict": lambda: QRELS,
    "pandas": lambda: pd.DataFrame(QRELS_ROWS, columns=list(QRELS_NAMES)),
    "polars": lambda: pl.DataFrame(columns(QRELS_ROWS, QRELS_NAMES)),
    "pyarrow": lambda: pa.table(columns(QRELS_ROWS, QRELS_NAMES)),
    "dict of columns": lambda: columns(QRELS_ROWS, ("qid", "docid", "label")),
    "structured array": lambda: np.array(QRELS_ROWS, dtype=GRADE_STRUCTURE),
    "structured array, other order": lambda: np.array(QRELS_ROWS, dtype=GRADE_STRUCTURE)[
        ["relevance", "doc_id", "query_id"]
    ],
    "object array": lambda: np.array(QRELS_ROWS, dtype=object),
    "tuples": lambda: QRELS_ROWS,
    "dicts": lambda: records(QRELS_ROWS, QRELS_NAMES),
    "namedtuples": lambda: [JudgedTuple(*row) for row in QRELS_ROWS],
    "objects": lambda: [SimpleNamespace(qid=query, docid=doc, rel=grade) for query, doc, grade in QRELS_ROWS],
    "dataclasses": lambda: [Judged(*row) for row in QRELS_ROWS],
    "generator": lambda: (row for row in QRELS_ROWS),
}


def faults_of(read: Any, *arguments: Any) -> tuple[str, ...]:
    """The faults that reading ends in: a DataError, and nothing else."""
    with pytest.raises(DataError) as caught:
        read(*arguments)
    assert len(caught.value.faults) <= 20
    return caught.value.faults or (str(caught.value),)


def sources(folder: Path, rows: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """The same rows in every form that names its columns; and as tuples."""
    by_column = columns(rows, names)
    return {
        "pandas": pd.DataFrame(by_column),
        "polars": pl.DataFrame(by_column),
        "pyarrow": pa.table(by_column),
        "columns": by_column,
        "dicts": records(rows, names),
        "tuples": list(rows),
        "CSV": write(folder / "rows.csv", delimited(rows, names)),
        "JSONL": write(folder / "rows.jsonl", jsonl(rows, names)),
        "JSON": write(folder / "rows.json", json.dumps(records(rows, names))),
        "Parquet": parquet(folder / "rows.parquet", rows, names),
    }


def frames(**by_column: Any) -> Iterator[Any]:
    """The same columns in every kind of frame."""
    yield pd.DataFrame(by_column)
    yield pl.DataFrame(by_column, strict=False)
    yield pa.table(by_column)
    yield by_column
