"""Array files: named arrays in one file that is memory-mapped, with a description and checksums.

Such a file is a cache. It is written completely or not at all, and a damaged file is detected before it is used.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.atomic_write import atomic_write

START = b"assay arrays 1\n"
"""The first bytes of a file; the number grows when the layout changes."""
ALIGNMENT = 64
"""Every array starts at a multiple of so many bytes."""
MAX_HEADER = 1 << 24
BLOCK = 1 << 22
NUMBERS = "biuf"
"""Kinds of arrays: booleans and numbers."""

Array: TypeAlias = npt.NDArray[Any]
Arrays: TypeAlias = Mapping[str, Array]


class DamagedFile(ValueError):
    """A file that is not complete, or whose content has changed since it was written."""


@dataclass(frozen=True)
class ArrayFile:
    """The content of a file: what it is about, and its arrays, which stay on disk until they are used."""

    about: dict[str, Any]
    arrays: Arrays


def write_arrays(path: Path, about: Mapping[str, Any], arrays: Arrays) -> None:
    """Write the arrays. A failure is a DataError, and the file appears completely or not at all."""
    ready = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    position, places = 0, {}
    for name, array in ready.items():
        places[name] = [array.dtype.str, list(array.shape), position, zlib.crc32(_bytes_of(array))]
        position += -(-array.nbytes // ALIGNMENT) * ALIGNMENT
    header = json.dumps({"about": dict(about), "arrays": places, "n_bytes": position}).encode()
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
        about: dict[str, Any] = _read_header(file)["about"]
        return about


def open_arrays(path: Path) -> ArrayFile:
    """The content of a file, after the arrays were checked. DamagedFile if the file is damaged, OSError if there is none."""
    with path.open("rb") as file:
        header = _read_header(file)
        start = -(-file.tell() // ALIGNMENT) * ALIGNMENT
        if file.seek(0, 2) != start + header["n_bytes"]:
            raise DamagedFile(f"{path} has the wrong length")
        arrays = {}
        for name, (kind, shape, position, checksum) in header["arrays"].items():
            dtype = np.dtype(kind)
            n_bytes = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
            if dtype.kind not in NUMBERS or position + n_bytes > header["n_bytes"]:
                raise DamagedFile(f"{path} has an array that does not fit into the file")
            if _checksum(file, start + position, n_bytes) != checksum:
                raise DamagedFile(f"the content of {path} has changed")
            whole = np.memmap(file, dtype, "r", start + position, tuple(shape)) if n_bytes else np.zeros(tuple(shape), dtype)
            arrays[name] = np.asarray(whole)
    return ArrayFile(header["about"], arrays)


def _read_header(file: IO[bytes]) -> dict[str, Any]:
    line = file.read(len(START) + 18)
    try:
        size, checksum = int(line[len(START) : len(START) + 8], 16), int(line[len(START) + 9 :], 16)
    except ValueError:
        raise DamagedFile("the start of the file is damaged") from None
    header = file.read(min(size, MAX_HEADER))
    if not line.startswith(START) or len(header) != size or zlib.crc32(header) != checksum:
        raise DamagedFile("the start of the file is damaged")
    content: dict[str, Any] = json.loads(header)
    return content


def _checksum(file: IO[bytes], start: int, n_bytes: int) -> int:
    """The checksum of some bytes. They are read block by block, so that they do not count as memory of the process."""
    file.seek(start)
    checksum = 0
    while n_bytes > 0 and (block := file.read(min(n_bytes, BLOCK))):
        checksum, n_bytes = zlib.crc32(block, checksum), n_bytes - len(block)
    return checksum
