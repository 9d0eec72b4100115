"""What the reader tests share: one small run and its judgments, written in every format there is."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
from collections.abc import Callable, Iterator
from dataclasses import make_dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import zstandard

from assay import Qrels, Run

BOM = b"\xef\xbb\xbf"
PACKERS = {"gz": gzip.compress, "zst": zstandard.compress, "xz": lzma.compress, "bz2": bz2.compress}

RUN = {"q1": {"d1": 0.5, "d#2": 1.5, "é日": 0.25}, "7": {"9": 2.0, "d1": -1.0}}
"""A run with ids that look like comments, numbers and foreign words. Equal scores: none."""
QRELS = {"q1": {"d1": 2.0, "d#2": 0.0, "é日": 1.0}, "7": {"9": 1.0, "nowhere": -1.0}}

RUN_ROWS = [(query, doc, score) for query, ranking in RUN.items() for doc, score in ranking.items()]
QRELS_ROWS = [(query, doc, grade) for query, judged in QRELS.items() for doc, grade in judged.items()]


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


RUN_NAMES = ("query_id", "doc_id", "score")
QRELS_NAMES = ("query_id", "doc_id", "relevance")
BEIR_NAMES = ("query-id", "corpus-id", "score")


def turned(rows: Any) -> list[tuple[Any, ...]]:
    """The same rows with the columns the other way round."""
    return [row[::-1] for row in rows]


def file_forms(key: str, text: str, nested: Any, rows: Any, names: tuple[str, ...]) -> dict[str, tuple[str, str | bytes]]:
    """One content in every kind of file: form → name, content."""
    half, content = len(text.encode()) // 2, text.encode()
    lines, table = jsonl(rows, names), delimited(rows, names)
    interleaved = "".join(text.splitlines(keepends=True)[place] for place in (0, 3, 1, 4, 2))
    more = delimited([(1, *row, "x,y") for row in rows], ("n", *names, "note"))
    return {
        "blanks": ("f.txt", text),
        "many blanks": ("f.txt", text.replace(" ", "  \t ")),
        "leading and trailing blanks": ("f.txt", "".join(f"  {line} \n" for line in text.splitlines())),
        "CRLF": ("f.txt", text.replace("\n", "\r\n")),
        "CR alone": ("f.txt", text.replace("\n", "\r")),
        "byte-order mark": ("f.txt", BOM + content),
        "comments": ("f.txt", "# by hand\n" + text.replace("\n", "\n# q1 Q0 d9 1 1.0 t\n")),
        "blank lines": ("f.txt", "\n  \n" + text.replace("\n", "\n\n \t\n")),
        "no final newline": ("f", text.rstrip("\n")),
        "interleaved": ("f.bm25-v2", interleaved),
        "gzip": ("f.txt.gz", packed(content)),
        "gzip in two members": ("f.gz", packed(content[:half]) + packed(content[half:])),
        "zstd": ("f.txt.zst", zstandard.compress(content)),
        "zstd in two frames": ("f.zst", zstandard.compress(content[:half]) + zstandard.compress(content[half:])),
        "xz in two streams": ("f.xz", lzma.compress(content[:half]) + lzma.compress(content[half:])),
        "bzip2 without an ending": ("f", bz2.compress(content)),
        "JSON": ("f.json", json.dumps(nested)),
        "JSON of records": ("f.json", json.dumps(records(rows, names))),
        "JSON of triples": ("f.json", json.dumps(rows)),
        "JSON of columns": ("f.json", json.dumps(columns(rows, names))),
        "JSON under a key": ("f.json", json.dumps({key: nested})),
        "JSON without ending": ("f", json.dumps(nested, indent=1)),
        "JSONL": ("f.jsonl", lines),
        "JSONL, blank lines": ("f.ndjson", lines.replace("\n", "\n\n")),
        "JSONL without ending": ("f", lines),
        "JSONL, other order": ("f.jsonl.zst", zstandard.compress(jsonl(turned(rows), names[::-1]).encode())),
        "CSV": ("f.csv", table),
        "CSV, CRLF and mark": ("f.csv", BOM + table.replace("\n", "\r\n").encode()),
        "CSV with blanks": ("f.csv.gz", packed(table.replace(",", ", ").encode())),
        "CSV, other order": ("f.csv", delimited(turned(rows), (names[2].title(), "Doc-ID", "Topic"))),
        "CSV, more columns": ("f.csv", more),
        "TSV of BEIR": ("f.tsv", delimited(rows, BEIR_NAMES, "\t")),
        "TSV, comment first": ("f.tsv", "# made by hand\n" + delimited(rows, names, "\t")),
        "table with blanks": ("f.txt", delimited(rows, names, " ")),
    }


def object_forms(nested: Any, rows: Any, names: tuple[str, ...]) -> dict[str, Callable[[], Any]]:
    """The same in every kind of object."""
    by_column, structure = columns(rows, names), [(names[0], "U9"), (names[1], "U9"), (names[2], float)]
    fields = [(name, Any) for name in names]
    tuple_of, other_order = NamedTuple("Row", fields), NamedTuple("Turned", fields[::-1])
    slotted = make_dataclass("Slotted", fields, slots=True)
    return {
        "nested dict": lambda: nested,
        "pandas": lambda: pd.DataFrame(by_column),
        "pandas, categories": lambda: pd.DataFrame(by_column).astype({"query_id": "category"}),
        "polars": lambda: pl.DataFrame(by_column),
        "polars, categories": lambda: pl.DataFrame(by_column).cast({"query_id": pl.Categorical}),
        "pyarrow": lambda: pa.table(by_column),
        "pyarrow in chunks": lambda: pa.concat_tables([pa.table(by_column)[:2], pa.table(by_column)[2:]]),
        "dict of columns": lambda: columns(rows, ("qid", "docid", names[2])),
        "dict of arrays": lambda: {name: np.array(column) for name, column in by_column.items()},
        "structured array": lambda: np.array(rows, dtype=structure),
        "structured array, other order": lambda: np.array(rows, dtype=structure)[[*names[::-1]]],
        "object array": lambda: np.array(rows, dtype=object),
        "text array": lambda: np.array(rows, dtype=str),
        "tuples": lambda: rows,
        "dicts": lambda: records(rows, names),
        "namedtuples": lambda: [tuple_of(*row) for row in rows],
        "namedtuples, other order": lambda: [other_order(*row) for row in turned(rows)],
        "objects": lambda: [SimpleNamespace(**one) for one in records(rows, ("qid", "docid", names[2]))],
        "objects with slots": lambda: [slotted(*row) for row in rows],
        "generator": lambda: (row for row in rows),
        "set of tuples": lambda: set(rows),
    }


RUN_FILES = file_forms("run", trec_run(), RUN, RUN_ROWS, RUN_NAMES)
QRELS_FILES = file_forms("qrels", trec_qrels(), QRELS, QRELS_ROWS, QRELS_NAMES)
BOTH = (Run, RUN, RUN_FILES, RUN_ROWS, RUN_NAMES), (Qrels, QRELS, QRELS_FILES, QRELS_ROWS, QRELS_NAMES)


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


def shown(grading):
    """Everything a grading says, as plain values."""
    run = grading.run
    hits = (run.retrieved.query, run.retrieved.rank, run.retrieved.grade)
    return {
        "queries": run.query_ids,
        "hits": list(zip(*(column.tolist() for column in hits), strict=True)),
        "judgments": run.judgment.tolist(),
        "n_retrieved": run.n_retrieved.tolist(),
        "missing": grading.missing,
        "counts": grading.counts,
        "tag": run.tag,
        "max_grade": run.max_grade,
        "level": run.level,
        "ties": None if run.ties is None else [column.tolist() for column in run.ties],
    }
