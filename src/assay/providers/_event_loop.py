"""EventLoop: where coroutines run, from the first to the last, so that their clients stay connected."""

from __future__ import annotations

import asyncio
import inspect
import threading
import weakref
from typing import Any


class EventLoop:
    """An event loop in a thread of its own, started when the first coroutine comes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def result(self, value: Any) -> Any:
        """What a value is in the end: awaited where it can be."""
        if not inspect.isawaitable(value):
            return value
        return asyncio.run_coroutine_threadsafe(_awaited(value), self._running()).result()

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                thread = threading.Thread(target=_run, args=(self._loop,), name="assay event loop", daemon=True)
                thread.start()
                weakref.finalize(self, _stop, self._loop, thread)
            return self._loop


async def _awaited(value: Any) -> Any:
    return await value


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


def _stop(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    """Stop at once; the loop is closed by its thread."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(loop.stop)
    if thread is not threading.current_thread():
        thread.join(timeout=1)
