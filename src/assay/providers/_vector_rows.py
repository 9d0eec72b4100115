"""Rows: some vectors of a file, read and made ready block by block, so that a large file need not fit into memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from assay.providers._nearest import DOCUMENTS
from assay.providers._refusals import PermanentFailure
from assay.providers._vector_files import VectorFile


class Rows:
    """The rows at some places of a file, in that order: `rows[some]` is a matrix of float32, of length 1 for the cosine.

    Numbers that are not finite are refused. For the cosine, rows of zeros are left out: they have no direction.
    """

    def __init__(self, file: VectorFile, at: npt.NDArray[np.int64], similarity: str) -> None:
        self._file, self._is_cosine, self._at = file, similarity == "cosine", at
        blocks = [self._lengths(at[start : start + DOCUMENTS]) for start in range(0, len(at), DOCUMENTS)]
        lengths = np.concatenate(blocks) if blocks else np.zeros(0)
        self.placed = np.flatnonzero(lengths) if self._is_cosine else np.arange(len(at))
        """Which of the places asked for are there."""
        self._at, self._length = at[self.placed], lengths[self.placed]
        self.shape = (len(self._at), file.width)

    def _lengths(self, at: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """How long the vectors are."""
        block = self._file.vectors[at].astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            lengths = np.sqrt(np.vecdot(block, block))
        fits = np.isfinite(lengths) & (np.abs(block).max(axis=1, initial=0) <= np.finfo(np.float32).max)
        if not fits.all():
            row = int(at[np.flatnonzero(~fits)[0]])
            raise PermanentFailure(
                f"{self._file.path}, row {row + 1:,}: a number that is not finite, or too large for float32"
            )
        return lengths

    def __len__(self) -> int:
        return len(self._at)

    def __getitem__(self, some: Any) -> npt.NDArray[np.float32]:
        block = np.asarray(self._file.vectors[self._at[some]])
        if self._is_cosine:
            block = block.astype(np.float64) / self._length[some][:, None]
        return np.ascontiguousarray(block, np.float32)

    def lifted(self) -> Lifted:
        """The same with one number more, by which the largest dot product is the least distance."""
        return Lifted(self, self._length)


class Lifted:
    """Rows with minus half their squared length behind: q·d − |d|²/2 is largest where |q − d| is least."""

    def __init__(self, rows: Rows, length: npt.NDArray[np.float64]) -> None:
        self._rows, self._more = rows, (-(length**2) / 2).astype(np.float32)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, some: Any) -> npt.NDArray[np.float32]:
        return np.hstack([self._rows[some], self._more[some][:, None]])
