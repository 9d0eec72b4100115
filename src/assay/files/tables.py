"""Tables: SQL for large files and data frames that the database can read directly."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from assay.errors import DataError
from assay.files.columns import find_run_columns
from assay.files.database import LineIndex, literal, ordinary_lines, path_literal, quoted
from assay.files.json_text import parse_json
from assay.files.parquet import parquet_reader
from assay.files.rows import THREE_READ, delimiter_of, has_three, is_frame, n_columns, trec_fields
from assay.files.source import FileSource
from assay.model import all_text

LARGE_FILE = 8_000_000
"""From this number of bytes, reading a file through the database is faster."""
PARQUET_SHARE = 10
"""A Parquet file is large already if it has only this part of the bytes, because its columns are compressed."""
LARGE_FRAME = 200_000
"""From this number of rows, reading a data frame through the database is faster."""

TEXT_OR_WHOLE = {
    "VARCHAR",
    "BIGINT",
    "INTEGER",
    "SMALLINT",
    "TINYINT",
    "UBIGINT",
    "UINTEGER",
    "USMALLINT",
    "UTINYINT",
    "HUGEINT",
}
NUMERIC = {*TEXT_OR_WHOLE, "DOUBLE", "FLOAT"}


CSV_BUFFER = 8_000_000
"""Bytes that the database reads at a time: four of its longest lines. It has several buffers, so this limits its memory."""
MARK = b"\x01"
"""A character that no line of JSON contains, so that a line is one column."""
ID_SHAPE = r'(?:"([^"\\\x00-\x1f]+)"|(0|-?[1-9][0-9]{0,17}))'
NUMBER_SHAPE = r"-?(?:0|[1-9][0-9]{0,39})(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?"
ANY_SHAPE = rf'(?:"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{{4}})*"|{NUMBER_SHAPE}|true|false|null)'
"""The shape of a value that both readers read in the same way."""


class Table(NamedTuple):
    """A relation with text columns q and d and a number s; `bad` marks rows that only the strict reader can explain."""

    select: str
    tag: str = ""
    check: Callable[[], LineIndex | None] | None = None
    """For text files: checks whether both readers split the file in the same way, and if so counts its lines."""
    has_rows_by_line: bool = False
    """Whether every line is a row in TREC format, which can be read again by its number."""
    is_counted: bool = False
    """Whether scores are ranks that must count up from 1 within each query."""


def is_large(source: Any) -> bool:
    """Whether a file or frame is so large that the database reads it faster."""
    if isinstance(source, FileSource):
        size = source.path.stat().st_size
        return size >= LARGE_FILE or (size * PARQUET_SHARE >= LARGE_FILE and source.kind == "parquet")
    return is_frame(source) and hasattr(source, "__len__") and len(source) >= LARGE_FRAME


def table_of(connection: Any, source: Any) -> Table | None:
    """The table for a file or frame; None if the database cannot read it as the strict reader would."""
    if isinstance(source, FileSource):
        return _trec(source) if source.kind == "trec" else _file(connection, source)
    return _frame(connection, source)


def _trec(source: FileSource) -> Table | None:
    """A file with six or three columns and one space or one tab between them. Between tabs, ids may contain spaces."""
    line = source.first_line.rstrip(b"\r\n")
    width = n_columns(line)
    delimiter = next((mark for mark in (b"\t", b" ") if len(line.split(mark)) == width), None)
    fields = trec_fields(line, width)
    if (width != 6 and not has_three(line)) or delimiter is None or not all(fields):
        return None
    columns = ", ".join(f"'{name}': 'VARCHAR'" for name in ("qidrst" if width == 6 else "qdr"))
    reader = _csv_reader(source, delimiter.decode(), f"header=false, columns={{{columns}}}")
    check = partial(ordinary_lines, source.plain_path, delimiter, b"\v\f" if delimiter == b"\t" else b"\t\v\f")
    if width == 3:
        source.note(THREE_READ)
        return Table(f"SELECT q, d, -(r::DOUBLE) AS s, {_no_number('r')} AS bad FROM {reader}", "", check, is_counted=True)
    select = f"SELECT q, d, s::DOUBLE AS s, {_no_number('s')} AS bad FROM {reader}"
    return Table(select, fields[5].decode("utf-8", "replace"), check, has_rows_by_line=True)


def _no_number(column: str) -> str:
    """SQL that finds what the database would read as a number although it is not: `1_0`."""
    return f"({column} IS NULL OR contains({column}, '_'))"


def _csv_reader(source: FileSource, delimiter: str, shape: str) -> str:
    dialect = f"delim={literal(delimiter)}, quote='', escape='', auto_detect=false, hive_partitioning=false"
    reading = f"compression='uncompressed', buffer_size={CSV_BUFFER}"
    return f"read_csv({path_literal(source.plain_path)}, {dialect}, {shape}, {reading})"


def _file(connection: Any, source: FileSource) -> Table | None:
    if source.kind == "table":
        return _delimited(connection, source)
    if source.kind == "jsonl":
        return _json_lines(source)
    if source.kind == "parquet":
        return _named_columns(connection, parquet_reader(connection, source))
    return None


def _delimited(connection: Any, source: FileSource) -> Table | None:
    """A file whose first line is its header and whose fields are not quoted."""
    delimiter = delimiter_of(source)
    with source.reading_lines() as file:
        if file.readline() != source.first_line:
            return None
    names = [name.strip() for name in source.first_line.decode("utf-8", "replace").split(delimiter)]
    if not all(names) or len({name.lower() for name in names}) != len(names):
        return None
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
    reader = _csv_reader(source, delimiter, f"header=true, columns={{{columns}}}")
    table = _named_columns(connection, reader, is_text=True)
    marks = b'"\t\v\f'.replace(delimiter.encode(), b"")
    check = partial(ordinary_lines, source.plain_path, delimiter.encode(), marks, may_have_gaps=True)
    return table and table._replace(check=check)


def _json_lines(source: FileSource) -> Table | None:
    """One object per line, with the keys of the first line in the same order, and only plain values.

    The database accepts more than valid JSON: repeated keys, extra commas, numbers too large for a float. So lines are
    matched against a pattern, and the strict reader reads a file with a line that does not match.
    """
    first = parse_json(source.first_line)
    if not isinstance(first, dict):
        return None
    roles = find_run_columns(list(first))
    value = roles.get("score", roles.get("rank", ""))
    shapes = {roles["query"]: ID_SHAPE, roles["document"]: ID_SHAPE, value: f"({NUMBER_SHAPE})"}
    pairs = (f"{re.escape(json.dumps(name, ensure_ascii=False))} *: *{shapes.get(name, ANY_SHAPE)}" for name in first)
    pattern = r"\A *\{ *" + " *, *".join(pairs) + r" *\} *\z"
    names = {roles["query"]: ["qt", "qn"], roles["document"]: ["dt", "dn"], value: ["s"]}
    groups = ", ".join(literal(group) for name in first for group in names.get(name, ()))
    reader = _csv_reader(source, MARK.decode(), "header=false, columns={'line': 'VARCHAR'}")
    line = f"SELECT regexp_extract(line, {literal(pattern)}, [{groups}]) AS r FROM {reader}"
    sign = "" if "score" in roles else "-"
    inner = f"SELECT r.qt || r.qn AS q, r.dt || r.dn AS d, {sign}TRY_CAST(r.s AS DOUBLE) AS s FROM ({line})"
    check = partial(ordinary_lines, source.plain_path, MARK, MARK + b"\t\v\f", may_have_gaps=True)
    return Table(f"SELECT q, d, s, coalesce(q = '' OR d = '', true) AS bad FROM ({inner})", check=check)


class _Stream:
    """Exposes only the Arrow stream of a frame, so that no other package is needed to read it."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.frame.__arrow_c_stream__(requested_schema)


