"""Interrupts: Ctrl-C, being asked to end, and a terminal that goes away, which differ in nothing but the exit code."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import NoReturn

FROM_SIGNAL = 128
"""An exit code after a signal is this and the number of the signal."""
HANGUP = tuple(getattr(signal, name) for name in ("SIGHUP",) if hasattr(signal, name))
"""What a process is sent when its terminal goes away; Windows has no such signal."""
ENDING = (signal.SIGTERM, *HANGUP)
"""Signals that ask a process to end; Ctrl-C, which does too, is Python's own."""


class Ended(KeyboardInterrupt):
    """The process was asked to end by a signal."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def exit_code_of(interrupt: KeyboardInterrupt) -> int:
    """129 after SIGHUP, 130 after Ctrl-C, 143 after SIGTERM."""
    return FROM_SIGNAL + (interrupt.number if isinstance(interrupt, Ended) else signal.SIGINT)


def until_ended() -> AbstractContextManager[None]:
    """Signals that ask to end raise Ended meanwhile, so that what has begun is ended in good order."""
    return handled_by(_raise, ENDING)


@contextmanager
def handled_by(handler: Callable[[int, FrameType | None], object], numbers: Sequence[signal.Signals]) -> Iterator[None]:
    """These signals go to that handler meanwhile. One that is ignored from the start, as under nohup, stays ignored."""
    if threading.current_thread() is not threading.main_thread():  # only that one may say what signals do
        yield
        return
    heeded = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in heeded}
    try:
        yield
    finally:
        for number, one in before.items():
            signal.signal(number, one)


def _raise(number: int, _: object) -> NoReturn:
    raise Ended(number)
