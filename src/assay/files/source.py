"""FileSource: a path, standard input or a stream, plain or compressed, and the kind of data in it."""

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
from typing import IO, Any, BinaryIO

from assay.errors import AssayError, DataError, UsageError, current_leniency, first_faults
from assay.files.columns import is_header
from assay.files.limits import LONGEST_LINE, LinedFile, UnpackedFile
from assay.files.reading import note_opened
from assay.temporary_files import TemporaryFile
from assay.text import counted, printable

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
    b"%PDF": "a PDF",
}
"""First bytes of files that users may try but that cannot be read."""
MIN_NAME_SIMILARITY = 0.8
"""How similar the name of a file must be to be suggested; file names share extensions, so less is not enough."""
BOM = b"\xef\xbb\xbf"
DAMAGED = "the compressed file is damaged ({}). Download it or compress it again"
NOT_UTF8 = "not valid UTF-8; save the file as UTF-8"
BLOCK = 1 << 20
"""Bytes read from a stream at a time."""


class FileSource:
    """A file that can be read more than once. A stream is copied to a temporary file that exists as long as this object."""

    def __init__(self, path: str | os.PathLike[str], label: str = "") -> None:
        self.path = Path(path)
        note_opened(self.path)
        self.label = label or str(path)
        self.notes: tuple[str, ...] = ()
        """What users should know about how the file was read."""

    @classmethod
    def at(cls, path: str | os.PathLike[str]) -> FileSource:
        """The file at a path. A pipe is copied, because it can be read only once. A device is an error: it may never end."""
        source = cls(path)
        with source._explained():
            status = source.path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise DataError("expected a file, found a folder", source=source.label)
        if stat.S_ISREG(status.st_mode):
            return source
        if _is_device(status):
            message = "expected a file, a pipe, or - for standard input, found a device"
            raise DataError(message, source=source.label)
        with source._explained(), source.path.open("rb") as stream:
            return cls.spool(stream, source.label)

    @classmethod
    def spool(cls, stream: IO[Any], label: str) -> FileSource:
        """Copy everything from a stream now."""
        with cls(label)._explained():
            start = stream.read(BLOCK)
            if isinstance(start, str):
                try:
                    stream, start = io.BytesIO((start + stream.read()).encode()), b""
                except UnicodeEncodeError as error:
                    raise DataError(f"contains text that is not valid Unicode: {error.reason}", source=label) from None
            if start and not start.strip(b"\0"):
                raise DataError("expected text or Parquet, found only zero bytes at the start", source=label)
            copy = _copy_of(stream, start)
        source = cls(copy.path, label)
        weakref.finalize(source, copy.close)
        return source

    @property
    def name(self) -> str:
        """The file's name without folders and extensions: the name of a run in tables."""
        name = Path(self.label).name
        for ending in (*COMPRESSIONS, *KINDS, *OTHER_ENDINGS):
            name = name.removesuffix(ending)
        return name or self.label

    @cached_property
    def magic(self) -> bytes:
        """The first four bytes, which identify some kinds of file."""
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
        """The decompressed bytes. A compressed file that unpacks to more than the limit is a DataError."""
        if not self.compression:
            return self.path.open("rb")
        return io.BufferedReader(UnpackedFile(self._unpacked(), self.path, self.label), BLOCK)

    def _unpacked(self) -> Any:
        """The compressed file, opened with the matching decompressor."""
        if self.compression == "gzip":
            return gzip.open(self.path, "rb")
        if self.compression == "zstd":
            return ZstdFile(self.path.open("rb"))
        if self.compression == "xz":
            import lzma

            return lzma.open(self.path, "rb")
        import bz2

        return bz2.open(self.path, "rb")

    @contextmanager
    def reading(self) -> Iterator[IO[bytes]]:
        """The open file. Any error while it is read becomes a DataError."""
        with self._explained(), self.open() as file:
            yield file

    @contextmanager
    def reading_lines(self) -> Iterator[IO[bytes]]:
        """The open file, to be read line by line. A line that is too long is a DataError as well."""
        with self._explained(), io.BufferedReader(LinedFile(self.open(), self.label), BLOCK) as file:
            yield file

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn an error while reading into a DataError that names the file."""
        try:
            yield
        except AssayError:
            raise
        except FileNotFoundError:
            raise missing_file(self.label) from None
        except MemoryError:
            raise DataError("there is not enough memory to read the file", source=self.label) from None
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise DataError(DAMAGED.format(error), source=self.label) from None
        except OSError as error:
            is_damage = error.errno is None and self.compression == "bzip2"  # bzip2 has no exception type of its own
            message = DAMAGED if is_damage else "cannot be read: {}"
            raise DataError(message.format(error.strerror or error), source=self.label) from None
        except ValueError as error:  # a path that contains NUL
            raise DataError(f"cannot be read: {error}", source=self.label) from None
        except Exception as error:
            if type(error).__name__ not in ("ZstdError", "LZMAError"):
                raise
            raise DataError(DAMAGED.format(error), source=self.label) from None

    @contextmanager
    def left_out_noted(self) -> Iterator[None]:
        """Note the bad records that a reader leaves out meanwhile."""
        leniency = current_leniency()
        n_before = len(leniency.left_out) if leniency else 0
        yield
        if leniency and (faults := leniency.left_out[n_before:]):
            self.note(f"{counted(len(faults), 'bad record')} left out: {first_faults(faults)}.")

    def note(self, what: str) -> None:
        """Add a note about how the file was read. Repeated notes are added once."""
        self.notes = tuple(dict.fromkeys((*self.notes, f"{self.label}: {what}")))

    def content(self) -> bytes:
        """The whole content, without byte-order mark."""
        with self.reading() as file:
            return file.read().removeprefix(BOM)

    def lines(self, *, comments: bool = False) -> Iterator[tuple[int, bytes]]:
        """Numbered lines without blank lines and byte-order mark; with `comments`, also lines that start with `#`."""
        with self.reading_lines() as file:
            for number, line in enumerate(_split_at_carriage_returns(file), 1):
                if number == 1:
                    line = line.removeprefix(BOM)
                if (comments or line[:1] != b"#") and line.strip():
                    yield number, line

    @cached_property
    def plain_path(self) -> Path:
        """The path of an uncompressed file: this one, or a decompressed copy of it."""
        if not self.compression:
            return self.path
        with self.reading() as file:
            copy = _copy_of(file)
        weakref.finalize(self, copy.close)
        return copy.path

    @cached_property
    def first_line(self) -> bytes:
        """The first line that is not blank or a comment; empty for an empty file. Only the start of a very long line."""
        with self.reading() as file:
            pieces = _split_at_carriage_returns(iter(partial(file.readline, LONGEST_LINE), b""))
            for number, line in enumerate(pieces):
                line = line if number else line.removeprefix(BOM)
                if line[:1] != b"#" and line.strip():
                    return line
        return b""

    @cached_property
    def kind(self) -> str:
        """What the file contains: `trec`, `table` (delimited, with header), `json`, `jsonl` or `parquet`."""
        if self.start == b"PAR1":
            return "parquet"
        self.check_kind()
        endings = [ending.lower() for ending in Path(self.label).suffixes if ending not in COMPRESSIONS]
        by_name = KINDS.get(endings[-1]) if endings else None
        if by_name in ("json", "jsonl", "parquet"):
            return by_name
        start = self.first_line.strip()
        if start[:1] in (b"{", b"["):
            return "jsonl" if start[:1] == b"{" and start[-1:] == b"}" and self._has_second_object() else "json"
        return "table" if is_header(start) or (by_name == "table" and b"," in start) else "trec"

    def check_kind(self) -> None:
        """Raise if the file is of a kind that people try but that cannot be read, such as an Excel workbook."""
        if what := foreign_kind(self.start):
            raise DataError(f"the file is {what}; save it as CSV or JSON in UTF-8", source=self.label)

    def _has_second_object(self) -> bool:
        if len(self.first_line) >= LONGEST_LINE:
            return False
        lines = self.lines()
        next(lines)
        return next(lines, (0, b""))[1].lstrip()[:1] == b"{"


def foreign_kind(start: bytes) -> str:
    """What a file is, by its first bytes, if it cannot be read; empty if it may be readable."""
    return next((what for magic, what in FOREIGN.items() if start.startswith(magic)), "")


def plain_name(name: str) -> str:
    """The name of a file without the extension of its compression: `corpus.jsonl` for `corpus.jsonl.xz`."""
    return next((name.removesuffix(ending) for ending in COMPRESSIONS if name.endswith(ending)), name)


def _split_at_carriage_returns(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Split lines that end in a carriage return alone, as in old files."""
    for line in lines:
        if b"\r" in line[:-2]:
            yield from line.splitlines(keepends=True)
        else:
            yield line


