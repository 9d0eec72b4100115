"""Read records from data frames, columns, lists and files, with their fields under known names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date, time
from math import isnan
from pathlib import Path
from typing import Any

from assay.errors import DataError, Faults
from assay.files.record_files import Record, each_record
from assay.files.source import FileSource
from assay.text import shortened

NO_VALUES = ("NAType", "NaTType")
"""The types of cells without a value in pandas, in addition to nan."""


def rows_of(source: Any, what: str) -> Iterator[Any]:
    """The records of a data frame, of columns or of a list, or a single record; cells as JSON would represent them.

    Anything else is an error that names `what`.
    """
    if type(source).__name__ == "LazyFrame":  # polars
        source = source.collect()
    if hasattr(source, "to_dicts"):  # polars
        records = source.to_dicts()
    elif hasattr(source, "to_pylist"):  # pyarrow
        records = source.to_pylist()
    elif hasattr(source, "columns") and callable(getattr(source, "to_dict", None)):  # pandas
        _check_names(source.columns)
        records = source.to_dict(orient="records")
    elif isinstance(source, Mapping):
        records = _of_columns(source)
    elif isinstance(source, Iterable) and not isinstance(source, str | bytes):
        records = source
    else:
        raise DataError(f"{what} must be a file, a data frame or a list of records, not {shortened(source)}")
    return (_plain_record(record) if isinstance(record, Mapping) else record for record in records)


def _check_names(names: Iterable[Any]) -> None:
    """Raise if a frame has two columns of the same name: only one of them could be read."""
    listed = list(map(str, names))
    if twice := {name for name in listed if listed.count(name) > 1}:
        raise DataError(f"the column {min(twice)!r} appears twice in the frame; rename one of them")


def are_columns(source: Mapping[Any, Any]) -> bool:
    """Whether a mapping holds columns: each of its values is a list."""
    return bool(source) and all(isinstance(column, list | tuple) or _is_array(column) for column in source.values())


def take_each(rows: Iterable[Any], label: str, take: Callable[[Record], None], example: str) -> None:
    """Pass each record to `take`. All faults are raised together, each with the number of its record."""
    faults = Faults(label, "record")
    number = 0
    for number, row in enumerate(rows, 1):
        try:
            if not isinstance(row, Mapping):
                raise DataError(f"expected a record with named fields such as {example}, found {shortened(row)}")
            take(row)
        except ValueError as error:
            faults.add(number, str(error))
            if faults.full:
                break
    faults.raise_if_any(number)


def take_file(path: Path, take: Callable[[Record], None], example: str) -> None:
    """Pass each record of a file to `take`. If no record can be read, one error says what was expected."""
    n_taken = 0

    def counted_take(_: str, record: Record) -> None:
        nonlocal n_taken
        n_taken += 1
        take(record)

    try:
        each_record(path, counted_take)
    except DataError as error:
        if n_taken or not error.faults or error.code != "unreadable":
            raise
        source = FileSource.at(path)
        line = shortened(source.first_line.decode("utf-8", "replace").strip())
        raise DataError(f"expected one record per line, such as {example}, found {line}", source=source.label) from None


class Spelling:
    """Maps the fields of records to their known names, whatever their case: `Query_ID` is `query_id`.

    Unknown names stay unchanged. Most records of a source have the same fields, so each set of fields is mapped only once.
    """

    def __init__(self, known: Collection[str]) -> None:
        self._known = {name.lower(): name for name in known}
        self._read: dict[tuple[Any, ...], list[str]] = {}

    def of(self, record: Record) -> dict[str, Any]:
        """The fields of a record. If a field occurs in two spellings, the first that has a value counts."""
        heads = tuple(record)
        names = self._read.get(heads)
        if names is None:
            written = [str(head).strip() for head in heads]
            names = self._read[heads] = [self._known.get(name.lower(), name) for name in written]
        if len(set(names)) == len(names):
            return dict(zip(names, record.values(), strict=True))
        fields: dict[str, Any] = {}
        for name, value in zip(names, record.values(), strict=True):
            if fields.get(name) is None:
                fields[name] = value
        return fields


def _of_columns(source: Mapping[Any, Any]) -> Iterator[Record]:
    """The records of columns, which must have the same length; or the mapping itself, if it is a single record."""
    if not are_columns(source):
        yield source
        return
    if len(lengths := {len(column) for column in source.values()}) > 1:
        names = ", ".join(map(str, source))
        raise DataError(f"the columns {names} must have the same length, found {' and '.join(map(str, sorted(lengths)))}")
    yield from (dict(zip(source, row, strict=True)) for row in zip(*source.values(), strict=True))


def _plain_record(record: Record) -> Record:
    return {name if type(name) is str else str(name): _cell(value) for name, value in record.items()}


def _cell(value: Any) -> Any:
    """A cell as JSON represents it: arrays and tuples become lists, NumPy numbers become numbers, nan becomes None."""
    if value is None or isinstance(value, str | bool | int | list | dict):
        return value
    if isinstance(value, tuple):
        return list(value)
    value = to_list() if callable(to_list := getattr(value, "tolist", None)) else value
    if (isinstance(value, float) and isnan(value)) or type(value).__name__ in NO_VALUES:
        return None
    if isinstance(value, str | int | float | list | dict):
        return value
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _is_array(column: Any) -> bool:
    return hasattr(column, "tolist") and getattr(column, "ndim", 0) == 1
