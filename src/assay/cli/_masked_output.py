"""Masked output: whatever is written to the terminal, by assay or by code of the user's own, has no secret in it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

from assay.masking import add_environment, has_secrets, mask, mask_bytes


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
        given = bytes(data)
        whole = self._line + given
        end = 1 + whole.rfind(b"\n") if has_secrets() else len(whole)
        self._line = whole[end:]
        if end:
            self._stream.buffer.write(mask_bytes(whole[:end]))
        return len(given)

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
