"""Universal Binary JSON: reads the values of a file, as far as models of XGBoost use the format."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import DataError

NUMBERS = {b"i": ">i1", b"U": ">u1", b"I": ">i2", b"l": ">i4", b"L": ">i8", b"d": ">f4", b"D": ">f8"}
"""Marker → the type of a number; the bytes are in the order of the network."""
LENGTHS = (b"i", b"U", b"I", b"l", b"L")
CONSTANTS: dict[bytes, bool | None] = {b"Z": None, b"T": True, b"F": False}
DEEPEST = 50
"""The most values inside each other; a model of XGBoost has about ten."""


def read_binary_json(content: bytes) -> Any:
    """The value of a whole file; a DataError if it is damaged."""
    reader = _Reader(content)
    value = reader.value(reader.take(1))
    if reader.place != len(content):
        raise DataError(f"the file goes on after its end at byte {reader.place:,}")
    return value


class _Reader:
    """Reads one value after another."""

    def __init__(self, content: bytes) -> None:
        self._content, self.place, self._depth = content, 0, 0

    def take(self, size: int) -> bytes:
        """The next bytes."""
        if size < 0 or self.place + size > len(self._content):
            raise DataError(f"the file ends too early, or is damaged at byte {self.place:,}")
        self.place += size
        return self._content[self.place - size : self.place]

    def value(self, marker: bytes) -> Any:
        """The value that follows a marker."""
        if marker in CONSTANTS:
            return CONSTANTS[marker]
        if marker in NUMBERS:
            return self._numbers(marker, 1)[0]
        if marker == b"S":
            return self._text()
        if marker not in (b"{", b"["):
            raise DataError(f"unknown marker {marker!r} at byte {self.place - 1:,}")
        self._depth += 1
        if self._depth > DEEPEST:
            raise DataError(f"more than {DEEPEST} values are inside each other")
        inner = self._object() if marker == b"{" else self._array()
        self._depth -= 1
        return inner

    def _object(self) -> dict[str, Any]:
        values: dict[str, Any] = {}
        while self._content[self.place : self.place + 1] != b"}":
            name = self._text()
            if name in values:
                raise DataError(f"two values are called {name!r}")
            values[name] = self.value(self.take(1))
        self.place += 1
        return values

    def _array(self) -> list[Any]:
        if self._is_next(b"$"):
            marker = self.take(1)
            if marker not in NUMBERS or not self._is_next(b"#"):
                raise DataError(f"unknown kind of array at byte {self.place:,}")
            return self._numbers(marker, self._length())
        if self._is_next(b"#"):
            return [self.value(self.take(1)) for _ in range(self._length())]
        values = []
        while not self._is_next(b"]"):
            values.append(self.value(self.take(1)))
        return values

    def _is_next(self, marker: bytes) -> bool:
        """Whether a marker is next; if so, it is taken."""
        is_next = self._content[self.place : self.place + 1] == marker
        self.place += is_next
        return is_next

    def _numbers(self, marker: bytes, length: int) -> list[Any]:
        kind = np.dtype(NUMBERS[marker])
        return np.frombuffer(self.take(length * kind.itemsize), kind).tolist()

    def _length(self) -> int:
        marker = self.take(1)
        if marker not in LENGTHS:
            raise DataError(f"expected a length at byte {self.place - 1:,}")
        return int(self._numbers(marker, 1)[0])

    def _text(self) -> str:
        return self.take(self._length()).decode()
