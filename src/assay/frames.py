"""Frames: the tables of an object as frames of pandas, polars and Arrow, as files, and as HTML in notebooks.

A class says which tables it has; everything else is here. A package for frames is imported when a frame is created.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import UnknownName, UsageError, near_matches

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    import polars as pl
    import pyarrow as pa

Columns = Mapping[str, Sequence[Any] | NDArray[Any]]
"""The name of each column → its values, one for each row."""
Tables = Mapping[str, Callable[[], Columns]]
"""The name of each table → a function that returns its columns. The first table is the default."""
REPORTS = "assay.reports"
"""The package with the writers. It is above all classes that are written, so it is imported when it is needed."""


class Tabular:
    """An object that has tables. `to_pandas()` returns the first one, `to_pandas(name)` another one."""

    __slots__ = ()

    def _tables(self) -> Tables:
        """The tables of the object."""
        raise NotImplementedError

    def columns_of(self, table: str | None = None) -> dict[str, Sequence[Any] | NDArray[Any]]:
        """The columns of a table; without a name, those of the first table."""
        tables = self._tables()
        name = next(iter(tables)) if table is None else table
        if name not in tables:
            known = f"choose from {', '.join(tables)}"
            raise UnknownName("table", name, near_matches(name, tables), known, owner=type(self).__name__)
        return dict(tables[name]())

    def to_pandas(self, table: str | None = None) -> pd.DataFrame:
        """A table as a pandas frame; without a name, the first table."""
        return _package("pandas").DataFrame(self.columns_of(table))

    def to_polars(self, table: str | None = None) -> pl.DataFrame:
        """A table as a polars frame; without a name, the first table."""
        polars, columns = _package("polars"), self.columns_of(table)
        texts = dict.fromkeys(_without_values(columns), polars.String)
        return polars.DataFrame(columns, schema_overrides=texts, strict=False)

    def to_arrow(self, table: str | None = None) -> pa.Table:
        """A table as an Arrow table; without a name, the first table."""
        arrow, columns = _package("pyarrow"), self.columns_of(table)
        texts = {name: arrow.array(columns[name], arrow.string()) for name in _without_values(columns)}
        return arrow.table(columns | texts)

    def to_json(self) -> str:
        """The text that `save` writes to a file with the extension .json."""
        return import_module(REPORTS).saved_json(self)

    def save(self, path: str | Path) -> None:
        """Write a file; the extension sets the format: .json has everything, .csv and .parquet have the first table."""
        import_module(REPORTS).save_object(self, path)

    def _repr_html_(self) -> str:
        """The object in a notebook."""
        return import_module(REPORTS).notebook_html(self)


def _package(name: str) -> Any:
    if find_spec(name) is None:
        raise UsageError(f"this needs the package {name}: pip install {name}")
    return import_module(name)


def _without_values(columns: Columns) -> list[str]:
    """The columns from whose values no type can be found. They are text, so that frames of several objects fit together."""
    return [name for name, values in columns.items() if isinstance(values, list) and all(value is None for value in values)]


def tag_columns(tags: Sequence[Mapping[str, str]], taken: Sequence[str]) -> dict[str, Sequence[Any]]:
    """A column for each tag; None if a query does not have the tag. A name that is taken gets the prefix `tag.`."""
    names = dict.fromkeys(name for own in tags for name in own)
    return {f"tag.{name}" if name in taken else name: [own.get(name) for own in tags] for name in names}


def filled_columns(columns: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """The columns that have at least one value other than None or an empty text."""
    return {name: values for name, values in columns.items() if any(value not in (None, "") for value in values)}


def kinds_of(columns: Columns) -> dict[str, str]:
    """The SQL type of each column, from its values."""
    return {name: _kind(values) for name, values in columns.items()}


def _kind(values: Sequence[Any] | NDArray[Any]) -> str:
    if isinstance(values, np.ndarray) and values.dtype.kind in KINDS_OF_ARRAYS:
        return KINDS_OF_ARRAYS[values.dtype.kind]
    types = {type(value) for value in values if value is not None}
    if not types or types & {str}:
        return "VARCHAR"
    if types & {list, tuple}:
        return "VARCHAR[]"
    return "BOOLEAN" if types == {bool} else "BIGINT" if types == {int} else "DOUBLE"


KINDS_OF_ARRAYS = {"f": "DOUBLE", "i": "BIGINT", "b": "BOOLEAN"}
"""The kind of a NumPy type → the SQL type."""
