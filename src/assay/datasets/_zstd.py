"""Reading zstd strictly and block by block: a file that ends inside a frame is an error, a block is never a gigabyte."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

MAGIC = 0xFD2FB528
SKIPPABLE = 0x184D2A50
"""First number of a frame that holds nothing to decompress, whatever its last four bits."""
LONGEST_HEADER = 18
BLOCK_HEADER, CHECKSUM = 3, 4
RLE = 1
"""The type of a block that is one byte repeated."""


class ZstdFile(io.RawIOBase):
    """The decompressed bytes of all frames of a file. Wrap it in a BufferedReader.

    Blocks are handed to the decompressor one at a time, and each becomes 128 KiB at most, so memory stays small
    whatever the file claims.
    """

    def __init__(self, path: Path) -> None:
        import zstandard

        self._zstandard = zstandard
        self._file = path.open("rb")
        self._frame: Any = None
        self._has_checksum = False
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        """It is for reading."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with what comes next; 0 at the end of the last frame."""
        while not self._ready:
            if self._frame is None and not self._begin_frame():
                return 0
            if self._frame is not None:
                self._ready = memoryview(self._next_block())
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _begin_frame(self) -> bool:
        """Read the header of the next frame, or pass over a skippable one; False at the end of the file."""
        head = self._file.read(LONGEST_HEADER)
        if not head:
            return False
        magic = int.from_bytes(head[:4], "little")
        if magic & ~0xF == SKIPPABLE:
            self._file.seek(8 - len(head), io.SEEK_CUR)
            self._skip(int.from_bytes(head[4:8], "little") if len(head) >= 8 else 1 << 32)
            return True
        if magic != MAGIC and len(head) >= 4:
            raise self._zstandard.ZstdError("what follows the last frame is no frame")
        try:
            size = self._zstandard.frame_header_size(head)
            self._has_checksum = self._zstandard.get_frame_parameters(head).has_checksum
        except self._zstandard.ZstdError:
            if len(head) < LONGEST_HEADER:
                raise EOFError("the file ends in the middle of a frame") from None
            raise
        self._file.seek(size - len(head), io.SEEK_CUR)
        self._frame = self._zstandard.ZstdDecompressor().decompressobj()
        self._frame.decompress(head[:size])
        return True

    def _skip(self, n_bytes: int) -> None:
        while n_bytes:
            n_bytes -= len(self._whole(min(n_bytes, 1 << 20)))

    def _next_block(self) -> bytes:
        header = self._whole(BLOCK_HEADER)
        number = int.from_bytes(header, "little")
        is_last, kind, size = number & 1, number >> 1 & 3, number >> 3
        packed = header + self._whole(1 if kind == RLE else size)
        if is_last and self._has_checksum:
            packed += self._whole(CHECKSUM)
        found: bytes = self._frame.decompress(packed)
        if is_last:
            if not self._frame.eof:
                raise EOFError("the file ends in the middle of a frame")
            self._frame = None
        return found

    def _whole(self, n_bytes: int) -> bytes:
        found = self._file.read(n_bytes)
        if len(found) < n_bytes:
            raise EOFError("the file ends in the middle of a frame")
        return found

    def close(self) -> None:
        """Close the file underneath too."""
        self._file.close()
        super().close()
