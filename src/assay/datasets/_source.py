"""FileSource: where bytes come from. A path, standard input or a stream; plain, gzip or zstd; and what is in it."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import IO, Any, cast

from assay.errors import DataError

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
KINDS = {".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "table", ".tsv": "table", ".parquet": "parquet"}
BOM = b"\xef\xbb\xbf"


class FileSource:
    """A file to read once or more. Streams are spooled to a temporary file that lives as long as this object."""

    def __init__(self, path: str | os.PathLike[str], label: str = "") -> None:
        self.path = Path(path)
        self.label = label or str(path)
        if not self.path.is_file():
            what = "is a folder, not a file" if self.path.is_dir() else "no such file"
            raise DataError(f"{self.label}: {what}")

    @classmethod
    def spool(cls, stream: IO[Any], label: str) -> FileSource:
        """Take everything a stream has to give."""
        first = stream.read(1)
        with tempfile.NamedTemporaryFile(prefix="assay-", delete=False) as copy:
            if isinstance(first, str):
                copy.write((first + stream.read()).encode())
            else:
                copy.write(first)
                shutil.copyfileobj(stream, copy)
        return _TemporarySource(copy.name, label)

    @property
    def name(self) -> str:
        """The file's name without folders and endings: what a run is called in tables."""
        name = Path(self.label).name
        for ending in (*COMPRESSIONS, *KINDS, ".txt", ".run", ".trec", ".res", ".results"):
            name = name.removesuffix(ending)
        return name or self.label

    @cached_property
    def compression(self) -> str | None:
        """`gzip`, `zstd` or None, by the ending, else by the first bytes."""
        if self.path.suffix in COMPRESSIONS:
            return COMPRESSIONS[self.path.suffix]
        with self.path.open("rb") as file:
            magic = file.read(4)
        return "gzip" if magic[:2] == b"\x1f\x8b" else "zstd" if magic == b"\x28\xb5\x2f\xfd" else None

    def open(self) -> IO[bytes]:
        """The decompressed bytes."""
        if self.compression == "gzip":
            return cast("IO[bytes]", gzip.open(self.path, "rb"))
        if self.compression == "zstd":
            import zstandard

            return io.BufferedReader(cast("Any", zstandard.open(self.path, "rb")))
        return self.path.open("rb")

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Numbered lines that say something: no blank lines, no comments (`#` first), no byte-order mark."""
        with self.open() as file:
            try:
                for number, line in enumerate(file, 1):
                    if number == 1:
                        line = line.removeprefix(BOM)
                    if line[:1] != b"#" and not line.isspace() and line:
                        yield number, line
            except (EOFError, OSError) as error:
                raise DataError(f"{self.label}: cannot be decompressed: {error}") from error
            except Exception as error:
                if type(error).__name__ == "ZstdError":
                    raise DataError(f"{self.label}: cannot be decompressed: {error}") from error
                raise

    @cached_property
    def first_line(self) -> bytes:
        """The first line with something in it; empty for an empty file."""
        return next((line for _, line in self.lines()), b"")

    @cached_property
    def kind(self) -> str:
        """What the file holds: `trec`, `table` (delimited, with header), `json`, `jsonl` or `parquet`."""
        suffixes = [suffix for suffix in Path(self.label).suffixes if suffix not in COMPRESSIONS]
        by_name = KINDS.get(suffixes[-1].lower()) if suffixes else None
        if by_name in ("json", "jsonl", "parquet"):
            return by_name
        start = self.first_line.lstrip()[:1]
        if start in (b"{", b"["):
            return "jsonl" if start == b"{" and self.first_line.rstrip().endswith(b"}") and self._second_line() else "json"
        from assay.datasets._columns import is_header

        return "table" if is_header(self.first_line) or (by_name == "table" and b"," in self.first_line) else "trec"

    def _second_line(self) -> bool:
        lines = self.lines()
        next(lines)
        return next(lines, (0, b""))[1].lstrip()[:1] == b"{"


class _TemporarySource(FileSource):
    """A source that removes its file when it is no longer needed."""

    def __del__(self) -> None:
        self.path.unlink(missing_ok=True)


def as_source(source: Any) -> Any:
    """A FileSource for paths, `-` and streams; anything else as it is."""
    if isinstance(source, str) and source == "-":
        return FileSource.spool(sys.stdin.buffer, "<stdin>")
    if isinstance(source, str | os.PathLike):
        return FileSource(source)
    if hasattr(source, "read"):
        return FileSource.spool(source, str(getattr(source, "name", "<stream>")))
    return source