def _is_device(status: os.stat_result) -> bool:
    """Whether it is a disk, a terminal or another device. Standard input is never refused, whatever it is."""
    if not (stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode)):
        return False
    try:
        return not os.path.samestat(status, os.fstat(sys.stdin.fileno()))
    except (AttributeError, OSError, ValueError):  # there is no standard input
        return True


def _copy_of(stream: IO[bytes], start: bytes = b"") -> TemporaryFile:
    """A temporary file with the rest of the stream. If reading fails, the temporary file is deleted."""
    copy = TemporaryFile()
    try:
        with copy.path.open("wb") as file:  # closed inside try, so that a full disk is noticed here
            file.write(start)
            shutil.copyfileobj(stream, file, BLOCK)
    except BaseException:
        copy.close()
        raise
    return copy


def is_spark_frame(value: object) -> bool:
    """Whether a value is a DataFrame of Spark, Spark Connect or pandas-on-Spark. Nothing is imported."""
    kinds = ((kind.__name__, kind.__module__) for kind in type(value).__mro__)
    return any(name == "DataFrame" and module.startswith(("pyspark.sql", "pyspark.pandas")) for name, module in kinds)


def as_source(source: Any) -> Any:
    """A FileSource for paths, `-` and streams; a collected frame for a lazy one; anything else unchanged."""
    if isinstance(source, FileSource):
        return source
    if is_spark_frame(source):
        raise UsageError("this is a table in Spark, which is not read here. Use assay.spark.evaluate(qrels, run)")
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
"""First number of a frame with nothing to decompress; its last four bits may be anything."""
LONGEST_HEADER = 18
BLOCK_HEADER, CHECKSUM = 3, 4
RLE = 1
"""The type of a block that is one byte repeated."""


