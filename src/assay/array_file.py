"""Array files: named arrays in one file that is memory-mapped, with a description and checksums.

Such a file is a cache. It is written completely or not at all, and a damaged file is detected before it is used.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from assay.atomic_write import atomic_write

START = b"assay arrays 1\n"
"""The first bytes of a file; the number grows when the layout changes."""
LINE, LINE_LENGTH = re.compile(START + rb"([0-9a-f]{8}) ([0-9a-f]{8})\n"), 18
"""The start, the length of the header and its checksum."""
ALIGNMENT = 64
"""Every array starts at a multiple of so many bytes."""
MAX_HEADER = 1 << 24
BLOCK = 1 << 22
KIND = re.compile("[<>|][biuf][1248]")
"""Booleans and numbers, as NumPy names them."""

Array: TypeAlias = npt.NDArray[Any]
Arrays: TypeAlias = Mapping[str, Array]


class DamagedFile(ValueError):
    """A file that is not complete, or whose content has changed since it was written."""


@dataclass(frozen=True)
class ArrayFile:
    """The content of a file: what it is about, and its arrays, which stay on disk until they are used."""

    about: dict[str, Any]
    arrays: Arrays


class _Place(msgspec.Struct, frozen=True, array_like=True):
    """The place of an array after the header."""

    kind: str
    shape: list[int]
    position: int
    checksum: int

    @property
    def n_bytes(self) -> int:
        """Its size. DamagedFile if there is no such array."""
        if not KIND.fullmatch(self.kind) or min((0, self.position, *self.shape)) < 0:
            raise DamagedFile("the header has an impossible array")
        return int(self.kind[2:]) * math.prod(self.shape)


class _Header(msgspec.Struct, frozen=True):
    """The description of a file and the places of its arrays."""

    about: dict[str, Any]
    arrays: dict[str, _Place]
    n_bytes: int


def write_arrays(path: Path, about: Mapping[str, Any], arrays: Arrays) -> None:
    """Write the arrays. A failure is a DataError, and the file appears completely or not at all."""
    ready = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    position, places = 0, {}
    for name, array in ready.items():
        places[name] = _Place(array.dtype.str, list(array.shape), position, zlib.crc32(_bytes_of(array)))
        position += -(-array.nbytes // ALIGNMENT) * ALIGNMENT
    header = msgspec.json.encode(_Header(dict(about), places, position))
    with atomic_write(path, durable=False, is_text=False) as file:
        file.write(START + b"%08x %08x\n" % (len(header), zlib.crc32(header)) + header)
        file.write(bytes(-file.tell() % ALIGNMENT))
        for array in ready.values():
            file.write(_bytes_of(array))
            file.write(bytes(-array.nbytes % ALIGNMENT))


def _bytes_of(array: Array) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def read_about(path: Path) -> dict[str, Any]:
    """What a file is about, without its arrays. DamagedFile if it is not such a file."""
    with path.open("rb") as file:
        return _read_header(file).about


def open_arrays(path: Path) -> ArrayFile:
    """The content of a file, after the arrays were checked. DamagedFile if the file is damaged, OSError if there is none."""
    with path.open("rb") as file:
        header = _read_header(file)
        start = -(-file.tell() // ALIGNMENT) * ALIGNMENT
        if file.seek(0, 2) != start + header.n_bytes:
            raise DamagedFile(f"{path} has the wrong length")
        arrays = {}
        for name, place in header.arrays.items():
            if place.position + place.n_bytes > header.n_bytes:
                raise DamagedFile(f"{path} has an array that does not fit into the file")
            if _checksum(file, start + place.position, place.n_bytes) != place.checksum:
                raise DamagedFile(f"the content of {path} has changed")
            shape = tuple(place.shape)
            whole = np.memmap(file, place.kind, "r", start + place.position, shape) if place.n_bytes else None
            arrays[name] = np.asarray(whole) if whole is not None else np.zeros(shape, place.kind)
    return ArrayFile(header.about, arrays)


def _read_header(file: IO[bytes]) -> _Header:
    line = LINE.fullmatch(file.read(len(START) + LINE_LENGTH))
    size, checksum = (int(line[1], 16), int(line[2], 16)) if line else (0, 0)
    header = file.read(min(size, MAX_HEADER))
    if line is None or len(header) != size or zlib.crc32(header) != checksum:
        raise DamagedFile("the start of the file is damaged")
    try:
        return msgspec.json.decode(header, type=_Header)
    except (ValueError, RecursionError):
        raise DamagedFile("the header is damaged") from None


def _checksum(file: IO[bytes], start: int, n_bytes: int) -> int:
    """The checksum of some bytes. They are read block by block, so that they do not count as memory of the process."""
    file.seek(start)
    checksum = 0
    while n_bytes > 0 and (block := file.read(min(n_bytes, BLOCK))):
        checksum, n_bytes = zlib.crc32(block, checksum), n_bytes - len(block)
    return checksum
