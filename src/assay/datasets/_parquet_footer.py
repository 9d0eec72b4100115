"""The ends of a Parquet file: the magic, and the footer, walked before the database reads it.

No list in the footer is longer than what is left of it. The database makes room for as many
row groups and columns as a footer claims, so one changed byte could cost gigabytes. The footer is in
Thrift's compact protocol, in which every element takes a byte at least.
"""

from __future__ import annotations

import io
from pathlib import Path

MAGIC = b"PAR1"
END = 8
"""Bytes behind the footer: its length, and the magic."""
DEEPEST = 30
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
MANY = 15
"""The length of a list that stands in a number of its own."""


def is_sound_footer(path: Path) -> bool:
    """Whether the file begins as it must, and its footer holds what it claims. What else is wrong, the database says."""
    with path.open("rb") as file:
        begins_right = file.read(len(MAGIC)) == MAGIC
        size = file.seek(0, io.SEEK_END)
        if not begins_right or size < len(MAGIC) + END:
            return False
        file.seek(size - END)
        length, magic = int.from_bytes(file.read(4), "little"), file.read(4)
        if magic != MAGIC or length > size - END - len(MAGIC):
            return False
        file.seek(size - END - length)
        footer = _Footer(file.read(length))
    try:
        footer.skip_struct(0)
    except (IndexError, ValueError):
        return False
    return True


class _Footer:
    """A place in the bytes of a footer. IndexError at their end, ValueError where they claim too much."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def skip_struct(self, depth: int) -> None:
        """Over all fields of a struct, up to its end."""
        while head := self._byte():
            if not head >> 4:
                self._number()  # of the field, where it is far from the last
            if head & 15 not in (TRUE, FALSE):
                self._skip(head & 15, depth)

    def _skip(self, kind: int, depth: int) -> None:
        if depth > DEEPEST:
            raise ValueError("nested too deeply")
        if kind in (TRUE, FALSE, BYTE):
            self._forward(1)
        elif kind in (I16, I32, I64):
            self._number()
        elif kind == DOUBLE:
            self._forward(8)
        elif kind == BINARY:
            self._forward(self._number())
        elif kind in (LIST, SET):
            head = self._byte()
            count = head >> 4 if head >> 4 < MANY else self._number()
            self._skip_all([head & 15], count, depth)
        elif kind == MAP:
            if count := self._number():
                kinds = self._byte()
                self._skip_all([kinds >> 4, kinds & 15], count, depth)
        elif kind == STRUCT:
            self.skip_struct(depth + 1)
        else:
            raise ValueError(f"no type {kind}")

    def _skip_all(self, kinds: list[int], count: int, depth: int) -> None:
        if count > len(self.data) - self.place:
            raise ValueError("more elements than bytes")
        for _ in range(count):
            for kind in kinds:
                self._skip(kind, depth + 1)

    def _byte(self) -> int:
        self.place += 1
        return self.data[self.place - 1]

    def _number(self) -> int:
        found = shift = 0
        while (byte := self._byte()) & 0x80:
            found |= (byte & 0x7F) << shift
            shift += 7
            if shift > 63:
                raise ValueError("a number without end")
        return found | byte << shift

    def _forward(self, n_bytes: int) -> None:
        self.place += n_bytes
        if self.place > len(self.data):
            raise IndexError
