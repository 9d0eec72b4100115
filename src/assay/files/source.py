"""FileSource: where bytes come from. A path, standard input or a stream; plain or compressed; and what is in it."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import stat
import sys
import weakref
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import IO, Any

from assay.errors import AssayError, DataError
from assay.files.columns import is_header
from assay.files.limits import LONGEST_LINE, LinedFile, UnpackedFile
from assay.temporary_files import TemporaryFile

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd", ".xz": "xz", ".bz2": "bzip2"}
MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zX": "xz", b"BZh": "bzip2"}
"""First bytes of compressed files."""
KINDS = {".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "table", ".tsv": "table", ".parquet": "parquet"}
OTHER_ENDINGS = (".txt", ".run", ".trec", ".res", ".results", ".qrels")
FOREIGN = {
    b"PK\x03\x04": "an Excel workbook or a zip archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
    b"\x80\x04": "a pickle",
}
"""First bytes of files that people try and that cannot be read."""
BOM = b"\xef\xbb\xbf"
BLOCK = 1 << 20
"""Bytes of a stream that are taken at once."""


class FileSource:
    """A file to read once or more. Streams are spooled to a temporary file that lives as long as this object."""

    def __init__(self, path: str | os.PathLike[str], label: str = "") -> None:
        self.path = Path(path)
        self.label = label or str(path)
        self.notes: tuple[str, ...] = ()
        """What a reader of results should know about how it was read."""

    @classmethod
    def at(cls, path: str | os.PathLike[str]) -> FileSource:
        """The file at a path. A pipe, which can be read only once, is spooled; a device, which may never end, refused."""
        source = cls(path)
        with source._explained():
            status = source.path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise DataError("is a folder, not a file", source=source.label)
        if stat.S_ISREG(status.st_mode):
            return source
        if _is_device(status):
            message = "is a device, which may never end; give a file, a pipe, or - for standard input"
            raise DataError(message, source=source.label)
        with source._explained(), source.path.open("rb") as stream:
            return cls.spool(stream, source.label)

    @classmethod
    def spool(cls, stream: IO[Any], label: str) -> FileSource:
        """Take everything a stream has to give, now."""
        with cls(label)._explained():
            start = stream.read(BLOCK)
            if isinstance(start, str):
                try:
                    stream, start = io.BytesIO((start + stream.read()).encode()), b""
                except UnicodeEncodeError as error:
                    raise DataError(f"holds text that cannot be written as UTF-8: {error.reason}", source=label) from None
            if start and not start.strip(b"\0"):
                raise DataError("begins with nothing but zero bytes; a file of text or Parquet is needed", source=label)
            copy = _copy_of(stream, start)
        source = cls(copy.path, label)
        weakref.finalize(source, copy.close)
        return source

    @property
    def name(self) -> str:
        """The file's name without folders and endings: what a run is called in tables."""
        name = Path(self.label).name
        for ending in (*COMPRESSIONS, *KINDS, *OTHER_ENDINGS):
            name = name.removesuffix(ending)
        return name or self.label

    @cached_property
    def magic(self) -> bytes:
        """The first four bytes, which tell some kinds of file."""
        with self._explained(), self.path.open("rb") as file:
            return file.read(4)

    @cached_property
    def start(self) -> bytes:
        """The first four bytes, decompressed."""
        if not self.compression:
            return self.magic
        with self.reading() as file:
            return file.read(4)

    @property
    def compression(self) -> str | None:
        """`gzip`, `zstd`, `xz`, `bzip2` or None, by the first bytes."""
        return next((name for magic, name in MAGIC.items() if self.magic.startswith(magic)), None)

    def open(self) -> IO[bytes]:
        """The decompressed bytes. More than may come out of a compressed file is a DataError."""
        if not self.compression:
            return self.path.open("rb")
        return io.BufferedReader(UnpackedFile(self._unpacked(), self.path, self.label), BLOCK)

    def _unpacked(self) -> Any:
        """The compressed file, opened by what unpacks it."""
        if self.compression == "gzip":
            return gzip.open(self.path, "rb")
        if self.compression == "zstd":
            return ZstdFile(self.path)
        if self.compression == "xz":
            import lzma

            return lzma.open(self.path, "rb")
        import bz2

        return bz2.open(self.path, "rb")

    @contextmanager
    def reading(self) -> Iterator[IO[bytes]]:
        """The open file; what goes wrong while it is read becomes a DataError."""
        with self._explained(), self.open() as file:
            yield file

    @contextmanager
    def reading_lines(self) -> Iterator[IO[bytes]]:
        """The open file, to be read line by line; a line without end becomes a DataError as well."""
        with self._explained(), io.BufferedReader(LinedFile(self.open(), self.label), BLOCK) as file:
            yield file

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """What goes wrong while reading, as a DataError that names the file."""
        try:
            yield
        except AssayError:
            raise
        except FileNotFoundError:
            raise DataError("no such file", source=self.label) from None
        except MemoryError:
            raise DataError("reading it needs more memory than there is", source=self.label) from None
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise DataError(f"the compressed file is damaged: {error}", source=self.label) from None
        except OSError as error:
            is_damage = error.errno is None and self.compression == "bzip2"  # which has no error of its own
            message = "the compressed file is damaged" if is_damage else "cannot be read"
            raise DataError(f"{message}: {error.strerror or error}", source=self.label) from None
        except ValueError as error:  # a path with a NUL in it
            raise DataError(f"cannot be read: {error}", source=self.label) from None
        except Exception as error:
            if type(error).__name__ not in ("ZstdError", "LZMAError"):
                raise
            raise DataError(f"the compressed file is damaged: {error}", source=self.label) from None

    def note(self, what: str) -> None:
        """Remember something about how the file was read; a note that is there already is not repeated."""
        self.notes = tuple(dict.fromkeys((*self.notes, f"{self.label}: {what}")))

    def content(self) -> bytes:
        """Everything at once, without byte-order mark."""
        with self.reading() as file:
            return file.read().removeprefix(BOM)

    def lines(self, *, comments: bool = False) -> Iterator[tuple[int, bytes]]:
        """Numbered lines that say something: no blank lines, no byte-order mark; comments (`#` first) if asked for."""
        with self.reading_lines() as file:
            for number, line in enumerate(_split_at_carriage_returns(file), 1):
                if number == 1:
                    line = line.removeprefix(BOM)
                if (comments or line[:1] != b"#") and line.strip():
                    yield number, line

    @cached_property
    def plain_path(self) -> Path:
        """A file that is not compressed: this one, or a checked copy of it."""
        if not self.compression:
            return self.path
        with self.reading() as file:
            copy = _copy_of(file)
        weakref.finalize(self, copy.close)
        return copy.path

    @cached_property
    def first_line(self) -> bytes:
        """The first line with something in it; empty for an empty file. Of a line without end only the beginning."""
        with self.reading() as file:
            pieces = _split_at_carriage_returns(iter(partial(file.readline, LONGEST_LINE), b""))
            for number, line in enumerate(pieces):
                line = line if number else line.removeprefix(BOM)
                if line[:1] != b"#" and line.strip():
                    return line
        return b""

    @cached_property
    def kind(self) -> str:
        """What the file holds: `trec`, `table` (delimited, with header), `json`, `jsonl` or `parquet`."""
        if self.start == b"PAR1":
            return "parquet"
        for magic, what in FOREIGN.items():
            if self.start.startswith(magic):
                raise DataError(f"this is {what}; save it as CSV or JSON in UTF-8", source=self.label)
        endings = [ending.lower() for ending in Path(self.label).suffixes if ending not in COMPRESSIONS]
        by_name = KINDS.get(endings[-1]) if endings else None
        if by_name in ("json", "jsonl", "parquet"):
            return by_name
        start = self.first_line.strip()
        if start[:1] in (b"{", b"["):
            return "jsonl" if start[:1] == b"{" and start[-1:] == b"}" and self._has_second_object() else "json"
        return "table" if is_header(start) or (by_name == "table" and b"," in start) else "trec"

    def _has_second_object(self) -> bool:
        if len(self.first_line) >= LONGEST_LINE:
            return False
        lines = self.lines()
        next(lines)
        return next(lines, (0, b""))[1].lstrip()[:1] == b"{"


