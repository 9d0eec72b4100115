"""Read files with one record per line or row: JSON lines, a JSON list, a delimited table or Parquet."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import date, time
from itertools import islice
from math import isnan
from pathlib import Path
from typing import Any

from assay.atomic_write import atomic_write, encodable, sync_folder
from assay.errors import DataError, Faults, UsageError
from assay.files.database import connect, literal, quoted
from assay.files.json_text import parse_json, read_json
from assay.files.limits import LONGEST_LINE
from assay.files.parquet import open_parquet
from assay.files.source import BOM, NOT_UTF8, FileSource, plain_name
from assay.temporary_files import TemporaryFile, locked_folder
from assay.text import counted, shortened, some_of

Record = Mapping[str, Any]
TABLES = (".csv", ".tsv")
BATCH = 10_000
"""Rows inserted into the database at a time."""


def suffix_of(name: str) -> str:
    """The extension that says what kind of file it is: `.jsonl` for `topics.jsonl.gz`."""
    return Path(plain_name(name)).suffix.lower()


def each_record(path: Path, take: Callable[[str, Record], None], parse: Callable[[bytes], Any] = parse_json) -> None:
    """Pass the place and content of each record to `take`. All faults are raised together, at the end."""
    each_numbered_record(path, lambda _, place, record: take(place, record), parse)


def each_numbered_record(
    path: Path, take: Callable[[int, str, Record], None], parse: Callable[[bytes], Any] = parse_json
) -> None:
    """The same, with the number of each record first. Records that cannot be read count too."""
    source = FileSource.at(path)
    source.check_kind()
    suffix = suffix_of(path.name)
    is_text = suffix in TABLES or (suffix != ".parquet" and source.first_line.lstrip()[:1] != b"[")
    faults = Faults(source.label, "" if is_text else "record")
    n_rows = 0
    for n_rows, (number, row) in enumerate(_rows(source, suffix, is_text=is_text), 1):
        try:
            take(n_rows, f"{faults.source}:{number}", _record(row, parse))
        except ValueError as error:
            faults.add(number, *_reason(error))
            if faults.full:
                break
    faults.raise_if_any(n_rows)


def first_records(path: Path, most: int) -> list[Record]:
    """The first records of a file, without those that cannot be read."""
    source, suffix = FileSource.at(path), suffix_of(path.name)
    is_text = suffix in TABLES or (suffix != ".parquet" and source.first_line.lstrip()[:1] != b"[")
    records: list[Record] = []
    for _, row in islice(_rows(source, suffix, is_text=is_text), most):
        with suppress(ValueError):
            records.append(_record(row, parse_json))
    return records


def _rows(source: FileSource, suffix: str, *, is_text: bool) -> Iterable[tuple[int, Any]]:
    if suffix in TABLES:
        return table_rows(source)
    if suffix == ".parquet":
        return enumerate(parquet_rows(source), 1)
    return full_lines(source) if is_text else enumerate(_list(source), 1)


def _list(source: FileSource) -> list[Any]:
    content = read_json(source)
    if not isinstance(content, list):
        raise DataError(f"expected a list of records, found {shortened(content)}", source=source.label)
    return content


def full_lines(source: FileSource) -> Iterator[tuple[int, bytes]]:
    """Number and content of the lines that are not blank. (A line may start with `#`.)"""
    with source.reading_lines() as file:
        for number, line in enumerate(file, 1):
            line = line.removeprefix(BOM) if number == 1 else line
            if line.strip():
                yield number, line


def _record(row: Any, parse: Callable[[bytes], Any]) -> Record:
    """The record of a row. If reading the row failed, its error is raised here."""
    if isinstance(row, ValueError):
        raise row
    record = parse(row) if isinstance(row, bytes) else row
    if not isinstance(record, Mapping):
        raise DataError(f"expected an object with named fields, found {shortened(record)}")
    return record


def _reason(error: ValueError) -> tuple[str, str]:
    """What is wrong, and the code of the fault."""
    if isinstance(error, UnicodeError):
        return NOT_UTF8, "unreadable"
    message = getattr(error, "msg", None)
    return (str(error), "") if message is None else (f"not JSON: {message}", "unreadable")


def table_rows(source: FileSource) -> Iterator[tuple[int, Any]]:
    """Line number and record of each row of a delimited file with a header. An empty cell is None, a bad row its error."""
    csv.field_size_limit(LONGEST_LINE)
    delimiter = max("\t,;", key=source.first_line.decode("utf-8", "replace").count)
    with source.reading_lines() as file:
        reader = csv.reader((line.decode("utf-8", "surrogateescape") for line in file), delimiter=delimiter)
        rows = ((reader.line_num, [cell.strip() for cell in row]) for row in reader if any(map(str.strip, row)))
        try:
            columns = [name.removeprefix("\ufeff") for name in next(rows, (0, []))[1]]
            if twice := {name for name in columns if columns.count(name) > 1}:
                raise DataError(f"the column {min(twice)!r} appears twice; rename one of them", source=source.label, line=1)
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
            yield dict(zip(names, map(_cell, row), strict=True))


def _cell(value: Any) -> Any:
    """A cell as JSON would represent it."""
    if isinstance(value, float) and isnan(value):
        return None
    if value is None or isinstance(value, str | int | float | list | dict):
        return value
    return value.isoformat() if isinstance(value, date | time) else str(value)


def write_parquet_table(path: Path, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a Parquet file with these columns (name → type), a batch at a time; values are bound, not part of the SQL."""
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
            raise DataError(f"cannot be written as Parquet: {str(error).splitlines()[0]}", source=path) from None
        with atomic_write(path, is_text=False) as file, copy.open("rb") as finished:
            shutil.copyfileobj(finished, file, 1 << 20)


