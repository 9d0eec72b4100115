"""Log tables: the rows of files, data frames and records in the database, and which column has which role."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from assay.errors import DataError, UsageError
from assay.files import (
    TABLE_COLUMNS,
    FileSource,
    Reading,
    accepted_names,
    as_source,
    connect,
    current_reading,
    each_numbered_record,
    fold,
    is_frame,
    literal,
    parquet_reader,
    parse_columns,
    path_literal,
    quoted,
    reading_with,
    rows_of,
)
from assay.temporary_files import TemporaryFile, locked_folder

SAMPLE = 1000
"""Records of a JSON file that say which fields there are."""
LONGEST_RECORD = 64_000_000
"""Bytes of the longest JSON record."""
NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT")
DECIMALS = ("FLOAT", "DOUBLE")


class Expected(NamedTuple):
    """What a column must have, for the error about a value that it does not allow."""

    text: str
    column: str = ""
    """The column whose value the error quotes; empty if several columns decide."""
    advice: tuple[str, str] = ("", "")
    """A value, and what to do if it is found."""

    def advice_on(self, value: str | None) -> str:
        """What to do about a value; empty if there is no advice."""
        return self.advice[1] if value == self.advice[0] else ""


class Field(NamedTuple):
    """A column of a log and its type in the database."""

    column: str
    type: str

    @property
    def name(self) -> str:
        """The column as SQL."""
        return quoted(self.column)

    @property
    def is_text(self) -> bool:
        """Whether its values are text, which may be a badly written number or time."""
        return self.type == "VARCHAR"

    @property
    def is_whole(self) -> bool:
        """Whether its values are whole numbers."""
        return self.type in NUMBERS

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers of any kind."""
        return self.is_whole or self.type in DECIMALS or self.type.startswith("DECIMAL")


@dataclass(frozen=True)
class LogTable:
    """The rows of one source."""

    label: str
    reader: str
    """The SQL after FROM that reads it."""
    columns: Mapping[str, str]
    """Column → its type in the database."""
    source: FileSource | None = None
    """The file, if it is one."""

    def field(self, role: str) -> Field | None:
        """The column of a role: the one that the user named, or the first with an accepted name."""
        names = list(self.columns)
        column = current_reading().named_column(role, names)
        if column is None:
            folded = {fold(name): name for name in reversed(names)}
            column = next((folded[name] for name in TABLE_COLUMNS["logs"][role] if name in folded), None)
        return None if column is None else Field(column, self.columns[column])

    def needed(self, role: str, what: str) -> Field:
        """The column of a role that a log must have; an error lists the columns that there are."""
        if (known := self.field(role)) is None:
            names = ", ".join(map(repr, self.columns))
            message = f"found no column with {what} among {names}; {accepted_names('logs', role)}"
            raise DataError(message, source=self.label)
        return known

    def tag(self, word: str) -> Field | None:
        """The column that `--by` names: a role, or any other column."""
        if word in TABLE_COLUMNS["logs"] and (known := self.field(word)) is not None:
            return known
        column = next((name for name in self.columns if fold(name) == fold(word)), None)
        return None if column is None else Field(column, self.columns[column])


@dataclass(frozen=True)
class OpenLog:
    """An open log: a private database, and its tables."""

    connection: Any
    tables: tuple[LogTable, ...]
    name: str
    faults: list[tuple[LogTable, Mapping[Expected, str]]] = field(default_factory=list)
    """For each table: what is expected → the condition of rows with something else."""

    @property
    def label(self) -> str:
        """The log as errors name it."""
        return self.tables[0].label


def named_columns(columns: Mapping[str, str] | str | None) -> AbstractContextManager[object]:
    """Let readers use these names of columns, or those of the present call if there are none."""
    return reading_with(Reading(parse_columns(columns))) if columns else nullcontext()


@contextmanager
def open_log(source: Any) -> Iterator[OpenLog]:
    """Open files (one or several parts), a folder with parts, a data frame, or records."""
    import duckdb

    current_reading().has_tables = True
    with ExitStack() as stack:
        connection = stack.enter_context(connect())
        folder = stack.enter_context(locked_folder(Path(tempfile.gettempdir())))
        connection.execute(f"SET temp_directory = {literal(str(folder))}")
        connection.execute("SET TimeZone = 'UTC'")
        parts = [_table_of(connection, part, number, stack) for number, part in enumerate(_parts_of(source))]
        log = OpenLog(connection, tuple(parts), parts[0].source.name if parts[0].source else "log")
        try:
            yield log
        except duckdb.InterruptException:
            raise KeyboardInterrupt from None
        except (MemoryError, duckdb.OutOfMemoryException):
            raise DataError("there is not enough memory or disk space to read the log", source=log.label) from None


