"""Database: a DuckDB connection, SQL literals, and a line index for large text files."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import numpy as np

CHUNK = 1 << 20


class LineIndex:
    """Finds lines of a file by number, from a count of the lines that end before each chunk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ends_before = [0]

    def add(self, chunk: bytes) -> None:
        """Count the next chunk."""
        letters = np.frombuffer(chunk, np.uint8)  # quicker than chunk.count, because lines are short
        self.ends_before.append(self.ends_before[-1] + int(np.count_nonzero(letters == ord("\n"))))

    @property
    def n_lines(self) -> int:
        """The number of lines, including a last line without a line feed."""
        return self.ends_before[-1] + (not self._ends_in_newline())

    def _ends_in_newline(self) -> bool:
        with self.path.open("rb") as file:
            file.seek(max(0, self.path.stat().st_size - 1))
            return file.read(1) in (b"\n", b"")

    def read(self, numbers: Iterable[int]) -> dict[int, bytes]:
        """Line number (from 0) → the line."""
        lines: dict[int, bytes] = {}
        chunk, held = -1, [b""]
        with self.path.open("rb") as file:
            for number in sorted(set(numbers)):
                needed = max(0, bisect_left(self.ends_before, number + 1) - 1)
                if needed != chunk:
                    chunk, held = needed, self._lines_ending_in(file, needed)
                lines[number] = held[number - self.ends_before[chunk]]
        return lines

    def _lines_ending_in(self, file: IO[bytes], chunk: int) -> list[bytes]:
        """The lines that end in the chunk; the first may begin in an earlier chunk."""
        start, first = chunk * CHUNK, chunk
        file.seek(start)
        text = file.read(CHUNK)
        while first and b"\n" not in (before := self._chunk(file, first - 1)):
            text, first = before + text, first - 1
        if first:
            text = self._chunk(file, first - 1).rpartition(b"\n")[2] + text
        return text.split(b"\n")

    def _chunk(self, file: IO[bytes], number: int) -> bytes:
        file.seek(number * CHUNK)
        return file.read(CHUNK)


def ordinary_lines(path: Path, delimiter: bytes, marks: bytes, *, may_have_gaps: bool = False) -> LineIndex | None:
    """The lines of a file that both readers split in the same way; None for any other file.

    None of the marks occurs, no line starts with `#` or ends in a delimiter, no field starts with a plus sign or is empty
    (unless gaps are allowed), and carriage returns occur only before line feeds.
    """
    index = LineIndex(path)
    before = b"\n"
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            if any(bytes([mark]) in chunk for mark in marks) or not _is_ordinary(before + chunk, delimiter, may_have_gaps):
                return None
            index.add(chunk)
            before = chunk[-1:]
    if before == delimiter:
        return None
    ends_in_gap = before <= b" " and before != b"\n" and not may_have_gaps
    return None if before == b"\r" or ends_in_gap else index


def _is_ordinary(text: bytes, delimiter: bytes, may_have_gaps: bool) -> bool:
    """Whether a chunk, preceded by the last byte before it, has nothing that the two readers could read differently."""
    if b"+" in text and delimiter + b"+" in text:
        return False
    if b"#" in text and b"\n#" in text:
        return False
    if delimiter + b"\n" in text or delimiter + b"\r" in text:  # the database skips one empty field too many
        return False
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
        if b"\r" in text[:-1]:
            return False
    is_gap = np.frombuffer(text, np.uint8) <= ord(" ")
    return may_have_gaps or not (is_gap[1:] & is_gap[:-1]).any()


def connect() -> Any:
    """A private in-memory connection that downloads nothing and prints nothing. Close it after use."""
    import duckdb

    connection = duckdb.connect(config={"autoinstall_known_extensions": "false"})
    # in a notebook without ipywidgets the progress bar is off, and setting it is an error
    if connection.execute("SELECT current_setting('enable_progress_bar')").fetchall() == [(True,)]:
        connection.execute("SET enable_progress_bar = false")
    return connection


def quoted(name: str) -> str:
    """A column name as SQL."""
    return '"' + name.replace('"', '""') + '"'


def path_literal(path: Path) -> str:
    """A path as SQL, taken literally: `*`, `?` and `[` are not patterns."""
    return literal(re.sub(r"[*?\[]", lambda mark: f"[{mark[0]}]", str(path)))


def literal(text: str) -> str:
    """A string as SQL."""
    return "'" + text.replace("'", "''") + "'"


def is_interrupt(error: Exception) -> bool:
    """Whether Ctrl-C ended a statement: while rows are fetched, only DuckDB's message may say so."""
    return isinstance(error, RuntimeError) and "interrupt" in str(error).lower()


def is_wrong_statement(error: Exception) -> bool:
    """Whether the database rejects the statement itself, which is a bug in assay and not a fault in the data.

    A damaged file can cause any other error, even one of a generic type.
    """
    import duckdb

    ours = (duckdb.ParserException, duckdb.SyntaxException, duckdb.BinderException, duckdb.CatalogException)
    return isinstance(error, ours)
