"""Long reads: a reader reports each block, and stops between two blocks if it is interrupted.

A thread that reads cannot be interrupted from outside, so Ctrl-C would have to wait until the file is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

Show = Callable[[str, int, int], None]
"""The name of a file, bytes and rows of a block → shows it."""


@dataclass(eq=False)
class LongRead:
    """What the readers of one command share."""

    show: Show | None = None
    is_stopped: bool = False

    def advance(self, label: str, n_bytes: int, n_rows: int) -> None:
        """Report a block; KeyboardInterrupt if reading must stop."""
        if self.is_stopped:
            raise KeyboardInterrupt
        if self.show is not None:
            self.show(label, n_bytes, n_rows)


_current: ContextVar[LongRead | None] = ContextVar("long_read", default=None)


@contextmanager
def long_read(show: Show | None = None) -> Iterator[LongRead]:
    """The readers inside report to one object, the outermost one. After an error, readers in other threads stop."""
    known = _current.get()
    read = known or LongRead(show)
    token = _current.set(read)
    try:
        yield read
    except BaseException:
        read.is_stopped = read.is_stopped or known is None
        raise
    finally:
        _current.reset(token)


def stop_reading() -> None:
    """Stop the readers of this command that run in other threads."""
    if (read := _current.get()) is not None:
        read.is_stopped = True
