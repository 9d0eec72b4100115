"""Exact nearest-neighbour search, in memory or in files of vectors, which are read block by block."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.providers.reporting import Report, report_nothing
from assay.providers.retriever import PermanentFailure
from assay.providers.vector_files import VectorFile

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
        self._last: tuple[slice | None, npt.NDArray[np.float32]] = None, np.zeros((0, file.width), np.float32)
        """The block that was read last."""

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
        if not isinstance(some, slice):
            return self._read(some)
        place, block = self._last
        if some != place:  # few queries are searched at a time, and the documents are often a single block
            self._last = place, block = some, self._read(some)
        return block

    def _read(self, some: Any) -> npt.NDArray[np.float32]:
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
