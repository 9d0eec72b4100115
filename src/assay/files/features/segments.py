"""Feature segments: blocks of features of different widths, joined into one array that may be larger than memory."""

from __future__ import annotations

import weakref
from typing import NamedTuple

import numpy as np

from assay.files.features.lines import too_many_cells
from assay.model import Features
from assay.temporary_files import TemporaryFile

MOST_HELD = 1 << 26
"""Bytes of features that stay in memory; more are written to a temporary file, which is memory-mapped."""
MAX_GROWTH = 64
"""How many times the size of its text an array may be. If it were larger, nearly all features would be absent."""
FREE = 1 << 28
"""Bytes that any array may have."""


class Shape(NamedTuple):
    """The rows of a block, its columns, and the number of its first feature."""

    n_rows: int
    width: int
    first: int


class FeatureSegments:
    """Collects blocks. Features that a block does not have are nan in its rows."""

    def __init__(self) -> None:
        self._shapes: list[Shape] = []
        self._held: list[Features] = []
        self._file: TemporaryFile | None = None
        self._n_bytes = 0

    def add(self, values: Features, first: int) -> None:
        """Add the features of more rows."""
        self._shapes.append(Shape(len(values), int(values.shape[1]), first))
        self._n_bytes += values.nbytes
        self._held.append(values)
        if self._n_bytes > MOST_HELD:
            self._write()

    def joined(self, label: str, n_text_bytes: int) -> tuple[Features, int]:
        """All rows, and the number of the first feature. An array that is much larger than the text is a DataError."""
        filled = [shape for shape in self._shapes if shape.width]
        first = min((shape.first for shape in filled), default=1)
        width = max((shape.first + shape.width for shape in filled), default=first) - first
        n_rows = sum(shape.n_rows for shape in self._shapes)
        size = n_rows * width * np.dtype(np.float32).itemsize
        if size > max(FREE, MAX_GROWTH * n_text_bytes):
            raise too_many_cells(n_rows, first + width - 1).at(label)
        is_even = all((shape.width, shape.first) == (width, first) for shape in self._shapes)
        values = self._whole(n_rows, width) if is_even else self._widened(n_rows, width, first)
        values.flags.writeable = False
        return values, first

    def _whole(self, n_rows: int, width: int) -> Features:
        """All rows, if every block has the same columns."""
        if self._file is None:
            return np.concatenate(self._held) if self._held else np.zeros((n_rows, width), dtype=np.float32)
        self._write()
        self._closing.detach()
        return _mapped(self._file, (n_rows, width), "r")

    def _widened(self, n_rows: int, width: int, first: int) -> Features:
        """All rows in an array with the columns of all blocks."""
        if self._file is not None:
            self._write()
            n_values = sum(shape.n_rows * shape.width for shape in self._shapes)
            flat: Features = np.memmap(self._file.path, dtype=np.float32, mode="r", shape=(n_values,))
            values = _mapped(TemporaryFile(), (n_rows, width), "w+")
        else:
            flat = np.concatenate([block.ravel() for block in self._held])
            values = np.empty((n_rows, width), dtype=np.float32)
        row = place = 0
        for shape in self._shapes:
            rows = values[row : row + shape.n_rows]
            rows[:] = np.nan
            begin, size = shape.first - first if shape.width else 0, shape.n_rows * shape.width
            rows[:, begin : begin + shape.width] = flat[place : place + size].reshape(shape.n_rows, shape.width)
            row, place = row + shape.n_rows, place + size
        return values

    def _write(self) -> None:
        """Append the rows in memory to the file."""
        if self._file is None:
            self._file = TemporaryFile()
            self._closing = weakref.finalize(self, self._file.close)
        with self._file.path.open("ab") as file:
            for block in self._held:
                file.write(np.ascontiguousarray(block).data)
        self._held.clear()
        self._n_bytes = 0


def _mapped(copy: TemporaryFile, shape: tuple[int, ...], mode: str) -> Features:
    """An array over a temporary file, which is removed together with the array."""
    values: Features = np.memmap(copy.path, dtype=np.float32, mode=mode, shape=shape)  # type: ignore[call-overload]
    weakref.finalize(values, copy.close)
    return values
