"""Vector tables: embeddings in CSV, TSV and JSON files: a list of numbers in one column, or a column for each number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.errors import DataError, ProviderError
from assay.files import FileSource, each_record, first_records, read_json, suffix_of
from assay.model import parse_number
from assay.text import counted, shortened, some_of

ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".json")
VECTOR_NAMES = ("vectors", "vector", "embeddings", "embedding")
"""Names of arrays and columns with vectors, the most likely first."""
ID_NAMES = ("ids", "id")
MAX_NAMES = 8
"""How many arrays or columns an error names."""
BETWEEN_NUMBERS = re.compile(r"[\s,;]+")
Row = npt.NDArray[np.float32]


def is_vector_table(path: str) -> bool:
    """Whether a file is a table of vectors, by its extension; it may be compressed."""
    return suffix_of(path) in ENDINGS


def id_column(columns: Sequence[str]) -> str | None:
    """The column called `ids` or `id`, or whose name ends in `_id`."""
    return next(iter(_id_columns(columns)), None)


def _id_columns(columns: Sequence[str]) -> list[str]:
    """All columns whose names are those of ids, the most likely first."""
    likely = [name for name in columns if name.lower() in ID_NAMES]
    return [*likely, *(name for name in columns if name.lower().endswith("_id"))]


def vector_column(columns: Sequence[str]) -> str | None:
    """The column with a list of numbers for each row, by its name."""
    return next((name for known in VECTOR_NAMES for name in columns if name.lower() == known), None)


def vectors_of_table(path: str) -> tuple[npt.NDArray[np.float32], tuple[str, ...] | None]:
    """A row for each record, and the ids; None if no column has them. All bad records are reported together."""
    file = Path(path).expanduser()
    source = FileSource.at(file)
    if suffix_of(path) == ".json" and source.first_line.lstrip()[:1] == b"{":
        return _of_object(path, read_json(source))
    first = next(iter(first_records(file, 1)), {})
    if not first:
        raise ProviderError(f"vectors: {path} has no rows")
    columns, ids_name = _number_columns(path, first), id_column(list(first))
    vectors: list[Row] = []
    ids: list[str] = []

    def take(_: str, record: Mapping[str, Any]) -> None:
        row = _row(record, columns)
        if vectors and len(row) != len(vectors[0]):
            raise DataError(f"expected {counted(len(vectors[0]), 'number')}, as in the first row, found {len(row):,}")
        if ids_name is not None:
            if record.get(ids_name) is None:
                raise DataError(f"the field {ids_name} is empty")
            ids.append(str(record[ids_name]))
        vectors.append(row)

    each_record(file, take)
    return np.stack(vectors), tuple(ids) if ids_name is not None else None


def _number_columns(path: str, first: Mapping[str, Any]) -> Sequence[str]:
    """The column with lists, or all columns with a number each; such a table needs ids, because any column could be one."""
    columns = list(first)
    if (name := vector_column(columns)) is not None:
        return [name]
    if all(map(_is_number, columns)):
        raise ProviderError(f"vectors: the first line of {path} has numbers. It must name the columns: id, vector")
    if "" in columns:
        raise ProviderError(f"vectors: {path} has a column without a name. Delete it, or name it id if it has the ids")
    id_names = _id_columns(columns)
    others = [name for name in columns if name not in id_names]
    if id_names and len(others) > 1 and all(_is_number(first[name]) for name in others):
        return others
    what = "must have a column called vectors or embeddings, or an id and only columns of numbers"
    raise ProviderError(f"vectors: {path} {what}, found {some_of(columns, MAX_NAMES)}")


def _is_number(value: Any) -> bool:
    try:
        parse_number(value)
    except (TypeError, ValueError):
        return False
    return True


def _row(record: Mapping[str, Any], columns: Sequence[str]) -> Row:
    """The numbers of a record: those of a list, or one for each column."""
    if len(columns) > 1:
        return _as_row(_number(record.get(name), name) for name in columns)
    (name,) = columns
    value = record.get(name)
    if isinstance(value, str):
        value = [part for part in BETWEEN_NUMBERS.split(value.strip().strip("[](){}")) if part]
    if not isinstance(value, list) or not value:
        raise DataError(f"the field {name} must have a list of numbers, not {shortened(value)}")
    return _as_row(_number(part, name) for part in value)


def _number(value: Any, name: str) -> float:
    try:
        return parse_number(value)
    except (TypeError, ValueError):
        advice = ". The list was cut when it was written" if value in ("...", "…") else ""
        raise DataError(f"the field {name}: {shortened(value)} is not a number{advice}") from None


def _as_row(numbers: Iterable[float]) -> Row:
    with np.errstate(over="ignore"):  # infinite numbers are an error later
        return np.array(list(numbers), np.float32)


def _of_object(path: str, content: Mapping[str, Any]) -> tuple[npt.NDArray[np.float32], tuple[str, ...]]:
    """The vectors of one JSON object: id → list of numbers."""
    vectors = []
    for name, value in content.items():
        try:
            vectors.append(_row({name: value}, [name]))
        except DataError as error:
            raise ProviderError(f"vectors: {path}: {error}") from None
    if len(set(map(len, vectors))) != 1:
        raise ProviderError(f"vectors: {path} must have a list of numbers for each id, all of the same length")
    return np.stack(vectors), tuple(content)
