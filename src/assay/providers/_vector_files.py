"""Vector files: ready-made embeddings in .npy or .npz, left on disk, and the ids of their rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import AssayError, ProviderError
from assay.providers._refusals import PermanentFailure
from assay.text import counted

ENDINGS = (".npy", ".npz")
WRITE_IDS = "write them as text: np.savez(file, ids=np.array(ids, dtype=str), vectors=vectors)"


@dataclass(frozen=True)
class VectorFile:
    """A matrix with a row per document or query, and which row is whose: by ids, or in the order of the benchmark."""

    path: str
    of: str
    """What its rows stand for, in words: document or query."""
    vectors: Any
    ids: tuple[str, ...] | None

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return int(self.vectors.shape[1])

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {one: row for row, one in enumerate(self.ids or ())}

    def rows_by_id(self, order: Collection[str] | None) -> dict[str, int]:
        """Id → row. Without ids of its own, rows are in this order; there must be as many."""
        if self.ids is not None:
            return self._rows
        ways = f"name the rows with {plural(self.of)}_ids=ids.txt, or give an .npz with ids and vectors"
        if order is None:
            raise PermanentFailure(f"{self.path} has no ids, and nobody told the order of the {plural(self.of)}: {ways}")
        if len(order) != len(self.vectors):
            found = f"{self.path} has {counted(len(self.vectors), 'row')}, and there are {counted(len(order), self.of)}"
            raise PermanentFailure(f"{found}: one row each, in the order of the benchmark, is needed; or {ways}")
        return {one: row for row, one in enumerate(order)}


def plural(noun: str) -> str:
    """`queries`, `documents`."""
    return counted(2, noun).partition(" ")[2]


def open_vectors(path: str, ids_path: str, of: str) -> VectorFile:
    """The file, its numbers left on disk where it is an .npy; errors name it and say what was expected."""
    file = Path(path).expanduser()
    if not file.is_file():
        raise ProviderError(f"vectors: {path}: no such file; give the path of an .npy or .npz file")
    found = file.stat()
    ids_found = _stat_of(ids_path)
    return _open(path, ids_path, of, (found.st_mtime_ns, found.st_size, ids_found))


def _stat_of(ids_path: str) -> tuple[int, int] | None:
    if not ids_path:
        return None
    file = Path(ids_path).expanduser()
    if not file.is_file():
        raise ProviderError(f"vectors: {ids_path}: no such file; give a text file with an id in each line")
    return file.stat().st_mtime_ns, file.stat().st_size


@lru_cache(maxsize=4)
def _open(path: str, ids_path: str, of: str, _: object) -> VectorFile:
    """Opened once, however many scopes there are; a file that has changed is opened again."""
    try:
        content = np.load(Path(path).expanduser(), mmap_mode="r", allow_pickle=False)
        vectors, ids = _of_archive(path, content) if isinstance(content, np.lib.npyio.NpzFile) else (content, None)
    except AssayError:
        raise
    except Exception as error:  # noqa: BLE001 (NumPy lets through what its tokenizer, zipfile and zlib raise)
        raise ProviderError(f"vectors: {path} cannot be read as .npy or .npz: {_first_line(error)}") from None
    if vectors.ndim != 2 or not vectors.shape[1]:
        raise ProviderError(f"vectors: {path} needs a row of numbers per {of}, and has the shape {vectors.shape}")
    if vectors.dtype.kind != "f" or vectors.dtype.itemsize > 8:
        raise ProviderError(f"vectors: {path} needs numbers in float16, float32 or float64, and has {vectors.dtype}")
    ids = _ids_in(ids_path) if ids_path else ids
    if ids is not None:
        _check_ids(ids_path or path, ids, path, len(vectors))
    return VectorFile(path, of, vectors, ids)


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def _of_archive(path: str, content: Any) -> tuple[Any, tuple[str, ...] | None]:
    """The arrays `vectors` and `ids`, or the only one there is."""
    names = list(content.files)
    name = "vectors" if "vectors" in names else names[0] if len(names) == 1 else ""
    if not name:
        raise ProviderError(f"vectors: {path} needs an array called vectors, and ids beside it; it has {', '.join(names)}")
    if "ids" not in names:
        return content[name], None
    try:
        ids = content["ids"]
    except ValueError:  # objects, which only pickle could read
        raise ProviderError(f"vectors: the ids in {path} are Python objects; {WRITE_IDS}") from None
    if ids.ndim != 1 or ids.dtype.kind not in "USiu":
        raise ProviderError(f"vectors: the ids in {path} are {ids.dtype} in the shape {ids.shape}; {WRITE_IDS}")
    return content[name], tuple(one.decode() if isinstance(one, bytes) else str(one) for one in ids.tolist())


def _ids_in(path: str) -> tuple[str, ...]:
    try:
        text = Path(path).expanduser().read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise ProviderError(f"vectors: {path} cannot be read as text in UTF-8 with an id in each line") from None
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _check_ids(where: str, ids: Sequence[str], path: str, n_rows: int) -> None:
    """As many as rows, and no two alike."""
    if len(ids) != n_rows:
        raise ProviderError(f"vectors: {where} has {counted(len(ids), 'id')}, and {path} {counted(n_rows, 'row')}")
    if len(set(ids)) != len(ids):
        seen: set[str] = set()
        twice = next(one for one in ids if one in seen or seen.add(one))  # type: ignore[func-returns-value]
        raise ProviderError(f"vectors: the id {twice} comes twice in {where}; ids tell rows apart")