CARD = "dataset.json"
STEMS = ("corpus", "queries", "documents", "docs", "judgments", "qrels", "topics", "collection")
"""Names of benchmark files, without extension."""
FILES = (".jsonl", ".ndjson", ".parquet", ".json", ".csv", ".tsv", ".txt", ".qrels")
"""Extensions that mean a file, not a folder."""


def is_benchmark_file(name: str) -> bool:
    """Whether a file or folder of this name belongs to a benchmark."""
    return name.partition(".")[0].lower() in STEMS


@contextmanager
def new_folder(
    path: Path, kind: str, written: Collection[str], is_taken: Callable[[str], object] = is_benchmark_file
) -> Iterator[Path]:
    """A temporary folder to fill. Its files move to `path` when all are written: atomically, if `path` does not exist yet.

    `written` are the files of the format: old files with these names are replaced or removed. Any other file that would
    be read as part of a benchmark (`is_taken`) is an error.
    """
    if suffix_of(path.name) in FILES and not path.is_dir():
        raise UsageError(f"{path}: {kind} is written to a folder; give a folder, such as {path.name.partition('.')[0]}")
    _check_no_other_files(path, {*written, CARD}, is_taken)
    is_new = not path.exists()
    try:
        with locked_folder(path.parent if is_new else path) as staged, encodable(path):
            yield staged
            if is_new:
                staged.replace(path)
            else:
                _move(staged, path, {*written, CARD})
        sync_folder(path.parent if is_new else path)
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror or error}", source=path) from None


def _check_no_other_files(path: Path, written: Collection[str], is_taken: Callable[[str], object]) -> None:
    names = {file.name for file in path.iterdir()} if path.is_dir() else set()
    inner = {file.name for file in (path / "qrels").iterdir()} if (path / "qrels").is_dir() else set()
    known = {name for name in names if is_taken(name) or is_benchmark_file(name)} | {f"qrels/{name}" for name in inner}
    folders = {parent for name in {*written, *known} if (path / (parent := Path(name).parent.as_posix())).is_dir()}
    others = sorted(name for name in known - {*written} - folders if not Path(name).name.startswith("."))
    if CARD in names and not known & {*written}:
        others.append(CARD)
    if others:
        raise DataError(f"the folder already contains {', '.join(others)}; choose another folder", source=path)


def _move(staged: Path, path: Path, written: Collection[str]) -> None:
    """Move the new files to their place, and remove old files that were not replaced."""
    fresh = {file.relative_to(staged).as_posix() for file in staged.rglob("*") if file.is_file()}
    for name in sorted(fresh):
        (path / name).parent.mkdir(exist_ok=True)
        (staged / name).replace(path / name)
    for name in {*written} - fresh:
        (path / name).unlink(missing_ok=True)
    for folder in [path for path in staged.iterdir() if path.is_dir()]:
        folder.rmdir()


SHARD = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.parquet")


def shards_in(folder: Path) -> dict[str, list[Path]]:
    """Name of the table → its files in order. A missing file is an error, because the table would be incomplete."""
    parts: dict[str, dict[int, Path]] = {}
    counts: dict[str, int] = {}
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        if (named := SHARD.fullmatch(file.name)) is None or not file.is_file():
            continue
        stem, count = named["stem"], int(named["count"])
        if counts.setdefault(stem, count) != count:
            both = f"one in {counted(counts[stem], 'file')} and one in {counted(count, 'file')}"
            raise DataError(f"found two versions of {stem}, {both}; keep one of them", source=folder)
        parts.setdefault(stem, {})[int(named["number"])] = file
    for stem, files in parts.items():
        if missing := [
            f"{stem}-{number:05}-of-{counts[stem]:05}.parquet" for number in range(counts[stem]) if number not in files
        ]:
            raise DataError(f"some files are missing: {some_of(missing)}; download all of {stem} again", source=folder)
    return {stem: [files[number] for number in sorted(files)] for stem, files in parts.items()}


def table_in(folder: Path) -> list[Path]:
    """The files of the only table in a folder; several tables are an error, because the choice would be a guess."""
    tables = shards_in(folder)
    if len(tables) > 1:
        raise DataError(f"expected one table, found {len(tables)}: {', '.join(tables)}; keep one of them", source=folder)
    return next(iter(tables.values()), [])
