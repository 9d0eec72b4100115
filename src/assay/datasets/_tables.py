"""Tables that the database can read by itself: large files and frames, as SQL."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from assay.datasets._columns import find_run_columns
from assay.datasets._database import literal, path_literal, quoted
from assay.datasets._json import parse_json
from assay.datasets._lines import LineIndex, ordinary_lines
from assay.datasets._rows import delimiter_of, is_frame
from assay.datasets._source import FileSource
from assay.errors import DataError
from assay.model.ids import all_text

LARGE_FILE = 8_000_000
"""Bytes from which reading through the database pays."""
LARGE_FRAME = 200_000
"""Rows from which it pays for frames."""

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


class Table(NamedTuple):
    """A relation with text columns q and d and a number s; `bad` marks rows that only the strict reader can explain."""

    select: str
    tag: str = ""
    check: Callable[[], LineIndex | None] | None = None
    """For text files: looks whether both readers are bound to split the file alike, and if so counts its lines."""


def is_large(source: Any) -> bool:
    """Whether a file or frame is large enough for the database to be worth its while."""
    if isinstance(source, FileSource):
        return source.path.stat().st_size >= LARGE_FILE
    return is_frame(source) and hasattr(source, "__len__") and len(source) >= LARGE_FRAME


def table_of(connection: Any, source: Any) -> Table | None:
    """The table behind a file or frame; None if the database cannot read it as the strict reader would."""
    if isinstance(source, FileSource):
        return _trec(source) if source.kind == "trec" else _file(connection, source)
    return _frame(connection, source)


def _trec(source: FileSource) -> Table | None:
    """Six columns with one blank or one tab between them."""
    fields = source.first_line.split()
    delimiter = next((mark for mark in (b" ", b"\t") if len(source.first_line.rstrip(b"\r\n").split(mark)) == 6), None)
    if len(fields) != 6 or delimiter is None:
        return None
    columns = "{'q': 'VARCHAR', 'i': 'VARCHAR', 'd': 'VARCHAR', 'r': 'VARCHAR', 's': 'DOUBLE', 't': 'VARCHAR'}"
    reader = _csv_reader(source, delimiter.decode(), f"header=false, columns={columns}")
    check = partial(ordinary_lines, source.plain_path, delimiter, b"\t \v\f".replace(delimiter, b""))
    return Table(f"SELECT q, d, s, s IS NULL AS bad FROM {reader}", fields[5].decode("utf-8", "replace"), check)


def _csv_reader(source: FileSource, delimiter: str, shape: str) -> str:
    dialect = f"delim={literal(delimiter)}, quote='', escape='', auto_detect=false, hive_partitioning=false"
    return f"read_csv({path_literal(source.plain_path)}, {dialect}, {shape}, compression='none')"


def _file(connection: Any, source: FileSource) -> Table | None:
    if source.kind == "table":
        return _delimited(connection, source)
    path = path_literal(source.plain_path)
    if source.kind == "jsonl":
        return _json_lines(source, path)
    if source.kind == "parquet":
        return _named_columns(connection, f"read_parquet({path}, hive_partitioning=false)")
    return None


def _delimited(connection: Any, source: FileSource) -> Table | None:
    """A table whose first line is its header and whose fields are not quoted."""
    delimiter = delimiter_of(source)
    with source.reading() as file:
        if file.readline() != source.first_line:
            return None
    names = [name.strip() for name in source.first_line.decode("utf-8", "replace").split(delimiter)]
    if len({name.lower() for name in names}) != len(names):
        return None
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
    reader = _csv_reader(source, delimiter, f"header=true, columns={{{columns}}}")
    table = _named_columns(connection, reader, is_text=True)
    marks = b'"\t\v\f'.replace(delimiter.encode(), b"")
    check = partial(ordinary_lines, source.plain_path, delimiter.encode(), marks, may_have_gaps=True)
    return table and table._replace(check=check)


def _json_lines(source: FileSource, path: str) -> Table | None:
    """One object per line, with the keys of the first. Types are given, not guessed from the first rows."""
    first = parse_json(source.first_line)
    if not isinstance(first, dict):
        return None
    found = find_run_columns(list(first))
    names = [found["query"], found["document"], found.get("score", found.get("rank", ""))]
    columns = ", ".join(f"{literal(name)}: '{kind}'" for name, kind in zip(names, ("JSON", "JSON", "DOUBLE"), strict=True))
    reader = f"read_json({path}, format='newline_delimited', hive_partitioning=false, columns={{{columns}}})"
    query, doc, value = map(quoted, names)
    is_id = "coalesce(json_type({}) IN ('VARCHAR', 'BIGINT', 'UBIGINT'), false)"
    empty = f"{query}->>'$' = '' OR {doc}->>'$' = ''"
    bad = f"NOT {is_id.format(query)} OR NOT {is_id.format(doc)} OR {value} IS NULL OR {empty}"
    sign = "" if "score" in found else "-"
    return Table(f"SELECT {query}->>'$' AS q, {doc}->>'$' AS d, {sign}{value} AS s, {bad} AS bad FROM {reader}")


class _Stream:
    """Only the Arrow stream of a frame, so that no other package is needed to read it."""

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
    """Whether the columns of a pandas frame have one type throughout: an object column may hold anything further down."""
    found = find_run_columns([str(column) for column in frame.columns])
    value = frame[found.get("score", found.get("rank"))]
    ids = [frame[found[role]] for role in ("query", "document")]
    return value.dtype.kind in "fiu" and all(column.dtype.kind in "iu" or all_text(column) for column in ids)


def _named_columns(connection: Any, reader: str, *, is_text: bool = False) -> Table | None:
    """Query, document and score by the names of the columns; None where an id is neither text nor a whole number."""
    types = {row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {reader}").fetchall()}
    try:
        found = find_run_columns(list(types))
    except DataError:
        return None
    value = found.get("score", found.get("rank", ""))
    if not {types[found["query"]], types[found["document"]]} <= TEXT_OR_WHOLE or types[value] not in NUMERIC | {"VARCHAR"}:
        return None
    query, doc = (f"{quoted(found[role])}::VARCHAR" for role in ("query", "document"))
    if is_text:  # blanks around fields do not count
        query, doc = f"trim({query})", f"trim({doc})"
    score = f"{quoted(found['score'])}::DOUBLE" if "score" in found else f"-({quoted(found['rank'])}::DOUBLE)"
    inner = f"SELECT {query} AS q, {doc} AS d, {score} AS s FROM {reader}"
    bad = "q IS NULL OR d IS NULL OR s IS NULL OR q = '' OR d = ''"
    return Table(f"SELECT q, d, s, {bad} AS bad FROM ({inner})")
