"""Arrow streams: batches of text and numbers from a database, read from memory without a further package.

The structures are those of the Arrow C data interface and of the C stream interface.
"""

from __future__ import annotations

import ctypes
from collections.abc import Generator
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_void_p, pythonapi
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats

Offsets = NDArray[np.int32] | NDArray[np.int64]


class _Array(Structure):
    """A column, or a table whose children are columns."""


_Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(_Array))),
    ("dictionary", c_void_p),
    ("release", ctypes.CFUNCTYPE(None, c_void_p)),
    ("private_data", c_void_p),
]


class _Schema(Structure):
    """The type of a column, or of a table."""


_Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_char_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(_Schema))),
    ("dictionary", c_void_p),
    ("release", ctypes.CFUNCTYPE(None, c_void_p)),
    ("private_data", c_void_p),
]


class _Stream(Structure):
    """Returns one table after the other."""

    _fields_ = (
        ("get_schema", ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(_Schema))),
        ("get_next", ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(_Array))),
        ("get_last_error", ctypes.CFUNCTYPE(c_char_p, c_void_p)),
        ("release", ctypes.CFUNCTYPE(None, c_void_p)),
        ("private_data", c_void_p),
    )


_pointer_of = pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = c_void_p, [ctypes.py_object, c_char_p]

TEXT, NUMBER = b"u", b"g"
"""The formats of a column of UTF-8 text with offsets of 32 bits, and of a column of 64-bit floats."""


class StreamError(Exception):
    """The database could not go on, or it returned other types than expected."""


@dataclass(frozen=True, eq=False)
class TextColumn:
    """Texts in one array of bytes, and where each begins; the last offset is the end. Valid until the next batch."""

    data: NDArray[np.uint8]
    offsets: Offsets

    def texts(self) -> list[str]:
        """Each text."""
        data, ends = self.data.tobytes(), self.offsets.tolist()
        return [data[start:end].decode("utf-8") for start, end in pairwise(ends)]


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows of queries, documents and scores. Valid until the next batch."""

    queries: TextColumn
    documents: TextColumn
    scores: Floats

    def __len__(self) -> int:
        return len(self.scores)


def read_batches(relation: Any) -> Generator[Batch, None, None]:
    """The rows of a relation with two columns of text and one of 64-bit floats; StreamError if a value is missing."""
    capsule = relation.__arrow_c_stream__()
    address = _pointer_of(capsule, b"arrow_array_stream")
    stream = _Stream.from_address(address)
    schema = _Schema()
    _check(stream.get_schema(address, ctypes.byref(schema)), stream, address)
    formats = [schema.children[number].contents.format for number in range(schema.n_children)]
    schema.release(ctypes.addressof(schema))
    if formats != [TEXT, TEXT, NUMBER]:
        raise StreamError(f"the columns have the formats {formats}")
    while True:
        table = _Array()
        _check(stream.get_next(address, ctypes.byref(table)), stream, address)
        if not table.release:
            break
        try:
            if table.length:
                yield _batch(table)
        finally:
            table.release(ctypes.addressof(table))
    del capsule  # it owns the stream


def _check(code: int, stream: _Stream, address: int) -> None:
    if code:
        raise StreamError((stream.get_last_error(address) or b"").decode("utf-8", "replace"))


def _batch(table: _Array) -> Batch:
    queries, documents, scores = (table.children[number].contents for number in range(3))
    for column in (queries, documents, scores):
        if column.null_count and column.buffers[0]:
            raise StreamError("a value is missing")
    values = _view(scores.buffers[1], np.dtype("<f8"), scores.offset + scores.length)[scores.offset :]
    return Batch(_text(queries), _text(documents), values)


def _text(column: _Array) -> TextColumn:
    offsets = _view(column.buffers[1], np.dtype("<i4"), column.offset + column.length + 1)[column.offset :]
    return TextColumn(_view(column.buffers[2], np.dtype(np.uint8), int(offsets[-1])), offsets)


def _view(address: int | None, kind: np.dtype[Any], length: int) -> NDArray[Any]:
    """An array over memory that belongs to the table."""
    if not length or address is None:
        return np.zeros(length, dtype=kind)
    memory = (ctypes.c_char * (length * kind.itemsize)).from_address(address)
    return np.ndarray((length,), dtype=kind, buffer=memoryview(memory))
