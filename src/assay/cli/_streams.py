"""Standard streams: a fault of standard output is an error with a name, and one of standard error never changes anything."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

OUTPUT = "standard output"
"""What faults of standard output are called after, where those of files have a path."""
UNUSABLE = {0: os.O_WRONLY, 1: os.O_RDONLY, 2: os.O_WRONLY}
"""How the null device stands in for a closed descriptor: reading from 0 and writing to 1 still fail."""


class _Output(io.FileIO):
    """Standard output. Once its reader has gone away, nothing is written any more and the command goes on to its end."""

    is_unread = False

    def write(self, data: ReadableBuffer, /) -> int:
        """What cannot be written raises an OSError that names standard output."""
        if not self.is_unread:
            try:
                return super().write(data)
            except BrokenPipeError:
                self.is_unread = True
            except OSError as error:
                error.filename = OUTPUT
                raise
        return memoryview(data).nbytes


class _Remarks(io.FileIO):
    """Standard error. What cannot be written there is lost: remarks never decide how a command ends."""

    def write(self, data: ReadableBuffer, /) -> int:
        """Write what can be written."""
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


@contextmanager
def standard_streams() -> Iterator[None]:
    """The streams meanwhile. Streams that somebody else put in their place, such as a test, stay as they are."""
    _fill_closed_descriptors()
    before = sys.stdin, sys.stdout, sys.stderr
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)))
    output, remarks = _Output(1, "wb", closefd=False), _Remarks(2, "wb", closefd=False)
    sys.stdout, sys.stderr = _stream(sys.stdout, sys.__stdout__, output), _stream(sys.stderr, sys.__stderr__, remarks)
    try:
        yield
    finally:
        _flush(sys.stdout, output)
        sys.stderr.flush()
        sys.stdin, sys.stdout, sys.stderr = before


def _fill_closed_descriptors() -> None:
    """A file opened later must not get the number of a standard stream, or else what is printed would go into it."""
    for number, flags in UNUSABLE.items():
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # takes the lowest number that is free, which is this one


def _stream(stream: TextIO | None, usual: TextIO | None, raw: io.FileIO) -> TextIO:
    """A stream that writes as the given one does, which is the usual one or closed; any other stays as it is."""
    if stream is None:
        return io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8")
    if stream is not usual or not isinstance(stream, io.TextIOWrapper) or stream.fileno() != raw.fileno():
        return stream
    stream.flush()
    return io.TextIOWrapper(io.BufferedWriter(raw), stream.encoding, stream.errors, line_buffering=stream.line_buffering)


def _flush(stream: TextIO, output: _Output) -> None:
    """Write what is left; what cannot be written is dropped: either an error was reported before, or nobody reads on."""
    try:
        stream.flush()
    except OSError:
        output.is_unread = True
        stream.flush()


def words_of(error: OSError) -> str:
    """What went wrong with which file or stream."""
    if error.filename == OUTPUT:
        why = "it is closed" if error.errno == errno.EBADF else error.strerror
        return f"{OUTPUT}: cannot be written: {why}"
    what = "no such file" if isinstance(error, FileNotFoundError) else error.strerror or error
    return f"{error.filename}: {what}" if error.filename else f"reading or writing failed: {what}"
