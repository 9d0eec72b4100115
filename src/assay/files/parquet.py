"""Parquet: open files through the database, and explain what it cannot read."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from assay.errors import AssayError, DataError
from assay.files.database import connect, is_interrupt, path_literal, quoted
from assay.files.limits import most_unpacked, too_large
from assay.files.source import FileSource

BATCH = 10_000
"""Rows fetched at a time."""
LEAST_ROW = 3
"""The fewest bytes of an unpacked row: at least one each for query, document and value."""
ZONED = "TIMESTAMP WITH TIME ZONE"
ZONED_AS_TEXT = "strftime(make_timestamp(epoch_us({})), '%Y-%m-%dT%H:%M:%S.%fZ')"
BAD_PARQUET = "cannot be read as Parquet: it is damaged or has another format. Write it again, or correct its extension"


class ParquetFile(NamedTuple):
    """An open Parquet file."""

    connection: Any
    reader: str
    """The SQL after FROM that reads it."""

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return list(self._types)

    @property
    def _types(self) -> dict[str, str]:
        """Column → its type in the database."""
        rows = self.connection.execute(f"DESCRIBE SELECT * FROM {self.reader}").fetchall()
        return {row[0]: row[1] for row in rows}

    def rows(self, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """The rows of these columns, a batch at a time. Times with a zone are text in UTC: objects would need pytz."""
        types = self._types
        named = (ZONED_AS_TEXT.format(quoted(name)) if types[name] == ZONED else quoted(name) for name in columns)
        cursor = self.connection.execute(f"SELECT {', '.join(named)} FROM {self.reader}")
        while batch := cursor.fetchmany(BATCH):
            yield from batch


@contextmanager
def open_parquet(source: FileSource) -> Iterator[ParquetFile]:
    """Open the file in a separate database. Any database error, now or while rows are read, is a DataError."""
    with attribute_to_source(source.label), connect() as connection:
        yield ParquetFile(connection, parquet_reader(connection, source))


def parquet_reader(connection: Any, source: FileSource) -> str:
    """The SQL after FROM that reads a Parquet file, which may be compressed once more.

    A file that claims more rows than a file of its size can hold is an error before anything is read.
    """
    if not is_sound_footer(source.plain_path):
        raise DataError(BAD_PARQUET, source=source.label)
    size = source.path.stat().st_size
    if n_parquet_rows(connection, source) * LEAST_ROW > most_unpacked(size):
        raise too_large(source.label, size)
    return f"read_parquet({path_literal(source.plain_path)}, hive_partitioning=false)"


def n_parquet_rows(connection: Any, source: FileSource) -> int:
    """How many rows the file has, as its footer says."""
    path = path_literal(source.plain_path)
    [(n_rows,)] = connection.execute(f"SELECT sum(num_rows) FROM parquet_file_metadata({path})").fetchall()
    return int(n_rows or 0)


@contextmanager
def attribute_to_source(label: str) -> Iterator[None]:
    """Turn what the database raises while it reads a Parquet file into a DataError that names the file."""
    import duckdb

    try:
        yield
    except AssayError:
        raise
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except (MemoryError, duckdb.OutOfMemoryException):
        raise DataError("there is not enough memory to read the file, or the file is damaged", source=label) from None
    except (duckdb.Error, RuntimeError, ValueError, TypeError, ArithmeticError, LookupError) as error:  # dates, too
        if is_interrupt(error):
            raise KeyboardInterrupt from None
        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise DataError(f"cannot be read as Parquet: {reason}", source=label) from None


MAGIC = b"PAR1"
FOOTER_END_BYTES = 8
"""Bytes after the footer: its length and the magic number."""
DEEPEST = 30
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
LONG_LIST = 15
"""The marker that the length of a list follows as a separate number."""


def is_sound_footer(path: Path) -> bool:
    """Whether the file starts correctly and its footer is consistent. The database reports anything else that is wrong."""
    with path.open("rb") as file:
        begins_right = file.read(len(MAGIC)) == MAGIC
        size = file.seek(0, io.SEEK_END)
        if not begins_right or size < len(MAGIC) + FOOTER_END_BYTES:
            return False
        file.seek(size - FOOTER_END_BYTES)
        length, magic = int.from_bytes(file.read(4), "little"), file.read(4)
        if magic != MAGIC or length > size - FOOTER_END_BYTES - len(MAGIC):
            return False
        file.seek(size - FOOTER_END_BYTES - length)
        footer = _Footer(file.read(length))
    try:
        footer.skip_struct(0)
    except (IndexError, ValueError):
        return False
    return True


class _Footer:
    """A position in the bytes of a footer. IndexError at their end, ValueError if they claim more than there is."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def skip_struct(self, depth: int) -> None:
        """Skip all fields of a struct."""
        while head := self._byte():
            if not head >> 4:
                self._number()  # the id of the field, if it is far from the last one
            if head & 15 not in (TRUE, FALSE):
                self._skip(head & 15, depth)

    def _skip(self, kind: int, depth: int) -> None:
        if depth > DEEPEST:
            raise ValueError("nested too deeply")
        if kind in (TRUE, FALSE, BYTE):
            self._forward(1)
        elif kind in (I16, I32, I64):
            self._number()
        elif kind == DOUBLE:
            self._forward(8)
        elif kind == BINARY:
            self._forward(self._number())
        elif kind in (LIST, SET):
            head = self._byte()
            count = head >> 4 if head >> 4 < LONG_LIST else self._number()
            self._skip_all([head & 15], count, depth)
        elif kind == MAP:
            if count := self._number():
                kinds = self._byte()
                self._skip_all([kinds >> 4, kinds & 15], count, depth)
        elif kind == STRUCT:
            self.skip_struct(depth + 1)
        else:
            raise ValueError(f"no type {kind}")

    def _skip_all(self, kinds: list[int], count: int, depth: int) -> None:
        if count > len(self.data) - self.place:
            raise ValueError("more elements than bytes")
        for _ in range(count):
            for kind in kinds:
                self._skip(kind, depth + 1)

    def _byte(self) -> int:
        self.place += 1
        return self.data[self.place - 1]

    def _number(self) -> int:
        number = shift = 0
        while (byte := self._byte()) & 0x80:
            number |= (byte & 0x7F) << shift
            shift += 7
            if shift > 63:
                raise ValueError("a number without end")
        return number | byte << shift

    def _forward(self, n_bytes: int) -> None:
        self.place += n_bytes
        if self.place > len(self.data):
            raise IndexError
