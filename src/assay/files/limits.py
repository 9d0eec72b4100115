"""Limits for reading: how large a compressed file may become, and how long a line may be."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import IO, Any

import numpy as np

from assay.errors import BadParameter, DataError

FREE = 64 << 20
"""Bytes that any compressed file may unpack to, however small it is."""
MAX_EXPANSION = 1000
"""How many times its size a larger file may become. The most repetitive runs that we could create reach 165."""
VARIABLE = "ASSAY_MAX_EXPANSION"
"""The environment variable that raises the limit."""
LONGEST_LINE = 128 << 20
"""The most bytes in a line. A JSON record with a million hits has about half of that."""


def max_expansion() -> float:
    """How many times its size a compressed file may become: from the environment variable, otherwise the default."""
    written = os.environ.get(VARIABLE, "")
    try:
        most = float(written) if written else MAX_EXPANSION
    except ValueError:
        most = -1
    if not most > 0:
        raise BadParameter(f"{VARIABLE} must be a number above 0 such as 5000, or inf for no limit, not {written!r}")
    return most


def most_unpacked(size: int) -> float:
    """Bytes that a compressed file of this size may unpack to."""
    return max(FREE, size * max_expansion())


def too_large(label: str, size: int) -> DataError:
    """The error for a compressed file that unpacks to more than the limit."""
    times = f"more than {max_expansion():g} times its size" if size * max_expansion() > FREE else "a very large file"
    return DataError(
        f"unpacks to {times} ({size:,} bytes become more than {most_unpacked(size):,.0f}); "
        f"if you trust the file, set the environment variable {VARIABLE} to 100000",
        source=label,
    )


class UnpackedFile(io.RawIOBase):
    """The unpacked bytes of a compressed file; more bytes than the limit allows are a DataError."""

    def __init__(self, file: IO[bytes] | io.RawIOBase, path: Path, label: str) -> None:
        self._file, self._label = file, label
        self._size = path.stat().st_size
        self._left = most_unpacked(self._size)

    def readable(self) -> bool:
        """Always True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes into the buffer; 0 at the end."""
        n_read: int = self._file.readinto(buffer) or 0  # type: ignore[union-attr]
        self._left -= n_read
        if self._left < 0:
            raise too_large(self._label, self._size)
        return n_read

    def close(self) -> None:
        """Close the compressed file too."""
        self._file.close()
        super().close()


class LinedFile(io.RawIOBase):
    """The bytes of a file that is read line by line; a line that is too long is a DataError with its number."""

    def __init__(self, file: IO[bytes], label: str) -> None:
        self._file, self._label = file, label
        self._n_ended = self._n_open = 0

    def readable(self) -> bool:
        """Always True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes into the buffer; 0 at the end."""
        n_read: int = self._file.readinto(buffer)  # type: ignore[attr-defined]
        ends = np.flatnonzero(np.frombuffer(buffer, np.uint8, n_read) == ord("\n"))
        if len(ends):
            self._n_ended += len(ends)
            self._n_open = n_read - int(ends[-1]) - 1
        else:
            self._n_open += n_read
        if self._n_open > LONGEST_LINE:
            message = f"the line is longer than the limit of {LONGEST_LINE:,} bytes; write each record on its own line"
            raise DataError(message, source=self._label, line=self._n_ended + 1)
        return n_read

    def close(self) -> None:
        """Close the underlying file too."""
        self._file.close()
        super().close()
