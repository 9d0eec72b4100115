"""Blocks of a TREC run: NumPy finds the columns of many lines at once.

A block is plain if every line has six columns with one space or tab between them. Anything else is Unusual, and another
reader reads the file and explains what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import IO

import numpy as np

from assay.arrays import Floats, Ints
from assay.errors import DataError
from assay.files.blocks.byte_fields import PADDING, ByteFields, Bytes
from assay.files.blocks.decimals import parse_decimals
from assay.files.source import BOM

BLOCK = 1 << 20
"""Bytes that are read at a time."""
LARGEST_BLOCK = 1 << 26
"""Bytes of the rows of one query; a query with more is counted in two passes, which do not need all of its rows at once."""
WIDTH = 6
"""Columns of a line."""
NEWLINE, HASH_SIGN = b"\n#"
SPACES = b" \t"
SPACE = np.uint8(ord(" "))


class Unusual(Exception):
    """Another reader must read this file."""


class NeedsTwoPasses(Exception):
    """The rows of a query are not together, or they are too many for a block."""


def read_blocks(file: IO[bytes], begin: int = 0, end: int | None = None, *, whole_queries: bool = True) -> Iterator[Block]:
    """The lines between two places of a file in blocks; with `whole_queries`, a block ends where a query ends."""
    size = BLOCK
    buffer = bytearray(PADDING + size + PADDING)
    if begin:
        file.seek(begin)
    left = None if end is None else end - begin
    filled, is_first, is_last = 0, begin == 0, False
    while not is_last:
        most = size if left is None else min(size, filled + left)
        with memoryview(buffer) as view:
            n_read = _fill(file, view[PADDING + filled : PADDING + most])
        left = None if left is None else left - n_read
        filled, is_last = filled + n_read, filled + n_read < size
        if is_first and buffer[PADDING : PADDING + len(BOM)] == BOM:
            raise Unusual
        is_first = False
        if is_last and filled and buffer[PADDING + filled - 1] != NEWLINE:
            buffer[PADDING + filled] = NEWLINE
            filled += 1
        last = buffer.rfind(b"\n", PADDING, PADDING + filled) + 1
        block = Block.of(np.frombuffer(buffer, dtype=np.uint8), PADDING, last) if last else None
        used = 0
        if block is not None:
            block = block.without_last_query() if whole_queries and not is_last else block
            if len(block.start):
                yield block
                used = block.end - PADDING
        if used:
            unfinished = bytes(buffer[PADDING + used : PADDING + filled])
            del block
            buffer[PADDING : PADDING + len(unfinished)] = unfinished
            filled = len(unfinished)
        elif not is_last:
            if size >= LARGEST_BLOCK:
                raise NeedsTwoPasses if whole_queries else Unusual
            size *= 2
            buffer = buffer[: PADDING + filled] + bytes(size - filled + PADDING)


def _fill(file: IO[bytes], view: memoryview) -> int:
    """Read until the view is full or the file ends."""
    filled = 0
    while filled < len(view):
        n_read = file.readinto(view[filled:])  # type: ignore[attr-defined]
        if not n_read:
            break
        filled += n_read
    return filled


@dataclass(frozen=True, eq=False)
class Block:
    """Lines of six columns: where the columns end, and where the rows of each query begin."""

    data: Bytes
    marks: Ints
    """For each line, the place of the byte after each column."""
    line: Ints
    """For each line, the place of its first byte."""
    start: Ints
    """For each query, its first line."""
    end: int
    """The place after the last line."""

    @classmethod
    def of(cls, data: Bytes, begin: int, end: int) -> Block:
        """The lines between two places; Unusual if they are not plain lines of six columns with one mark between them."""
        is_mark = data[:end] <= SPACE
        is_mark[:begin] = False
        places = np.flatnonzero(is_mark)
        if len(places) % WIDTH or (is_mark[1:] & is_mark[:-1]).any():
            raise Unusual
        marks = places.reshape(-1, WIDTH)
        line = np.empty(len(marks), dtype=np.int64)
        line[0] = begin
        np.add(marks[:-1, 5], 1, out=line[1:])
        _check_lines(data, marks, line, data[begin:end])
        queries = ByteFields(data, line, marks[:, 0] - line)
        return cls(data, marks, line, np.flatnonzero(queries.differs_from_previous()), end)

    def without_last_query(self) -> Block:
        """The block without the last query, which may go on after it."""
        last = int(self.start[-1])
        return Block(self.data, self.marks[:last], self.line[:last], self.start[:-1], int(self.line[last]))

    def __len__(self) -> int:
        return len(self.line)

    @property
    def n_bytes(self) -> int:
        """The bytes of its lines."""
        return self.end - int(self.line[0])

    @cached_property
    def ends(self) -> Ints:
        """For each query, the line after its last one."""
        return np.append(self.start[1:], len(self))

    @cached_property
    def documents(self) -> ByteFields:
        """The ids of documents."""
        begin = self.marks[:, 1] + 1
        return ByteFields(self.data, begin, self.marks[:, 2] - begin)

    @cached_property
    def queries(self) -> ByteFields:
        """The id of each query; a query whose lines are not together appears several times."""
        begin = self.line[self.start]
        return ByteFields(self.data, begin, self.marks[self.start, 0] - begin)

    def scores(self) -> Floats:
        """The score of each line."""
        try:
            return parse_decimals(self.data, self.marks[:, 3] + 1, self.marks[:, 4])
        except DataError:
            raise Unusual from None


def _check_lines(data: Bytes, marks: Ints, line: Ints, text: Bytes) -> None:
    """Every line has five equal spaces or tabs and a line end, and is neither a comment nor broken text.

    `marks` are all places of white space, none beside another. If each sixth is a line end, and if the others are as many as
    the spaces, they are spaces.
    """
    mark = data[marks[0, 0]]
    n_marks = np.count_nonzero(text == mark)
    is_plain = mark in SPACES and n_marks == 5 * len(marks) and (data[marks[:, 5]] == NEWLINE).all()
    if not is_plain or marks[0, 0] == line[0] or (data[line] == HASH_SIGN).any():
        raise Unusual
    if text.max() > 127:
        try:
            str(text.data, "utf-8")
        except UnicodeDecodeError:
            raise Unusual from None
