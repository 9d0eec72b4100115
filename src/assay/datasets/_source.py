"""FileSource: where bytes come from. A path, standard input or a stream; plain, gzip or zstd; and what is in it."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import stat
import sys
import tempfile
import weakref
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from assay.datasets._columns import is_header
from assay.errors import AssayError, DataError

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
KINDS = {".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "table", ".tsv": "table", ".parquet": "parquet"}
OTHER_ENDINGS = (".txt", ".run", ".trec", ".res", ".results", ".qrels")
FOREIGN = {
    b"PK\x03\x04": "an Excel workbook or a zip archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"BZh": "a bzip2 file",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
    b"\x80\x04": "a pickle",
}
"""First bytes of files that people try and that cannot be read."""
BOM = b"\xef\xbb\xbf"


class FileSource:
    """A file to read once or more. Streams are spooled to a temporary file that lives as long as this object."""

    def __init__(self, path: str | os.PathLike[str], label: str = "") -> None:
        self.path = Path(path)
        self.label = label or str(path)

    @classmethod
    def at(cls, path: str | os.PathLike[str]) -> FileSource:
        """The file at a path; a pipe or device, which can be read only once, is spooled."""
        source = cls(path)
        with source._explained():
            mode = source.path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise DataError(f"{source.label}: is a folder, not a file")
        if stat.S_ISREG(mode):
            return source
        with source._explained(), source.path.open("rb") as stream:
            return cls.spool(stream, source.label)

    @classmethod
    def spool(cls, stream: IO[Any], label: str) -> FileSource:
        """Take everything a stream has to give, now."""
        content = stream.read(1)
        if isinstance(content, str):
            try:
                stream, content = io.BytesIO((content + stream.read()).encode()), b""
            except UnicodeEncodeError as error:
                raise DataError(f"{label}: holds text that cannot be written as UTF-8: {error.reason}") from None
        source = cls(_copy_of(stream, content), label)
        weakref.finalize(source, source.path.unlink, missing_ok=True)
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

    @property
    def compression(self) -> str | None:
        """`gzip`, `zstd` or None, by the first bytes."""
        return "gzip" if self.magic[:2] == b"\x1f\x8b" else "zstd" if self.magic == b"\x28\xb5\x2f\xfd" else None

    def open(self) -> IO[bytes]:
        """The decompressed bytes."""
        if self.compression == "gzip":
            return gzip.open(self.path, "rb")  # type: ignore[return-value]
        if self.compression == "zstd":
            from assay.datasets._zstd import ZstdFile

            return io.BufferedReader(ZstdFile(self.path), buffer_size=1 << 20)
        return self.path.open("rb")

    @contextmanager
    def reading(self) -> Iterator[IO[bytes]]:
        """The open file; what goes wrong while it is read becomes a DataError."""
        with self._explained(), self.open() as file:
            yield file

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """What goes wrong while reading, as a DataError that names the file."""
        try:
            yield
        except AssayError:
            raise
        except FileNotFoundError:
            raise DataError(f"{self.label}: no such file") from None
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise DataError(f"{self.label}: the compressed file is damaged: {error}") from None
        except OSError as error:
            raise DataError(f"{self.label}: cannot be read: {error.strerror or error}") from None
        except ValueError as error:  # a path with a NUL in it
            raise DataError(f"{self.label}: cannot be read: {error}") from None
        except Exception as error:
            if type(error).__name__ != "ZstdError":
                raise
            raise DataError(f"{self.label}: the compressed file is damaged: {error}") from None

    def content(self) -> bytes:
        """Everything at once, without byte-order mark."""
        with self.reading() as file:
            return file.read().removeprefix(BOM)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Numbered lines that say something: no blank lines, no comments (`#` first), no byte-order mark."""
        with self.reading() as file:
            for number, line in enumerate(_split_at_carriage_returns(file), 1):
                if number == 1:
                    line = line.removeprefix(BOM)
                if line[:1] != b"#" and line.strip():
                    yield number, line

    @cached_property
    def plain_path(self) -> Path:
        """A file that is not compressed: this one, or a checked copy of it."""
        if not self.compression:
            return self.path
        with self.reading() as file:
            path = _copy_of(file)
        weakref.finalize(self, path.unlink, missing_ok=True)
        return path

    @cached_property
    def first_line(self) -> bytes:
        """The first line with something in it; empty for an empty file."""
        return next((line for _, line in self.lines()), b"")

    @cached_property
    def kind(self) -> str:
        """What the file holds: `trec`, `table` (delimited, with header), `json`, `jsonl` or `parquet`."""
        if self.magic == b"PAR1":
            return "parquet"
        for magic, what in FOREIGN.items():
            if self.magic.startswith(magic):
                raise DataError(f"{self.label}: this is {what}; save it as CSV or JSON in UTF-8")
        endings = [ending.lower() for ending in Path(self.label).suffixes if ending not in COMPRESSIONS]
        by_name = KINDS.get(endings[-1]) if endings else None
        if by_name in ("json", "jsonl", "parquet"):
            return by_name
        start = self.first_line.strip()
        if start[:1] in (b"{", b"["):
            return "jsonl" if start[:1] == b"{" and start[-1:] == b"}" and self._has_second_object() else "json"
        return "table" if is_header(start) or (by_name == "table" and b"," in start) else "trec"

    def _has_second_object(self) -> bool:
        lines = self.lines()
        next(lines)
        return next(lines, (0, b""))[1].lstrip()[:1] == b"{"


def _split_at_carriage_returns(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Lines that end in CR alone, as old files have them, are lines too."""
    for line in lines:
        if b"\r" in line[:-2]:
            yield from line.splitlines(keepends=True)
        else:
            yield line


def _copy_of(stream: IO[bytes], start: bytes = b"") -> Path:
    """A temporary file with everything left in the stream."""
    with tempfile.NamedTemporaryFile(prefix="assay-", delete=False) as copy:
        copy.write(start)
        shutil.copyfileobj(stream, copy, 1 << 20)
    return Path(copy.name)


def as_source(source: Any) -> Any:
    """A FileSource for paths, `-` and streams; anything else as it is."""
    if isinstance(source, FileSource):
        return source
    if isinstance(source, str) and source == "-":
        return FileSource.spool(sys.stdin.buffer, "<stdin>")
    if isinstance(source, str | os.PathLike):
        return FileSource.at(source)
    if hasattr(source, "read"):
        return FileSource.spool(source, str(getattr(source, "name", "<stream>")))
    return source
