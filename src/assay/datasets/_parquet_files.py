"""Parquet files, opened: one place that reads them through the database and explains what it cannot read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from assay.datasets._database import connect, path_literal, quoted
from assay.datasets._limits import most_unpacked, too_large
from assay.datasets._parquet_footer import is_sound_footer
from assay.datasets._source import FileSource
from assay.errors import AssayError, DataError

BATCH = 10_000
"""Rows that are fetched at a time."""
LEAST_ROW = 3
"""Bytes of a row when unpacked: query, document and value have one each at least."""


class ParquetFile(NamedTuple):
    """An open Parquet file."""

    connection: Any
    reader: str
    """What stands behind FROM to read it."""

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return [row[0] for row in self.connection.execute(f"DESCRIBE SELECT * FROM {self.reader}").fetchall()]

    def rows(self, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """The rows of these columns, a batch at a time."""
        cursor = self.connection.execute(f"SELECT {', '.join(map(quoted, columns))} FROM {self.reader}")
        while batch := cursor.fetchmany(BATCH):
            yield from batch


@contextmanager
def open_parquet(source: FileSource) -> Iterator[ParquetFile]:
    """The file, in a database of its own. Whatever this one raises, at once or row by row, is a DataError."""
    with explained(source.label), connect() as connection:
        yield ParquetFile(connection, parquet_reader(connection, source))


def parquet_reader(connection: Any, source: FileSource) -> str:
    """What stands behind FROM to read a Parquet file, which may be compressed once more.

    More rows than a file of that size can hold are refused before anything is read.
    """
    if not is_sound_footer(source.plain_path):
        raise DataError(f"{source.label}: not a Parquet file that can be read: its start or its footer is damaged")
    path = path_literal(source.plain_path)
    [(n_rows,)] = connection.execute(f"SELECT sum(num_rows) FROM parquet_file_metadata({path})").fetchall()
    size = source.path.stat().st_size
    if (n_rows or 0) * LEAST_ROW > most_unpacked(size):
        raise too_large(source.label, size)
    return f"read_parquet({path}, hive_partitioning=false)"


@contextmanager
def explained(label: str) -> Iterator[None]:
    """What the database raises while it reads a Parquet file, as a DataError that names the file."""
    import duckdb

    try:
        yield
    except AssayError:
        raise
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except (MemoryError, duckdb.OutOfMemoryException):
        raise DataError(f"{label}: reading it needs more memory than there is, or the file is damaged") from None
    except (duckdb.Error, RuntimeError, ValueError, TypeError, ArithmeticError, LookupError) as error:  # dates, too
        if isinstance(error, RuntimeError) and "interrupt" in str(error).lower():
            raise KeyboardInterrupt from None
        said = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise DataError(f"{label}: not a Parquet file that can be read: {said}") from None