def _frame(connection: Any, frame: Any) -> Table | None:
    is_pandas = type(frame).__module__.partition(".")[0] == "pandas"
    if is_pandas and not _has_plain_columns(frame):
        return None
    if not is_pandas and not hasattr(frame, "__arrow_c_stream__"):
        return None
    connection.register("frame", frame if is_pandas else _Stream(frame))
    return _named_columns(connection, "frame")


def _has_plain_columns(frame: Any) -> bool:
    """Whether each column of a pandas frame has one type throughout: an object column may mix types."""
    roles = find_run_columns([str(column) for column in frame.columns])
    value = frame[roles.get("score", roles.get("rank"))]
    ids = [frame[roles[role]] for role in ("query", "document")]
    return value.dtype.kind in "fiu" and all(column.dtype.kind in "iu" or all_text(column) for column in ids)


def _named_columns(connection: Any, reader: str, *, is_text: bool = False) -> Table | None:
    """Query, document and score by the names of the columns; None if an id is neither text nor a whole number."""
    types = {row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {reader}").fetchall()}
    try:
        roles = find_run_columns(list(types))
    except DataError:
        return None
    value = roles.get("score", roles.get("rank", ""))
    is_decimal = types[value].startswith("DECIMAL(")
    is_readable = is_decimal or types[value] in NUMERIC | {"VARCHAR"}
    if not {types[roles["query"]], types[roles["document"]]} <= TEXT_OR_WHOLE or not is_readable:
        return None
    query, doc = (f"{quoted(roles[role])}::VARCHAR" for role in ("query", "document"))
    if is_text:  # spaces around fields do not count
        query, doc = f"trim({query}, ' ' || chr(9))", f"trim({doc}, ' ' || chr(9))"
    sign = "" if "score" in roles else "-"
    odd = _no_number(quoted(value)) if types[value] == "VARCHAR" else "false"
    score = (
        f"{quoted(value)}::VARCHAR::DOUBLE" if is_decimal else f"{quoted(value)}::DOUBLE"
    )  # its text is rounded correctly
    inner = f"SELECT {query} AS q, {doc} AS d, {sign}({score}) AS s, {odd} AS odd FROM {reader}"
    bad = "odd OR q IS NULL OR d IS NULL OR s IS NULL OR q = '' OR d = ''"
    return Table(f"SELECT q, d, s, {bad} AS bad FROM ({inner})")
