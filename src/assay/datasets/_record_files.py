"""Files with one record per line or row: JSON lines, a JSON list, a delimited table or Parquet; read with their places."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import isnan
from pathlib import Path
from typing import Any

from assay.atomic_write import atomic_write
from assay.datasets._database import connect, literal, quoted
from assay.datasets._json import parse_json, read_json
from assay.datasets._limits import LONGEST_LINE
from assay.datasets._parquet_files import open_parquet
from assay.datasets._source import BOM, FileSource, plain_name
from assay.errors import DataError, Faults
from assay.temporary_files import TemporaryFile
from assay.text import shortened

Record = Mapping[str, Any]
TABLES = (".csv", ".tsv")
BATCH = 10_000
"""Rows handed to the database at a time."""


def suffix_of(name: str) -> str:
    """The ending that tells the kind of file: `.jsonl` of `topics.jsonl.gz`."""
    return Path(plain_name(name)).suffix.lower()


def each_record(path: Path, take: Callable[[str, Record], None], parse: Callable[[bytes], Any] = parse_json) -> None:
    """Hand place and record to `take`, one after the other. All that is wrong is raised together, at the end."""
    source = FileSource.at(path)
    suffix = suffix_of(path.name)
    is_text = suffix in TABLES or (suffix != ".parquet" and source.first_line.lstrip()[:1] != b"[")
    faults = Faults(source.label if is_text else f"{source.label}, record")
    for number, found in _rows(source, suffix, is_text=is_text):
        try:
            take(f"{faults.source}:{number}", _record(found, parse))
        except ValueError as error:
            faults.add(number, _reason(error))
            if faults.full:
                break
    faults.raise_if_any()


def _rows(source: FileSource, suffix: str, *, is_text: bool) -> Iterable[tuple[int, Any]]:
    if suffix in TABLES:
        return table_rows(source)
    if suffix == ".parquet":
        return enumerate(parquet_rows(source), 1)
    return full_lines(source) if is_text else enumerate(_list(source), 1)


def _list(source: FileSource) -> list[Any]:
    content = read_json(source)
    if not isinstance(content, list):
        raise DataError(f"{source.label}: expected a list of records, found {shortened(content)}")
    return content


def full_lines(source: FileSource) -> Iterator[tuple[int, bytes]]:
    """Number and content of the lines that are not blank. (A line may well start with `#`.)"""
    with source.reading_lines() as file:
        for number, line in enumerate(file, 1):
            line = line.removeprefix(BOM) if number == 1 else line
            if line.strip():
                yield number, line


def _record(found: Any, parse: Callable[[bytes], Any]) -> Record:
    """The record of a row; a fault that was found on the way to it is raised here."""
    if isinstance(found, ValueError):
        raise found
    record = parse(found) if isinstance(found, bytes) else found
    if not isinstance(record, Mapping):
        raise DataError(f"expected an object with named fields, found {shortened(record)}")
    return record


def _reason(error: ValueError) -> str:
    """What is wrong, in words of ours."""
    if isinstance(error, UnicodeError):
        return "not valid UTF-8"
    return f"not JSON: {error.msg}" if hasattr(error, "msg") else str(error)


def table_rows(source: FileSource) -> Iterator[tuple[int, Any]]:
    """Line number and record of a delimited file with a header; an empty cell is None. A bad row comes as its fault."""
    csv.field_size_limit(LONGEST_LINE)
    delimiter = max("\t,;", key=source.first_line.decode("utf-8", "replace").count)
    with source.reading_lines() as file:
        reader = csv.reader((line.decode("utf-8", "surrogateescape") for line in file), delimiter=delimiter)
        rows = ((reader.line_num, [cell.strip() for cell in row]) for row in reader if any(map(str.strip, row)))
        try:
            columns = [name.removeprefix("\ufeff") for name in next(rows, (0, []))[1]]
            if twice := {name for name in columns if columns.count(name) > 1}:
                raise DataError(f"{source.label}:1: the column {min(twice)!r} comes twice")
            yield from ((number, _cells(columns, row)) for number, row in rows)
        except csv.Error as error:
            yield reader.line_num, DataError(f"not a table: {error}")


def _cells(columns: Sequence[str], row: Sequence[str]) -> Record | ValueError:
    if len(row) != len(columns):
        return DataError(f"expected {len(columns)} columns ({', '.join(columns)}), found {len(row)}")
    try:
        "".join(row).encode()
    except UnicodeEncodeError as error:
        return error
    return {name: cell or None for name, cell in zip(columns, row, strict=True)}


def parquet_rows(source: FileSource) -> Iterator[Record]:
    """Records of a Parquet file; missing numbers are None, dates are text."""
    with open_parquet(source) as file:
        names = file.columns
        for row in file.rows(names):
            yield dict(zip(names, map(_plain, row), strict=True))


def _plain(value: Any) -> Any:
    """A cell as JSON would have it."""
    if isinstance(value, float) and isnan(value):
        return None
    if value is None or isinstance(value, str | int | float | list | dict):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def write_parquet_table(path: Path, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
    """A Parquet file with these columns (name → type); values reach the database bound, a batch at a time."""
    import duckdb

    names = ", ".join(f"{quoted(name)} {kind}" for name, kind in columns.items())
    values = ", ".join(f"unnest(?::{kind}[])" for kind in columns.values())
    with connect() as connection, TemporaryFile() as copy:
        connection.execute(f"CREATE TABLE records ({names})")
        remaining = iter(rows)
        try:
            while batch := list(islice(remaining, BATCH)):
                connection.execute(
                    f"INSERT INTO records SELECT {values}", [list(cells) for cells in zip(*batch, strict=True)]
                )
            connection.execute(f"COPY records TO {literal(str(copy))} (FORMAT parquet, USE_TMP_FILE false)")
        except duckdb.Error as error:
            raise DataError(f"{path}: cannot be written as Parquet: {str(error).splitlines()[0]}") from None
        with atomic_write(path, is_text=False) as file, copy.open("rb") as finished:
            shutil.copyfileobj(finished, file, 1 << 20)