class ZstdFile(io.RawIOBase):
    """The decompressed bytes of all frames of a file. Wrap it in a BufferedReader.

    Blocks are decompressed one at a time, and each unpacks to at most 128 KiB, so memory use stays small whatever the
    file claims.
    """

    def __init__(self, file: BinaryIO) -> None:
        import zstandard

        self._zstandard = zstandard
        self._file = file
        self._frame: Any = None
        self._has_checksum = False
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        """Always True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes into the buffer; 0 at the end of the last frame."""
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
        """Read the header of the next frame, or skip a skippable frame; False at the end of the file."""
        head = self._file.read(LONGEST_HEADER)
        if not head:
            return False
        magic = int.from_bytes(head[:4], "little")
        if magic & ~0xF == SKIPPABLE:
            self._file.seek(8 - len(head), io.SEEK_CUR)
            self._skip(int.from_bytes(head[4:8], "little") if len(head) >= 8 else 1 << 32)
            return True
        if magic != ZSTD_MAGIC and len(head) >= 4:
            raise self._zstandard.ZstdError("the bytes after the last frame are not a frame")
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
        """Close the underlying file too."""
        self._file.close()
        super().close()


LAKES = ("s3://", "s3a://", "gs://", "abfs://", "abfss://", "wasbs://", "hdfs://", "dbfs:/", "file://")
"""How the addresses begin that Spark reads."""


def missing_file(path: str | Path) -> DataError:
    """The error for a file that does not exist, with a similar name from the same folder if there is one."""
    if str(path).startswith(LAKES):
        what = "this is an address and not a file. To read it with Spark: assay score --engine spark"
        return DataError(what, source=str(path))
    place = Path(path)
    try:
        names = [entry.name for entry in place.parent.iterdir()]
    except (OSError, ValueError):
        names = []
    from difflib import get_close_matches

    near = get_close_matches(place.name, names, n=1, cutoff=MIN_NAME_SIMILARITY)
    question = f". Did you mean {printable(str(place.with_name(near[0])))}?" if near else ""
    return DataError(f"no such file{question}", source=str(path))
