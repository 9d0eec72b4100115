"""Tables that the database can read by itself: large files and frames, as SQL."""

from __future__ import annotations

from typing import Any, NamedTuple

from assay.datasets._columns import find_run_columns
from assay.datasets._database import literal, quoted
from assay.datasets._rows import is_frame
from assay.datasets._source import BOM, FileSource
from assay.errors import DataError

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


class Table(NamedTuple):
    """A relation with text columns q and d and a number s; `bad` marks rows that only the strict reader can explain."""

    select: str
    tag: str = ""


def large_run(connection: Any, source: Any) -> Table | None:
    """The table behind a source, if the database can read it and it is large enough to be worth it."""
    if isinstance(source, FileSource):
        if source.path.stat().st_size < LARGE_FILE:
            return None
        return _trec(source) if source.kind == "trec" else _file(connection, source)
    if is_frame(source) and hasattr(source, "__len__") and len(source) >= LARGE_FRAME:
        return _frame(connection, source)
    return None


def _trec(source: FileSource) -> Table | None:
    """Six columns with one blank or one tab between them. An empty iteration or rank means that columns have shifted."""
    fields = source.first_line.split()
    delimiter = next((mark for mark in (b" ", b"\t") if len(source.first_line.rstrip(b"\r\n").split(mark)) == 6), None)
    if len(fields) != 6 or delimiter is None:
        return None
    path, compression = _located(source)
    columns = "{'q': 'VARCHAR', 'i': 'VARCHAR', 'd': 'VARCHAR', 'r': 'VARCHAR', 's': 'DOUBLE', 't': 'VARCHAR'}"
    shape = f"delim={literal(delimiter.decode())}, header=false, columns={columns}, quote='', escape='', auto_detect=false"
    reader = f"read_csv({path}, {shape}, {compression})"
    bad = "q IS NULL OR i IS NULL OR d IS NULL OR r IS NULL OR s IS NULL OR starts_with(q, '#')"
    return Table(f"SELECT q, d, s, {bad} AS bad FROM {reader}", fields[5].decode("utf-8", "replace"))


def _located(source: FileSource) -> tuple[str, str]:
    """Path and compression as SQL."""
    return literal(str(source.plain_path)), f"compression={literal('gzip' if source.compression == 'gzip' else 'none')}"


def _file(connection: Any, source: FileSource) -> Table | None:
    path, compression = _located(source)
    if source.kind == "table":
        with source.open() as file:
            if not file.readline().removeprefix(BOM).startswith(source.first_line[:20]):
                return None  # something stands before the header
        delimiter = max("\t,; ", key=source.first_line.decode("utf-8", "replace").count)
        reader = f"read_csv({path}, delim={literal(delimiter)}, header=true, all_varchar=true, {compression})"
    elif source.kind == "jsonl":
        reader = f"read_json({path}, format='newline_delimited', {compression})"
    elif source.kind == "parquet":
        reader = f"read_parquet({path})"
    else:
        return None
    return _named_columns(connection, reader)


class _Stream:
    """Only the Arrow stream of a frame, so that no other package is needed to read it."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.frame.__arrow_c_stream__(requested_schema)


def _frame(connection: Any, frame: Any) -> Table | None:
    is_pandas = type(frame).__module__.partition(".")[0] == "pandas"
    if not is_pandas and not hasattr(frame, "__arrow_c_stream__"):
        return None
    connection.register("frame", frame if is_pandas else _Stream(frame))
    return _named_columns(connection, "frame")


def _named_columns(connection: Any, reader: str) -> Table | None:
    """Query, document and score by the names of the columns; None where an id is neither text nor a whole number."""
    types = {row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {reader}").fetchall()}
    try:
        found = find_run_columns(list(types))
    except DataError:
        return None
    if not {types[found["query"]], types[found["document"]]} <= TEXT_OR_WHOLE:
        return None
    query, doc = (f"trim({quoted(found[role])}::VARCHAR)" for role in ("query", "document"))
    score = f"{quoted(found['score'])}::DOUBLE" if "score" in found else f"-({quoted(found['rank'])}::DOUBLE)"
    inner = f"SELECT {query} AS q, {doc} AS d, {score} AS s FROM {reader}"
    bad = "q IS NULL OR d IS NULL OR s IS NULL OR q = '' OR d = '' OR starts_with(q, '#')"
    return Table(f"SELECT q, d, s, {bad} AS bad FROM ({inner})")
