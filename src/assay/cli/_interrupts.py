"""Interrupts: Ctrl-C, and being asked to end, which is the same but for the exit code."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

INTERRUPTED, TERMINATED = 130, 143
"""Exit codes after SIGINT and SIGTERM."""


class Terminated(KeyboardInterrupt):
    """The process was asked to end by SIGTERM."""

    exit_code = TERMINATED


@contextmanager
def until_terminated() -> Iterator[None]:
    """SIGTERM raises Terminated meanwhile, so that what has begun is ended in good order."""
    if threading.current_thread() is not threading.main_thread():  # only that one may say what signals do
        yield
        return
    before = signal.signal(signal.SIGTERM, _raise)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _raise(*_: object) -> NoReturn:
    raise Terminated
