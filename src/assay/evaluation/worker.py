"""Worker: a thread that does one thing after the other, and is left behind with what takes too long."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
Inbox = queue.SimpleQueue[tuple[Callable[..., Any], tuple[Any, ...], "queue.SimpleQueue[Any]"] | None]


class TookTooLong(TimeoutError):
    """What was to be done was not done in time."""


class Worker:
    """A retriever is made, filled and asked by one thread, as those expect that may not change hands.

    With `is_here` the calling thread does everything, and nothing can take too long.
    """

    def __init__(self, *, is_here: bool = False) -> None:
        self._is_here = is_here
        self._inbox: Inbox | None = None

    def do(self, function: Callable[..., T], *arguments: Any, seconds: float = float("inf")) -> T:
        """What the function gives, or what it raises; TookTooLong where that takes longer."""
        if self._is_here:
            return function(*arguments)
        if self._inbox is None:
            self._inbox = queue.SimpleQueue()
            threading.Thread(target=_serve, args=(self._inbox,), name="assay worker", daemon=True).start()
        outcome: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._inbox.put((function, arguments, outcome))
        try:
            value, error = outcome.get(timeout=min(seconds, threading.TIMEOUT_MAX))
        except queue.Empty:
            self.close()  # when it comes back it finds nothing more to do
            raise TookTooLong(f"not done within {seconds:g} s") from None
        if error is not None:
            raise error
        return value

    def close(self) -> None:
        """Let the thread end; a new one starts with the next thing to do."""
        if self._inbox is not None:
            self._inbox.put(None)
            self._inbox = None


def _serve(inbox: Inbox) -> None:
    while (task := inbox.get()) is not None:
        function, arguments, outcome = task
        try:
            outcome.put((function(*arguments), None))
        except BaseException as error:  # noqa: BLE001 (raised again where it was asked for)
            outcome.put((None, error))
