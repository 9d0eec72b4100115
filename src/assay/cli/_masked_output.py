"""Masked output: whatever is written to the terminal, by assay or by code of the user's own, has no secret in it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from assay.masking import add_environment, mask


class MaskedStream:
    """A stream that masks what is written to it; in all else it is the stream beneath."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write it without secrets; the length is that of what was given, as writers expect."""
        self._stream.write(mask(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def masked_output() -> Iterator[None]:
    """Standard output and standard error are masked meanwhile; one that is closed stays so."""
    add_environment()
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast("TextIO", stream and MaskedStream(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
