"""Limits of what is read: how much may come out of a compressed file, and how long a line may be."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import IO, Any

import numpy as np

from assay.errors import BadParameter, DataError

FREE = 64 << 20
"""Bytes that may come out of any compressed file, however small it is."""
MAX_EXPANSION = 1000
"""How many times its size a larger one may become. The most repetitive runs that we could make reach 165."""
VARIABLE = "ASSAY_MAX_EXPANSION"
"""The environment variable that allows more."""
LONGEST_LINE = 128 << 20
"""Bytes of a line. A record of JSON with a million hits has about half of that."""


def max_expansion() -> float:
    """How many times its size a compressed file may become: the variable of the environment, else the usual."""
    written = os.environ.get(VARIABLE, "")
    try:
        most = float(written) if written else MAX_EXPANSION
    except ValueError:
        most = -1
    if not most > 0:
        raise BadParameter(f"{VARIABLE} is a number above 0, such as 5000, or inf for no limit, not {written!r}")
    return most


def most_unpacked(size: int) -> float:
    """Bytes that may come out of a compressed file of this size."""
    return max(FREE, size * max_expansion())


def too_large(label: str, size: int) -> DataError:
    """What is said of a compressed file that becomes larger than it may."""
    times = f"more than {max_expansion():g} times its size" if size * max_expansion() > FREE else "very large"
    return DataError(
        f"becomes {times} when unpacked ({most_unpacked(size):,.0f} bytes out of {size:,} and more to come); "
        f"if the file is sound, allow more with {VARIABLE}=100000",
        source=label,
    )


class UnpackedFile(io.RawIOBase):
    """The bytes that come out of a compressed file; more than may come out is a DataError."""

    def __init__(self, file: IO[bytes] | io.RawIOBase, path: Path, label: str) -> None:
        self._file, self._label = file, label
        self._size = path.stat().st_size
        self._left = most_unpacked(self._size)

    def readable(self) -> bool:
        """It is for reading."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with what comes next; 0 at the end."""
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
    """The bytes of a file that is read line by line; a line that is too long is a DataError that names it."""

    def __init__(self, file: IO[bytes], label: str) -> None:
        self._file, self._label = file, label
        self._n_ended = self._n_open = 0

    def readable(self) -> bool:
        """It is for reading."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with what comes next; 0 at the end."""
        n_read: int = self._file.readinto(buffer)  # type: ignore[attr-defined]
        ends = np.flatnonzero(np.frombuffer(buffer, np.uint8, n_read) == ord("\n"))
        if len(ends):
            self._n_ended += len(ends)
            self._n_open = n_read - int(ends[-1]) - 1
        else:
            self._n_open += n_read
        if self._n_open > LONGEST_LINE:
            message = f"the line has more than {LONGEST_LINE:,} bytes and no end; records stand in lines of their own"
            raise DataError(message, source=self._label, line=self._n_ended + 1)
        return n_read

    def close(self) -> None:
        """Close the file underneath too."""
        self._file.close()
        super().close()
