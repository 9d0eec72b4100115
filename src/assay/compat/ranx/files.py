"""Files and data frames: their kinds in ranx, and how to read and write numbers by query."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.errors import BadParameter, DataError, UsageError

KINDS = ("json", "trec", "gz", "parquet")
ENDINGS = {"json": "json", "trec": "trec", "txt": "trec", "gz": "gz", "parquet": "parquet", "parq": "parquet"}
COLUMNS = ("q_id", "doc_id", "score")

Numbers = Mapping[str, Mapping[str, float]]


def kind_of(path: str | Path, kind: str | None) -> str:
    """The kind of a file: as given, otherwise by its extension. Any other extension means TREC lines."""
    if kind == "lz4" or (kind is None and str(path).endswith(".lz4")):
        raise BadParameter(f"{path}: LZ4 files are not supported; save the file as JSON or Parquet with ranx first")
    if kind is not None and kind not in KINDS:
        raise BadParameter(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
    return kind or ENDINGS.get(Path(path).suffix.lstrip(".").lower(), "trec")


def columns_of(table: Any, q_id_col: str, doc_id_col: str, score_col: str, role: str) -> dict[str, Any]:
    """Three columns of a frame (pandas, polars, Arrow) or of a mapping of columns, under assay's names."""
    named = dict(zip(("query_id", "doc_id", role), (q_id_col, doc_id_col, score_col), strict=True))
    there = _names_in(table)
    for column, parameter in zip(named.values(), ("q_id_col", "doc_id_col", "score_col"), strict=True):
        if column not in there:
            raise DataError(
                f"no column is called {column!r} among {', '.join(map(repr, there))}; set its name with {parameter}="
            )
    return {name: _as_list(table[column]) for name, column in named.items()}


def _names_in(table: Any) -> list[Any]:
    """The columns of pandas and polars, the column_names of Arrow, the keys of a mapping."""
    if isinstance(table, Mapping):
        return list(table)
    return list(table.column_names if hasattr(table, "column_names") else table.columns)


def _as_list(column: Any) -> list[Any]:
    for convert in ("to_list", "to_pylist", "tolist"):
        if hasattr(column, convert):
            return list(getattr(column, convert)())
    return list(column)


def read_parquet(path: str | Path, columns: Mapping[str, str]) -> dict[str, Any]:
    """Columns of a Parquet file under new names: `columns` maps the new name to the name in the file."""
    from assay.files import as_source, open_parquet

    with open_parquet(as_source(Path(path))) as file:
        names = file.columns
        if missing := [column for column in columns.values() if column not in names]:
            raise DataError(
                f"{path}: no column is called {missing[0]!r} among {', '.join(map(repr, names))}; rename one of them"
            )
        rows = list(zip(*file.rows(list(columns.values())), strict=True)) or [()] * len(columns)
    return {name: list(column) for name, column in zip(columns, rows, strict=True)}


def write_file(numbers: Numbers, path: Path, kind: str, tag: str) -> None:
    """Write numbers as a file of a kind. TREC lines are a run if there is a tag, otherwise judgments."""
    from assay.atomic_write import atomic_write
    from assay.files import write_qrels, write_run

    if kind == "gz":
        raise BadParameter(f"{path}: compressed files can be read but not written; use a name without .gz")
    if kind == "json":
        import msgspec

        with atomic_write(path) as file:
            file.write(msgspec.json.format(msgspec.json.encode(numbers), indent=2))
    elif kind == "parquet":
        _write_parquet(numbers, path)
    elif tag:
        write_run(numbers, path, tag)
    else:
        write_qrels(numbers, path)


def _write_parquet(numbers: Numbers, path: Path) -> None:
    """Write the columns q_id, doc_id and score, as in ranx. Whole grades stay whole numbers."""
    from assay.files import write_parquet_table

    rows = [[query, doc, score] for query, by_doc in numbers.items() for doc, score in by_doc.items()]
    kind = "BIGINT" if all(isinstance(score, int) for *_, score in rows) else "DOUBLE"
    write_parquet_table(path, dict(zip(COLUMNS, ("VARCHAR", "VARCHAR", kind), strict=True)), rows)


def frame_of(numbers: Numbers) -> Any:
    """A pandas frame with one row per document and query."""
    rows = [(query, doc, score) for query, by_doc in numbers.items() for doc, score in by_doc.items()]
    return pandas().DataFrame(rows, columns=list(COLUMNS))


def pandas() -> Any:
    """The package; an error that says how to install it if it is missing."""
    try:
        return importlib.import_module("pandas")
    except ModuleNotFoundError:
        raise UsageError("a data frame needs pandas: pip install pandas") from None


Q_ID, DOC_ID, SCORE = COLUMNS