def _parts_of(source: Any) -> Sequence[Any]:
    """The files of a folder, a list of files, or the single source."""
    is_path = isinstance(source, str | Path)
    if is_path and str(source) != "-" and Path(source).is_dir():
        files = sorted(path for path in Path(source).iterdir() if path.is_file() and not path.name.startswith("."))
        if not files:
            raise DataError("the folder has no files", source=source)
        return files
    if isinstance(source, list | tuple) and source and all(isinstance(part, str | Path) for part in source):
        return source
    return [source]


def _table_of(connection: Any, source: Any, number: int, stack: ExitStack) -> LogTable:
    """The table of one file, frame or list of records."""
    source = as_source(source)
    if isinstance(source, FileSource):
        return _file(connection, source)
    if is_frame(source) and not isinstance(source, list | tuple | dict):
        name = f"frame_{number}"
        connection.register(name, source)
        return LogTable("the log", name, _columns(connection, name))
    path = stack.enter_context(TemporaryFile())
    encoder = msgspec.json.Encoder(enc_hook=str)
    with path.open("wb") as file:
        for row in rows_of(source, "a log"):
            file.write(encoder.encode(row) + b"\n")
    return _json(FileSource(path, "the log"))


def _file(connection: Any, source: FileSource) -> LogTable:
    if source.kind == "parquet":
        reader = parquet_reader(connection, source)
        return LogTable(source.label, reader, _columns(connection, reader), source)
    if source.kind in ("json", "jsonl"):
        return _json(source)
    if not source.first_line.strip():
        raise DataError("the log is empty", source=source.label)
    return _delimited(source)


def _columns(connection: Any, reader: str) -> dict[str, str]:
    described = connection.execute(f"DESCRIBE SELECT * FROM {reader}").fetchall()
    return {row[0]: "TIMESTAMP" if row[1].startswith("TIMESTAMP") else row[1] for row in described}


def _json(source: FileSource) -> LogTable:
    """JSON lines, or one list of objects. Every field is read as text, so that a wrong value is found and named."""
    is_list = source.first_line.lstrip()[:1] == b"["
    names: dict[str, None] = {}
    for record in islice(_records(source), SAMPLE):
        names.update(dict.fromkeys(record))
    if not names:
        raise DataError("the log is empty", source=source.label)
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
    form = "array" if is_list else "newline_delimited"
    reader = (
        f"read_json({path_literal(source.plain_path)}, format='{form}', columns={{{columns}}}, compression='uncompressed', "
        f"maximum_object_size={LONGEST_RECORD}, auto_detect=false, hive_partitioning=false)"
    )
    return LogTable(source.label, reader, dict.fromkeys(names, "VARCHAR"), source)


class _Enough(Exception):
    """The sample is complete."""


def _records(source: FileSource) -> list[Mapping[str, Any]]:
    """The first records of a JSON file. A line that cannot be read is an error."""
    records: list[Mapping[str, Any]] = []

    def take(_number: int, _place: str, record: Mapping[str, Any]) -> None:
        records.append(record)
        if len(records) == SAMPLE:
            raise _Enough

    try:
        each_numbered_record(source.path, take)
    except _Enough:
        pass
    except DataError as error:
        raise error.at(source.label) if source.label != str(source.path) else error from None
    return records


def _delimited(source: FileSource) -> LogTable:
    """A table with a header. Every cell is read as text."""
    header = source.first_line.decode("utf-8", "replace").rstrip("\r\n")
    delimiter = max("\t,;", key=header.count)
    names = [name.strip().strip('"') for name in header.split(delimiter)]
    if twice := {name for name in names if names.count(name) > 1}:
        raise DataError(f"the column {min(twice)!r} appears twice; rename one of them", source=source.label, line=1)
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
    reader = (
        f"read_csv({path_literal(source.plain_path)}, delim={literal(delimiter)}, quote='\"', escape='\"', header=true, "
        f"auto_detect=false, columns={{{columns}}}, compression='uncompressed', hive_partitioning=false)"
    )
    return LogTable(source.label, reader, dict.fromkeys(names, "VARCHAR"), source)


def check_same_shape(tables: Sequence[LogTable]) -> None:
    """Raise if the parts of a log have different columns."""
    first = tables[0]
    for other in tables[1:]:
        if {fold(name) for name in other.columns} != {fold(name) for name in first.columns}:
            differing = sorted(set(first.columns) ^ set(other.columns))
            raise UsageError(
                f"{first.label} and {other.label} have different columns ({', '.join(differing[:5])}), so they are not "
                "parts of one log. Score them one by one"
            )
