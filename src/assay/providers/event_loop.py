"""EventLoop: where coroutines run, from the first to the last, so that their clients stay connected."""

from __future__ import annotations

import asyncio
import inspect
import math
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

SECONDS_UNTIL_STUCK = 1.0
"""Seconds in which an event loop that is not stuck does something."""


class _Running(NamedTuple):
    loop: asyncio.AbstractEventLoop
    thread: threading.Thread


_lock = threading.Lock()
_shared: _Running | None = None


class EventLoop:
    """The one event loop of this process, in a thread of its own; it starts when the first coroutine comes."""

    def result(self, value: Any, seconds: float | None = None) -> Any:
        """What a value is in the end: awaited where it can be. What takes longer is cancelled: TimeoutError."""
        if not inspect.isawaitable(value):
            return value
        running = _running()
        if threading.current_thread() is running.thread:  # a coroutine that waits here would wait for itself
            with ThreadPoolExecutor(1) as aside:
                return _value_or_raise(aside.submit(asyncio.run, _outcome(value)).result())
        future = asyncio.run_coroutine_threadsafe(_outcome(value), running.loop)
        try:
            return _value_or_raise(_wait(future, seconds))
        except BaseException:
            if not future.done():
                future.cancel()
                _leave_if_stuck(running)
            raise


def _wait(future: Future[Any], seconds: float | None) -> Any:
    limit = None if seconds is None or math.isinf(seconds) else seconds
    try:
        return future.result(limit)
    except TimeoutError:
        raise TimeoutError(f"no answer within {seconds:g} s") from None


async def _outcome(value: Any) -> tuple[Any, BaseException | None]:
    """What came of it, with the error beside it: SystemExit, raised here, would end the loop for everybody."""
    try:
        return await value, None
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # noqa: BLE001 (raised again where it was waited for)
        return None, error


def _value_or_raise(outcome: tuple[Any, BaseException | None]) -> Any:
    value, error = outcome
    if error is not None:
        raise error
    return value


def _running() -> _Running:
    """The loop; a new one where there is none yet, or none any more in a process that was forked."""
    global _shared  # noqa: PLW0603 (one per process)
    with _lock:
        if _shared is None or not _shared.thread.is_alive():
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=loop.run_forever, name="assay event loop", daemon=True)
            thread.start()
            _shared = _Running(loop, thread)
        return _shared


def _leave_if_stuck(running: _Running) -> None:
    """Leave behind a loop that a coroutine blocks for good, so that others find a new one."""
    global _shared  # noqa: PLW0603 (one per process)
    moved = threading.Event()
    running.loop.call_soon_threadsafe(moved.set)
    if not moved.wait(SECONDS_UNTIL_STUCK):
        with _lock:
            _shared = None if _shared is running else _shared
