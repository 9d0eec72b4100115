"""Standard streams: faults of standard output get a name, those of standard error are ignored, secrets are masked."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO, cast

from assay.masking import add_environment, has_secrets, mask, mask_bytes
from assay.serialize import dumps

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


OUTPUT_NAME = "standard output"
"""What faults of standard output are called after, where those of files have a path."""
NULL_DEVICE_FLAGS = {0: os.O_WRONLY, 1: os.O_RDONLY, 2: os.O_WRONLY}
"""How the null device stands in for a closed descriptor: reading from 0 and writing to 1 still fail."""


class _StandardOutput(io.FileIO):
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
                error.filename = OUTPUT_NAME
                raise
        return memoryview(data).nbytes


class _StandardError(io.FileIO):
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
    output, remarks = _StandardOutput(1, "wb", closefd=False), _StandardError(2, "wb", closefd=False)
    sys.stdout, sys.stderr = _stream(sys.stdout, sys.__stdout__, output), _stream(sys.stderr, sys.__stderr__, remarks)
    try:
        yield
    finally:
        _flush(sys.stdout, output)
        sys.stderr.flush()
        sys.stdin, sys.stdout, sys.stderr = before


def _fill_closed_descriptors() -> None:
    """A file opened later must not get the number of a standard stream, or else what is printed would go into it."""
    for number, flags in NULL_DEVICE_FLAGS.items():
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


def _flush(stream: TextIO, output: _StandardOutput) -> None:
    """Write what is left; what cannot be written is dropped: either an error was reported before, or nobody reads on."""
    try:
        stream.flush()
    except OSError:
        output.is_unread = True
        stream.flush()


def write_json(content: Any) -> int:
    """Write the content to standard output, as JSON; 0, as a command that went well."""
    sys.stdout.write(dumps(content, indent=2) + "\n")
    return 0


def describe_os_error(error: OSError) -> str:
    """What went wrong with which file or stream."""
    if error.filename == OUTPUT_NAME:
        why = "it is closed" if error.errno == errno.EBADF else error.strerror
        return f"{OUTPUT_NAME}: cannot be written: {why}"
    what = "no such file" if isinstance(error, FileNotFoundError) else error.strerror or error
    return f"{error.filename}: {what}" if error.filename else f"reading or writing failed: {what}"


class MaskedStream:
    """A stream that masks what is written to it; in all else it is the stream beneath.

    Where secrets are known, a line that has not ended yet is held back until it ends or is flushed, so that a secret which
    comes in two pieces is found. Two pieces with a flush between them are not put together.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._line: list[str] = []
        """The pieces of a line that has not ended."""
        self._bytes = MaskedBytes(stream)

    @property
    def buffer(self) -> Any:
        """The stream for bytes, masked as well; an AttributeError where the one beneath has none."""
        _ = self._stream.buffer
        return self._bytes

    def write(self, text: str) -> int:
        """Write it without secrets; the length is that of what was given, as writers expect."""
        end = 1 + max(text.rfind("\n"), text.rfind("\r")) if has_secrets() else len(text)
        if end:
            self._stream.write(mask("".join((*self._line, text[:end]))))
            self._line.clear()
        if end < len(text):
            self._line.append(text[end:])
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each."""
        for line in lines:
            self.write(line)

    def release(self) -> None:
        """Write what is held back."""
        held = "".join(self._line)
        self._line.clear()
        if held:
            self._stream.write(mask(held))
        self._bytes.release()

    def flush(self) -> None:
        """Write what is held back, and all that the stream beneath has."""
        self.release()
        self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class MaskedBytes:
    """The same for bytes, such as those that `sys.stdout.buffer` gets."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._line = b""

    def write(self, data: Any) -> int:
        """Write it without secrets."""
        content = bytes(data)
        whole = self._line + content
        end = 1 + whole.rfind(b"\n") if has_secrets() else len(whole)
        self._line = whole[end:]
        if end:
            self._stream.buffer.write(mask_bytes(whole[:end]))
        return len(content)

    def writelines(self, lines: Iterable[Any]) -> None:
        """Write each."""
        for line in lines:
            self.write(line)

    def release(self) -> None:
        """Write what is held back."""
        held, self._line = self._line, b""
        if held:
            self._stream.buffer.write(mask_bytes(held))

    def flush(self) -> None:
        """Write what is held back, and all that the stream beneath has."""
        self.release()
        self._stream.buffer.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream.buffer, name)


@contextmanager
def masked_output() -> Iterator[None]:
    """Standard output and standard error are masked meanwhile; one that is closed stays so."""
    add_environment()
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast("TextIO", stream and MaskedStream(stream)) for stream in before)
    try:
        yield
    finally:
        ours, (sys.stdout, sys.stderr) = (sys.stdout, sys.stderr), before
        for stream in ours:
            if isinstance(stream, MaskedStream):
                with suppress(OSError):  # it was told when output was flushed
                    stream.release()
