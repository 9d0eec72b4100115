"""Exact nearest-neighbour search, in memory or in .npy and .npz files, which are read block by block."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.errors import AssayError, ProviderError
from assay.providers.reporting import Report, report_nothing
from assay.providers.retriever import PermanentFailure
from assay.text import counted

ENDINGS = (".npy", ".npz")
ONE_ID = "Write one id for each row"
WRITE_IDS = "Save them as text: np.savez(file, ids=np.array(ids, dtype=str), vectors=vectors)"


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

    def rows_by_id(self, order: Collection[str] | None) -> dict[str, int]:
        """Id → row. If the file has no ids, its rows are in this order, and the numbers of rows and ids must be equal."""
        if self.ids is not None:
            return self._rows
        ways = f"set {plural(self.of)}_ids=ids.txt, or use an .npz file with ids and vectors"
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
        raise ProviderError(f"vectors: there is no file {path}. Give the path of an .npy or .npz file")
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
        content = np.load(Path(path).expanduser(), mmap_mode="r", allow_pickle=False)
        vectors, ids = _of_archive(path, content) if isinstance(content, np.lib.npyio.NpzFile) else (content, None)
    except AssayError:
        raise
    except Exception as error:  # noqa: BLE001 (NumPy passes on errors of its tokenizer, zipfile and zlib)
        raise ProviderError(f"vectors: {path} cannot be read as .npy or .npz: {_first_line(error)}") from None
    if vectors.ndim != 2 or not vectors.shape[1]:
        raise ProviderError(f"vectors: {path} must have a row of numbers per {of}, but its shape is {vectors.shape}")
    if vectors.dtype.kind != "f" or vectors.dtype.itemsize > 8:
        raise ProviderError(f"vectors: the numbers in {path} must be float16, float32 or float64, not {vectors.dtype}")
    ids = _ids_in(ids_path) if ids_path else ids
    if ids is not None:
        _check_ids(ids_path or path, ids, path, len(vectors))
    return VectorFile(path, of, vectors, ids)


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def _of_archive(path: str, content: Any) -> tuple[Any, tuple[str, ...] | None]:
    """The arrays `vectors` and `ids`; if there is only one array, it is the vectors."""
    names = list(content.files)
    name = "vectors" if "vectors" in names else names[0] if len(names) == 1 else ""
    if not name:
        raise ProviderError(f"vectors: {path} must have an array called vectors, found {', '.join(names) or 'none'}")
    if "ids" not in names:
        return content[name], None
    try:
        ids = content["ids"]
    except ValueError:  # objects, which only pickle could read
        raise ProviderError(f"vectors: the ids in {path} are Python objects. {WRITE_IDS}") from None
    if ids.ndim != 1 or ids.dtype.kind not in "USiu":
        raise ProviderError(f"vectors: the ids in {path} are {ids.dtype} with the shape {ids.shape}. {WRITE_IDS}")
    return content[name], tuple(row_id.decode() if isinstance(row_id, bytes) else str(row_id) for row_id in ids.tolist())


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


Vectors: TypeAlias = npt.NDArray[np.float32]
Scores: TypeAlias = npt.NDArray[np.float32]
Rows: TypeAlias = npt.NDArray[np.int64]

QUERIES_PER_BLOCK, DOCUMENTS_PER_BLOCK, PAIRS_PER_BLOCK = 128, 32768, 512
"""Sizes of the blocks: 16 MB of scores at once, 1 MB of pairs of vectors (256 dimensions)."""
MAX_CANDIDATES_PER_K = 4
"""If a block has more candidates for a query than this many times k, the lowest are dropped before scoring."""


def best_of(rows: npt.NDArray[np.integer], scores: Scores, k: int) -> tuple[npt.NDArray[np.integer], Scores]:
    """The k rows with the highest scores, best first; for equal scores the lower row first."""
    if len(scores) > k:
        at_least = scores >= np.partition(scores, len(scores) - k)[len(scores) - k]
        rows, scores = rows[at_least], scores[at_least]
    order = np.lexsort((rows, -scores))[:k]
    return rows[order], scores[order]


def top_k(queries: Vectors, documents: Vectors, k: int) -> tuple[Rows, Scores]:
    """For each query the k documents with the largest dot product, best first; for equal ones the lower row first.

    A float32 matrix product finds the candidates. Its last bits depend on block sizes and threads, so each candidate is
    scored again by itself in float64: the result depends only on the vectors.
    """
    k = min(k, len(documents))
    rows, scores = np.zeros((len(queries), k), np.int64), np.zeros((len(queries), k), np.float32)
    if k == 0:
        return rows, scores
    longest = max(
        float(_lengths(documents[at : at + DOCUMENTS_PER_BLOCK]).max())
        for at in range(0, len(documents), DOCUMENTS_PER_BLOCK)
    )
    for start in range(0, len(queries), QUERIES_PER_BLOCK):
        block = slice(start, start + QUERIES_PER_BLOCK)
        rows[block], scores[block] = _top_k_of_block(queries[block], documents, k, longest)
    return rows, scores


def _top_k_of_block(queries: Vectors, documents: Vectors, k: int, longest: float) -> tuple[Rows, Scores]:
    """A few queries against all documents, block by block; after each block k pairs per query are kept."""
    slack = (queries.shape[1] * 2.0**-23 * longest * _lengths(queries)).astype(np.float32)
    floor = np.full(len(queries), -np.inf, np.float32)
    who, row, score = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32)
    for start in range(0, len(documents), DOCUMENTS_PER_BLOCK):
        new_who, new_row = _candidates(queries @ documents[start : start + DOCUMENTS_PER_BLOCK].T, floor - slack, slack, k)
        new_row += start
        score = np.concatenate((score, _dot_products(queries, documents, new_who, new_row)))
        who, row = np.concatenate((who, new_who)), np.concatenate((row, new_row))
        order = np.lexsort((row, -score, who))
        first = np.searchsorted(who[order], np.arange(len(queries)))
        order = order[np.arange(len(order)) - first[who[order]] < k]
        who, row, score = who[order], row[order], score[order]
        last = np.searchsorted(who, np.arange(len(queries))) + k - 1
        if len(who) == len(queries) * k:
            floor = score[last]
    return row.reshape(-1, k), score.reshape(-1, k)


def _candidates(scores: Scores, floor: Scores, slack: Scores, k: int) -> tuple[Rows, Rows]:
    """Which (query, document) pairs may be among the k best: `slack` is how far a score can be off."""
    above = scores >= floor[:, None]
    if scores.shape[1] > MAX_CANDIDATES_PER_K * k:
        crowded = np.flatnonzero(np.count_nonzero(above, axis=1) > MAX_CANDIDATES_PER_K * k)
        if len(crowded):
            some = scores[crowded]
            kth = np.partition(some, some.shape[1] - k, axis=1)[:, some.shape[1] - k]
            above[crowded] = some >= np.maximum(kth - 2 * slack[crowded], floor[crowded])[:, None]
    who, row = np.nonzero(above)
    return who.astype(np.int64, copy=False), row.astype(np.int64, copy=False)


def _dot_products(queries: Vectors, documents: Vectors, who: Rows, row: Rows) -> Scores:
    """The dot product of each pair by itself, in float64, rounded once."""
    products = np.empty(len(who), np.float32)
    wide = queries.astype(np.float64)
    for start in range(0, len(who), PAIRS_PER_BLOCK):
        some = slice(start, start + PAIRS_PER_BLOCK)
        products[some] = np.vecdot(wide[who[some]], documents[row[some]].astype(np.float64))
    return products


def _lengths(vectors: Vectors) -> npt.NDArray[np.float64]:
    return np.sqrt(np.vecdot(vectors, vectors).astype(np.float64))


class FileRows:
    """Some rows of a file, in the given order: `rows[some]` is a float32 matrix, with rows of length 1 for the cosine.

    A number that is not finite is an error. For the cosine, rows of zeros are left out, because they have no direction.
    """

    def __init__(
        self, file: VectorFile, at: npt.NDArray[np.int64], similarity: str, report: Report = report_nothing
    ) -> None:
        self._file, self._is_cosine, self._at = file, similarity == "cosine", at
        blocks = []
        for start in range(0, len(at), DOCUMENTS_PER_BLOCK):
            report(start, len(at))
            blocks.append(self._lengths(at[start : start + DOCUMENTS_PER_BLOCK]))
        report(len(at), len(at))
        lengths = np.concatenate(blocks) if blocks else np.zeros(0)
        self.placed = np.flatnonzero(lengths) if self._is_cosine else np.arange(len(at))
        """Which of the requested rows are used."""
        self._at, self._length = at[self.placed], lengths[self.placed]
        self.shape = (len(self._at), file.width)

    def _lengths(self, at: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """The lengths of the vectors."""
        block = self._file.vectors[at].astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            lengths = np.sqrt(np.vecdot(block, block))
        fits = np.isfinite(lengths) & (np.abs(block).max(axis=1, initial=0) <= np.finfo(np.float32).max)
        if not fits.all():
            row = int(at[np.flatnonzero(~fits)[0]])
            raise PermanentFailure(
                f"{self._file.path}, row {row + 1:,}: a number is not finite, or it is too large for float32"
            )
        return lengths

    def __len__(self) -> int:
        return len(self._at)

    def __getitem__(self, some: Any) -> npt.NDArray[np.float32]:
        block = np.asarray(self._file.vectors[self._at[some]])
        if self._is_cosine:
            block = block.astype(np.float64) / self._length[some][:, None]
        return np.ascontiguousarray(block, np.float32)

    def for_distance(self) -> RowsForDistance:
        """The same rows with an extra number, so that the largest dot product is the smallest distance."""
        return RowsForDistance(self, self._length)


class RowsForDistance:
    """Rows with −|d|²/2 appended: q·d − |d|²/2 is largest when |q − d| is smallest."""

    def __init__(self, rows: FileRows, length: npt.NDArray[np.float64]) -> None:
        self._rows, self._more = rows, (-(length**2) / 2).astype(np.float32)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, some: Any) -> npt.NDArray[np.float32]:
        return np.hstack([self._rows[some], self._more[some][:, None]])
