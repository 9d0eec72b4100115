"""Reading zstd strictly: a file that ends in the middle of a frame is an error, not a shorter file."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

CHUNK = 1 << 20


class ZstdFile(io.RawIOBase):
    """The decompressed bytes of all frames of a file. Wrap it in a BufferedReader."""

    def __init__(self, path: Path) -> None:
        import zstandard

        self._new_frame = zstandard.ZstdDecompressor().decompressobj
        self._file = path.open("rb")
        self._frame = self._new_frame()
        self._compressed = b""
        self._ready = b""

    def readable(self) -> bool:
        """It is for reading."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with what comes next; 0 at the end of the last frame."""
        while not self._ready:
            self._compressed = self._compressed or self._file.read(CHUNK)
            if not self._compressed:
                if self._frame.eof or not self._file.tell():
                    return 0
                raise EOFError("the file ends in the middle of a frame")
            if self._frame.eof:
                self._frame = self._new_frame()
            self._ready = self._frame.decompress(self._compressed)
            self._compressed = self._frame.unused_data if self._frame.eof else b""
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def close(self) -> None:
        """Close the file underneath too."""
        self._file.close()
        super().close()
