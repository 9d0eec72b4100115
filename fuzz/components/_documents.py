"""Small runs and judgments in the forms that components mutate."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

RUN_ROWS = [("q1", "d1", 0.5), ("q1", "d#2", 1.5), ("q1", "é日", 0.5), ("7", "9", 2.0), ("7", "d1", -1.0), ("q2", "a", 1e-3)]
QRELS_ROWS = [("q1", "d1", 2), ("q1", "d#2", 0), ("q1", "é日", 1), ("7", "9", 1), ("7", "none", -1), ("q2", "a", 1)]
RUN_NAMES = ("query_id", "doc_id", "score")
QRELS_NAMES = ("query_id", "doc_id", "relevance")


def trec_run() -> bytes:
    """Six columns."""
    lines = (f"{query} Q0 {doc} {rank} {score} bm25\n" for rank, (query, doc, score) in enumerate(RUN_ROWS, 1))
    return "".join(lines).encode()


def trec_qrels() -> bytes:
    """Four columns."""
    return "".join(f"{query} 0 {doc} {grade}\n" for query, doc, grade in QRELS_ROWS).encode()


def table(rows: list[tuple[Any, ...]], names: tuple[str, ...], delimiter: str) -> bytes:
    """With a header."""
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows([names, *rows])
    return file.getvalue().encode()


def records(rows: list[tuple[Any, ...]], names: tuple[str, ...]) -> list[dict[str, Any]]:
    """An object for each row."""
    return [dict(zip(names, row, strict=True)) for row in rows]


def json_lines(rows: list[tuple[Any, ...]], names: tuple[str, ...]) -> bytes:
    """An object on each line."""
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records(rows, names)).encode()


def nested(rows: list[tuple[Any, ...]]) -> dict[str, dict[str, Any]]:
    """Query → document → number."""
    found: dict[str, dict[str, Any]] = {}
    for query, doc, value in rows:
        found.setdefault(query, {})[doc] = value
    return found


def columns(rows: list[tuple[Any, ...]], names: tuple[str, ...]) -> dict[str, list[Any]]:
    """A list for each column."""
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def parquet(rows: list[tuple[Any, ...]], names: tuple[str, ...]) -> bytes:
    """A Parquet file, written by DuckDB."""
    import duckdb

    from fuzz.files import scratch

    path = scratch() / "made.parquet"
    values = ", ".join("(" + ", ".join(_sql(value) for value in row) + ")" for row in rows)
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT * FROM (VALUES {values}) AS t({', '.join(names)})) TO '{path}' (FORMAT parquet)")
    return path.read_bytes()


def _sql(value: Any) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else f"{value}"
