"""EventLoop: one loop that runs all coroutines, so that their clients stay connected."""

from __future__ import annotations

import asyncio
import inspect
import math
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

SECONDS_UNTIL_STUCK = 1.0
"""An event loop that does nothing for so many seconds is stuck."""
MORE_TIME = "Increase the timeout to allow more time"


class _Running(NamedTuple):
    loop: asyncio.AbstractEventLoop
    thread: threading.Thread


_lock = threading.Lock()
_shared: _Running | None = None


class EventLoop:
    """The only event loop of this process, in its own thread; it starts with the first coroutine."""

    def result(self, value: Any, seconds: float | None = None) -> Any:
        """The value, awaited if it is awaitable. After `seconds` it is cancelled with a TimeoutError."""
        if not inspect.isawaitable(value):
            return value
        running = _running()
        if threading.current_thread() is running.thread:  # a coroutine that waited here would wait for itself
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
        raise TimeoutError(f"no response within {seconds:g} s. {MORE_TIME}") from None


async def _outcome(value: Any) -> tuple[Any, BaseException | None]:
    """The result and the error. Raising SystemExit here would end the loop for all coroutines."""
    try:
        return await value, None
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # noqa: BLE001 (raised again in the thread that waits)
        return None, error


def _value_or_raise(outcome: tuple[Any, BaseException | None]) -> Any:
    value, error = outcome
    if error is not None:
        raise error
    return value


def _running() -> _Running:
    """The loop; a new one if there is none yet, or if this process was forked."""
    global _shared  # noqa: PLW0603 (one per process)
    with _lock:
        if _shared is None or not _shared.thread.is_alive():
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=loop.run_forever, name="assay event loop", daemon=True)
            thread.start()
            _shared = _Running(loop, thread)
        return _shared


def _leave_if_stuck(running: _Running) -> None:
    """Abandon a loop that a coroutine blocks, so that other coroutines get a new one."""
    global _shared  # noqa: PLW0603 (one per process)
    moved = threading.Event()
    running.loop.call_soon_threadsafe(moved.set)
    if not moved.wait(SECONDS_UNTIL_STUCK):
        with _lock:
            _shared = None if _shared is running else _shared
