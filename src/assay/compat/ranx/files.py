"""Files, data frames and arrays: their kinds in ranx, and how to read and write numbers by query."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.arrays import Floats
from assay.compat.arguments import credited_once
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


def is_by_position(source: Any) -> bool:
    """Whether queries have positions instead of ids: an array, or a list of arrays such as a typed list of Numba."""
    if isinstance(source, np.ndarray):
        return True
    return isinstance(source, Sequence) and len(source) > 0 and isinstance(source[0], np.ndarray)


def rows_of_arrays(source: Any) -> list[Floats]:
    """For each query an array with one row per document: its id as a number, and its score or grade."""
    rows = [np.asarray(of_query, dtype=np.float64) for of_query in source]
    for place, of_query in enumerate(rows):
        if of_query.ndim != 2 or of_query.shape[1] != 2:
            raise DataError(
                f"query {place}: expected an array with two columns, the id of a document and its number, "
                f"found the shape {of_query.shape}. Several queries are an array of the shape (queries, documents, 2)"
            )
    return rows


def hashed_rows(numbers: Numbers) -> list[Floats]:
    """The same layout from numbers by query and document: an id is its hash, as in ranx."""
    return [
        np.array([[hash(doc), number] for doc, number in by_doc.items()], dtype=np.float64).reshape(-1, 2)
        for by_doc in numbers.values()
    ]


def grades_of_rows(rows: Floats, query: str) -> dict[str, float]:
    """Id → grade. Rows of grade 0 may repeat an id, because arrays of equal length need rows to fill them."""
    grades: dict[str, float] = {}
    for id_, grade in rows.tolist():
        name = repr(id_)
        if grade > 0 and grades.get(name, 0.0) > 0:
            raise DataError(f"query {query}: document {id_:g} is judged twice; remove one of the rows")
        grades[name] = max(grade, grades.get(name, grade))
    return grades


def ranking_of_rows(rows: Floats, grades: Mapping[str, float], query: str) -> list[str]:
    """The ids in the order of the rows, which ranx does not sort. Only an id that is not relevant may be repeated."""
    ids = [repr(id_) for id_ in rows[:, 0].tolist()]
    if len(set(ids)) == len(ids):
        return ids
    if twice := [id_ for id_ in dict.fromkeys(ids) if grades.get(id_, 0.0) > 0 and ids.count(id_) > 1]:
        raise DataError(f"query {query}: document {float(twice[0]):g} is retrieved twice; remove the later row")
    return credited_once(ids)


Q_ID, DOC_ID, SCORE = COLUMNS
