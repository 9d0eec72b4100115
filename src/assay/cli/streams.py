"""Standard streams: errors of standard output get a name, errors of standard error are ignored, secrets are masked."""

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
"""The name of standard output in errors, in place of a path."""
NULL_DEVICE_FLAGS = {0: os.O_WRONLY, 1: os.O_RDONLY, 2: os.O_WRONLY}
"""How the null device replaces a closed descriptor: reading from 0 and writing to 1 still fail."""


class _StandardOutput(io.FileIO):
    """Standard output. After its reader has gone away, nothing more is written, and the command continues to its end."""

    is_unread = False

    def write(self, data: ReadableBuffer, /) -> int:
        """Write the data; a failure is an OSError that names standard output."""
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
    """Standard error. What cannot be written there is lost, because notes must not change how a command ends."""

    def write(self, data: ReadableBuffer, /) -> int:
        """Write what can be written."""
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


@contextmanager
def standard_streams() -> Iterator[None]:
    """Use these streams in the meantime. Streams that other code has replaced, such as a test, stay as they are."""
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
    """A file that is opened later must not get the number of a standard stream, or output would go into that file."""
    for number, flags in NULL_DEVICE_FLAGS.items():
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # takes the lowest number that is free, which is this one


def _stream(stream: TextIO | None, usual: TextIO | None, raw: io.FileIO) -> TextIO:
    """A stream that replaces the usual one or a closed one and writes in the same way; any other stays as it is."""
    if stream is None:
        return io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8")
    if stream is not usual or not isinstance(stream, io.TextIOWrapper) or stream.fileno() != raw.fileno():
        return stream
    stream.flush()
    return io.TextIOWrapper(io.BufferedWriter(raw), stream.encoding, stream.errors, line_buffering=stream.line_buffering)


def _flush(stream: TextIO, output: _StandardOutput) -> None:
    """Write the rest. What cannot be written is dropped: either an error was reported already, or the reader is gone."""
    try:
        stream.flush()
    except OSError:
        output.is_unread = True
        stream.flush()


def write_json(content: Any) -> int:
    """Write the content to standard output as JSON; return 0, the exit code of success."""
    sys.stdout.write(dumps(content, indent=2) + "\n")
    return 0


def describe_os_error(error: OSError) -> str:
    """What is wrong, with the name of the file or stream."""
    if error.filename == OUTPUT_NAME:
        why = "it is closed" if error.errno == errno.EBADF else error.strerror
        return f"{OUTPUT_NAME}: cannot be written: {why}"
    what = "no such file" if isinstance(error, FileNotFoundError) else error.strerror or error
    return f"{error.filename}: {what}" if error.filename else f"reading or writing failed: {what}"


class MaskedStream:
    """A stream that masks secrets in what is written to it. All else is passed to the underlying stream.

    If secrets are known, an incomplete line is held back until it ends or is flushed, so that a secret in two pieces is
    found. A secret with a flush between its two pieces is not found.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._line: list[str] = []
        """The pieces of an incomplete line."""
        self._bytes = MaskedBytes(stream)

    @property
    def buffer(self) -> Any:
        """The stream for bytes, masked as well; an AttributeError if the underlying stream has none."""
        _ = self._stream.buffer
        return self._bytes

    def write(self, text: str) -> int:
        """Write the text without secrets; return the length of the given text, as writers expect."""
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
        """Write what is held back, and flush the underlying stream."""
        self.release()
        self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class MaskedBytes:
    """The same for bytes, such as those written to `sys.stdout.buffer`."""

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
        """Write what is held back, and flush the underlying stream."""
        self.release()
        self._stream.buffer.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream.buffer, name)


@contextmanager
def masked_output() -> Iterator[None]:
    """Mask standard output and standard error in the meantime; a closed one stays closed."""
    add_environment()
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast("TextIO", stream and MaskedStream(stream)) for stream in before)
    try:
        yield
    finally:
        ours, (sys.stdout, sys.stderr) = (sys.stdout, sys.stderr), before
        for stream in ours:
            if isinstance(stream, MaskedStream):
                with suppress(OSError):  # reported when the output was flushed
                    stream.release()