def plain_name(name: str) -> str:
    """The name of a file without the ending of its compression: `corpus.jsonl` of `corpus.jsonl.xz`."""
    return next((name.removesuffix(ending) for ending in COMPRESSIONS if name.endswith(ending)), name)


def _split_at_carriage_returns(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Lines that end in CR alone, as old files have them, are lines too."""
    for line in lines:
        if b"\r" in line[:-2]:
            yield from line.splitlines(keepends=True)
        else:
            yield line


def _is_device(status: os.stat_result) -> bool:
    """Whether it is a disk, a terminal or the like; what somebody put at standard input is meant, whatever it is."""
    if not (stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode)):
        return False
    try:
        return not os.path.samestat(status, os.fstat(sys.stdin.fileno()))
    except (AttributeError, OSError, ValueError):  # there is no standard input
        return True


def _copy_of(stream: IO[bytes], start: bytes = b"") -> TemporaryFile:
    """A temporary file with everything left in the stream; where that cannot be had to the end, none is left behind."""
    copy = TemporaryFile()
    try:
        with copy.path.open("wb") as file:  # closed here, a full disk is still told apart
            file.write(start)
            shutil.copyfileobj(stream, file, BLOCK)
    except BaseException:
        copy.close()
        raise
    return copy


def as_source(source: Any) -> Any:
    """A FileSource for paths, `-` and streams; a lazy frame, collected; anything else as it is."""
    if isinstance(source, FileSource):
        return source
    if hasattr(source, "collect_schema") and not hasattr(source, "__len__"):
        return source.collect()
    if isinstance(source, str) and source == "-":
        return FileSource.spool(sys.stdin.buffer, "<stdin>")
    if isinstance(source, str | os.PathLike):
        return FileSource.at(source)
    if hasattr(source, "read"):
        return FileSource.spool(source, str(getattr(source, "name", "<stream>")))
    return source


ZSTD_MAGIC = 0xFD2FB528
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
        if magic != ZSTD_MAGIC and len(head) >= 4:
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
        data: bytes = self._frame.decompress(packed)
        if is_last:
            if not self._frame.eof:
                raise EOFError("the file ends in the middle of a frame")
            self._frame = None
        return data

    def _whole(self, n_bytes: int) -> bytes:
        data = self._file.read(n_bytes)
        if len(data) < n_bytes:
            raise EOFError("the file ends in the middle of a frame")
        return data

    def close(self) -> None:
        """Close the file underneath too."""
        self._file.close()
        super().close()
