"""Records as people hand them over: frames, columns, lists and files, each record with its fields under known names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from math import isnan
from pathlib import Path
from typing import Any

from assay.errors import DataError, Faults
from assay.files.record_files import Record, each_record
from assay.files.source import FileSource
from assay.text import shortened

NO_VALUES = ("NAType", "NaTType")
"""What pandas calls cells that have no value, besides nan."""


def rows_of(source: Any, what: str) -> Iterator[Any]:
    """The records of a frame, of columns, of a list, or one record alone; cells as JSON would have them.

    Anything else is refused as no source of `what`.
    """
    if hasattr(source, "to_dicts"):  # polars
        records = source.to_dicts()
    elif hasattr(source, "to_pylist"):  # pyarrow
        records = source.to_pylist()
    elif hasattr(source, "columns") and callable(getattr(source, "to_dict", None)):  # pandas
        records = source.to_dict(orient="records")
    elif isinstance(source, Mapping):
        records = _of_columns(source)
    elif isinstance(source, Iterable) and not isinstance(source, str | bytes):
        records = source
    else:
        raise DataError(f"{what} are read from a file, a frame or a list of records, not from {shortened(source)}")
    return (_plain_record(record) if isinstance(record, Mapping) else record for record in records)


def are_columns(source: Mapping[Any, Any]) -> bool:
    """Whether a mapping is one of columns: each of its values is a list."""
    return bool(source) and all(isinstance(column, list | tuple) or _is_array(column) for column in source.values())


def take_each(rows: Iterable[Any], label: str, take: Callable[[Record], None], example: str) -> None:
    """Hand each record on. All faults are raised together, each with the number of its record."""
    faults = Faults(label, "record")
    for number, row in enumerate(rows, 1):
        try:
            if not isinstance(row, Mapping):
                raise DataError(f"expected a record with named fields such as {example}, found {shortened(row)}")
            take(row)
        except ValueError as error:
            faults.add(number, str(error))
            if faults.full:
                break
    faults.raise_if_any()


def take_file(path: Path, take: Callable[[Record], None], example: str) -> None:
    """Hand on each record of a file; one in which nothing can be read is one fault, with what was expected."""
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
        raise DataError(f"expected records such as {example}, one a line, found {line}", source=source.label) from None


class Spelling:
    """Fields of records under their known names, however their heads are written: `Query_ID` is `query_id`.

    Names that are not known stay as they are. Records of one source mostly have the same fields, so each set is looked
    at once.
    """

    def __init__(self, known: Collection[str]) -> None:
        self._known = {name.lower(): name for name in known}
        self._read: dict[tuple[Any, ...], list[str]] = {}

    def of(self, record: Record) -> dict[str, Any]:
        """The fields of a record; of two spellings of one field, the first that has a value counts."""
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
    """Columns of equal length; or one record alone, which has no columns."""
    if not are_columns(source):
        yield source
        return
    if len(lengths := {len(column) for column in source.values()}) > 1:
        raise DataError(f"the columns {', '.join(map(str, source))} are not equally long: {sorted(lengths)}")
    yield from (dict(zip(source, row, strict=True)) for row in zip(*source.values(), strict=True))


def _plain_record(record: Record) -> Record:
    return {name: _cell(value) for name, value in record.items()}


def _cell(value: Any) -> Any:
    """A cell as JSON has it: arrays and tuples are lists, numbers of NumPy are numbers, and nan is no value."""
    if value is None or isinstance(value, str | bool | int | list | dict):
        return value
    if isinstance(value, tuple):
        return list(value)
    value = to_list() if callable(to_list := getattr(value, "tolist", None)) else value
    is_missing = (isinstance(value, float) and isnan(value)) or type(value).__name__ in NO_VALUES
    return None if is_missing else value


def _is_array(column: Any) -> bool:
    return hasattr(column, "tolist") and getattr(column, "ndim", 0) == 1
