"""Arrow columns: columns of the tables that Spark passes to workers, as the readers of files know them."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.arrays import Floats, Ints
from assay.files import TextColumn


def text_of(column: Any) -> TextColumn:
    """A column of text without missing values."""
    import pyarrow as pa

    array = _whole(column).cast(pa.large_string())
    _, offsets, data = array.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    return TextColumn(np.frombuffer(data or b"", dtype=np.uint8), ends)


def numbers_of(column: Any) -> Ints:
    """A column of whole numbers without missing values."""
    return _whole(column).to_numpy(zero_copy_only=False).astype(np.int64, copy=False)


def floats_of(column: Any) -> Floats:
    """A column of floats without missing values."""
    return _whole(column).to_numpy(zero_copy_only=False)


def _whole(column: Any) -> Any:
    """A column in one piece."""
    import pyarrow as pa

    if not isinstance(column, pa.ChunkedArray):
        return column
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks or [pa.array([], column.type)])
