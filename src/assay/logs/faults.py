"""Faults of a log: which lines or rows have values that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from assay.errors import MAX_FAULTS, AssayError, DataError, Faults
from assay.files import each_numbered_record, is_wrong_statement, quoted
from assay.logs.log_table import Expected, LogTable, OpenLog
from assay.text import shortened


@contextmanager
def reading_faults(log: OpenLog) -> Iterator[None]:
    """Turn what the database raises while it reads a log into an error with file and line."""
    import duckdb

    try:
        yield
    except (AssayError, duckdb.InterruptException, duckdb.OutOfMemoryException):
        raise
    except duckdb.Error as error:
        if is_wrong_statement(error):
            raise
        for table in log.tables:
            _check_lines(table)
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise DataError(f"cannot be read: {reason}", source=log.label) from None


def _check_lines(table: LogTable) -> None:
    """Read the lines of a file strictly. A line that cannot be read is an error with its number."""
    if table.source is not None and table.source.kind != "parquet":
        try:
            each_numbered_record(table.source.path, _take_nothing)
        except DataError as error:
            raise error from None


def _take_nothing(_number: int, _place: str, _record: object) -> None:
    """Only the reading itself matters."""


def wrong_values(log: OpenLog) -> DataError:
    """The error for rows with values that cannot be read: the first of them, with their lines."""
    for table, conditions in log.faults:
        places = [place for what, condition in conditions.items() for place in _places(log, table, what, condition)]
        if places:
            return _error(table, sorted(places)[:MAX_FAULTS])
    return DataError("a value cannot be read", source=log.label)


class _Place(NamedTuple):
    """A row that has another value than expected."""

    row: int
    what: str
    advice: str


def _places(log: OpenLog, table: LogTable, expected: Expected, condition: str) -> list[_Place]:
    """The first rows that meet a condition."""
    value = f"{quoted(expected.column)}::VARCHAR" if expected.column else "NULL"
    sql = (
        f"SELECT row, value FROM (SELECT row_number() OVER () AS row, {condition} AS wrong, {value} AS value "
        f"FROM {table.reader}) WHERE wrong ORDER BY row LIMIT {MAX_FAULTS}"
    )
    return [
        _Place(
            row, expected.text if value is None else f"{expected.text}, not {shortened(value)}", expected.advice_on(value)
        )
        for row, value in log.connection.execute(sql).fetchall()
    ]


def _error(table: LogTable, places: list[_Place]) -> DataError:
    lines = _lines(table, {place.row for place in places})
    faults = Faults(table.label, "" if lines else "row")
    for place in places:
        faults.add(lines.get(place.row, place.row), place.what)
    try:
        faults.raise_if_any()
    except DataError as error:
        advice = next((place.advice for place in places if place.advice), "")
        return error.hinting(advice) if advice else error
    return DataError("a value cannot be read", source=table.label)


class _AllFound(Exception):
    """The last row that was looked for."""


def _lines(table: LogTable, rows: set[int]) -> dict[int, int]:
    """Row → its line in a text file; empty for any other source."""
    lines: dict[int, int] = {}
    if table.source is None or table.source.kind == "parquet" or table.source.first_line.lstrip()[:1] == b"[":
        return lines

    def take(row: int, place: str, _record: object) -> None:
        if row in rows:
            lines[row] = int(place.rpartition(":")[2])
        if row >= max(rows):
            raise _AllFound

    with suppress(_AllFound):
        each_numbered_record(table.source.path, take)
    return lines
