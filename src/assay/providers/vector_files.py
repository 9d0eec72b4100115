"""Vector files: embeddings in NumPy and Parquet files and in tables, with their ids or in the order of the benchmark."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.errors import AssayError, ProviderError
from assay.files import FileSource, open_parquet
from assay.providers.retriever import PermanentFailure
from assay.providers.vector_tables import ENDINGS as TABLE_ENDINGS
from assay.providers.vector_tables import (
    MAX_NAMES,
    VECTOR_NAMES,
    id_column,
    is_vector_table,
    vector_column,
    vectors_of_table,
)
from assay.text import counted, some_of

Ids = tuple[str, ...]
ONE_ID = "Write one id for each row"
WRITE_IDS = "Save them as text: np.savez(file, ids=np.array(ids, dtype=str), vectors=vectors)"
SAVE = "Save them as NumPy arrays: np.savez(file, ids=np.array(ids, dtype=str), vectors=vectors)"
PARQUET = ".parquet"
VECTOR_ENDINGS = (".npz", ".npy", PARQUET, *TABLE_ENDINGS)
"""Extensions of files with vectors. Tables may also be compressed."""


@dataclass(frozen=True)
class VectorFile:
    """A matrix with a row per document or query; rows are identified by ids or by the order of the benchmark."""

    path: str
    of: str
    """What its rows are: document or query."""
    vectors: Any
    ids: tuple[str, ...] | None

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return int(self.vectors.shape[1])

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {row_id: row for row, row_id in enumerate(self.ids or ())}

    def rows_by_id(self, order: Collection[str] | None, ways: str = "") -> dict[str, int]:
        """Id → row. If the file has no ids, its rows are in this order, and the numbers of rows and ids must be equal.

        `ways` is how to name the ids, for an error; by default as for a provider, which has an option for a file of ids.
        """
        if self.ids is not None:
            return self._rows
        ways = ways or f"set {plural(self.of)}_ids=ids.txt, or use an .npz file with ids and vectors"
        if order is None:
            raise PermanentFailure(f"{self.path} has no ids, and the order of the {plural(self.of)} is unknown: {ways}")
        if len(order) != len(self.vectors):
            sizes = f"{self.path} has {counted(len(self.vectors), 'row')}, but there are {counted(len(order), self.of)}"
            advice = f"Write a row per {self.of} in the order of the benchmark, {ways}"
            raise PermanentFailure(f"{sizes}. {advice}")
        return {row_id: row for row, row_id in enumerate(order)}


def plural(noun: str) -> str:
    """`queries`, `documents`."""
    return counted(2, noun).partition(" ")[2]


def open_vectors(path: str, ids_path: str, of: str) -> VectorFile:
    """The opened file; the numbers of an .npy file stay on disk."""
    file = Path(path).expanduser()
    if not file.is_file():
        raise ProviderError(
            f"vectors: there is no file {path}. Give the path of an .npy, .npz, .parquet, .csv or .jsonl file"
        )
    stat = file.stat()
    ids_found = _stat_of(ids_path)
    return _open(path, ids_path, of, (stat.st_mtime_ns, stat.st_size, ids_found))


def _stat_of(ids_path: str) -> tuple[int, int] | None:
    if not ids_path:
        return None
    file = Path(ids_path).expanduser()
    if not file.is_file():
        raise ProviderError(f"vectors: there is no file {ids_path}. Give the path of a text file with one id per line")
    return file.stat().st_mtime_ns, file.stat().st_size


@lru_cache(maxsize=4)
def _open(path: str, ids_path: str, of: str, _: object) -> VectorFile:
    """The file, opened once for all scopes; a file that has changed is opened again."""
    try:
        vectors, ids = _read(path)
    except ProviderError:
        raise
    except AssayError as error:
        raise ProviderError(f"vectors: {error}") from None
    except Exception as error:  # noqa: BLE001 (NumPy passes on errors of its tokenizer, zipfile and zlib)
        raise ProviderError(f"vectors: {path} cannot be read as .npy or .npz: {_first_line(error)}. {SAVE}") from None
    if vectors.ndim != 2 or not vectors.shape[1]:
        raise ProviderError(f"vectors: {path} must have a row of numbers per {of}, but its shape is {vectors.shape}")
    if vectors.dtype.kind != "f" or vectors.dtype.itemsize > 8:
        raise ProviderError(f"vectors: the numbers in {path} must be float16, float32 or float64, not {vectors.dtype}")
    ids = _ids_in(ids_path) if ids_path else ids
    if ids is not None:
        _check_ids(ids_path or path, ids, path, len(vectors))
    return VectorFile(path, of, vectors, ids)


def is_vector_file(path: str) -> bool:
    """Whether a name is that of a file with vectors, by its extension; anything else may be the name of a model."""
    return path.lower().endswith(VECTOR_ENDINGS) or is_vector_table(path.lower())


def _read(path: str) -> tuple[Any, Ids | None]:
    if path.lower().endswith(PARQUET):
        return _of_parquet(path)
    return vectors_of_table(path) if is_vector_table(path.lower()) else _of_numpy(path)


def _first_line(error: Exception) -> str:
    if isinstance(error, ValueError):  # NumPy would advise to load pickles unsafely
        return "it is damaged, or it has Python objects instead of arrays"
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def _of_numpy(path: str) -> tuple[Any, Ids | None]:
    """The matrix of an .npy file, which stays on disk; or the matrix and the ids of an .npz file."""
    content = np.load(Path(path).expanduser(), mmap_mode="r", allow_pickle=False)
    return _of_archive(path, content) if isinstance(content, np.lib.npyio.NpzFile) else (content, None)


def _of_archive(path: str, content: Any) -> tuple[Any, Ids | None]:
    """The arrays `vectors` (or `embeddings`) and `ids`; one array alone is the vectors; or one vector for each id."""
    names = list(content.files)
    name = next((name for name in VECTOR_NAMES if name in names), names[0] if len(names) == 1 else "")
    if not name:
        return _of_single_vectors(path, content, names)
    if "ids" not in names:
        return content[name], None
    try:
        ids = content["ids"]
    except ValueError:  # objects, which only pickle could read
        raise ProviderError(f"vectors: the ids in {path} are Python objects. {WRITE_IDS}") from None
    if ids.ndim != 1 or ids.dtype.kind not in "USiu":
        raise ProviderError(f"vectors: the ids in {path} are {ids.dtype} with the shape {ids.shape}. {WRITE_IDS}")
    return content[name], tuple(row_id.decode() if isinstance(row_id, bytes) else str(row_id) for row_id in ids.tolist())


def _of_single_vectors(path: str, content: Any, names: Sequence[str]) -> tuple[Any, Ids]:
    """Vectors that were saved one by one under their ids: `np.savez(file, **{id: vector})`."""
    vectors = []
    for name in names:
        vector = content[name]
        vectors.append(np.asarray(vector))  # a file that is not an array is bytes
        if vectors[-1].dtype.kind != "f" or vectors[-1].ndim != 1 or vectors[-1].shape != vectors[0].shape:
            listed = some_of(names, MAX_NAMES)
            raise ProviderError(
                f"vectors: {path} must have an array called vectors, or one vector for each id, found {listed}. {SAVE}"
            )
    if not vectors:
        raise ProviderError(f"vectors: {path} has no arrays. {SAVE}")
    return np.stack(vectors), tuple(names)


def _of_parquet(path: str) -> tuple[npt.NDArray[np.float32], Ids | None]:
    """The column with lists of numbers, and the ids in a column called `ids` or `id`, or whose name ends in `_id`."""
    with open_parquet(FileSource(Path(path).expanduser(), path)) as file:
        columns = file.columns
        name = vector_column(columns)
        if name is None:
            listed = some_of(columns, MAX_NAMES)
            raise ProviderError(f"vectors: {path} must have a column called vectors or embeddings, found {listed}")
        ids_name = id_column(columns)
        rows = list(file.rows([name] if ids_name is None else [name, ids_name]))
    widths = {len(row[0]) if isinstance(row[0], list | tuple) else 0 for row in rows}
    if len(widths) != 1 or 0 in widths:
        raise ProviderError(f"vectors: the column {name} of {path} must have lists of numbers, all of the same length")
    with np.errstate(over="ignore"):
        vectors = np.array([row[0] for row in rows], np.float32)  # None becomes nan, which is an error later
    return vectors, tuple(str(row[1]) for row in rows) if ids_name is not None else None


def _ids_in(path: str) -> tuple[str, ...]:
    try:
        text = Path(path).expanduser().read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise ProviderError(f"vectors: cannot read {path}. It must be a UTF-8 text file with one id per line") from None
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _check_ids(where: str, ids: Sequence[str], path: str, n_rows: int) -> None:
    """Raise unless there is one id per row and no id occurs twice."""
    if len(ids) != n_rows:
        raise ProviderError(
            f"vectors: {where} has {counted(len(ids), 'id')}, but {path} has {counted(n_rows, 'row')}. {ONE_ID}"
        )
    if len(set(ids)) != len(ids):
        seen: set[str] = set()
        twice = next(row_id for row_id in ids if row_id in seen or seen.add(row_id))  # type: ignore[func-returns-value]
        raise ProviderError(f"vectors: the id {twice} occurs twice in {where}. Each row needs a different id")
