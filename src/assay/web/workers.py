"""Workers: what takes long is worked out by a few threads of its own, so that other pages never wait for it.

The same thing asked for twice is worked out once; what nobody waits for any more is not begun; too much is refused.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


T = TypeVar("T")
THREADS = 2
"""More would only take turns."""
MAX_JOBS = 32
"""Those that are worked on and those that wait."""


class TooBusy(Exception):
    """There is more to work out than anybody would wait for."""

    def __init__(self) -> None:
        super().__init__("too much is being worked out now; try again in a few seconds")


@dataclass(eq=False)
class Job:
    """Something that is worked out, and how many wait for it."""

    future: Future[Any]
    n_waiting: int = 0


class Workers:
    """`await workers.run(key, work)`: what the work gives, in a thread. For one event loop."""

    def __init__(self, n_threads: int = THREADS, most_jobs: int = MAX_JOBS) -> None:
        self._threads = ThreadPoolExecutor(n_threads, thread_name_prefix="assay-work")
        self._most_jobs = most_jobs
        self._jobs: dict[Hashable, Job] = {}

    async def run(self, key: Hashable, work: Callable[[], T]) -> T:
        """TooBusy where too much waits. Whoever is cancelled leaves; a job that nobody waits for is not begun."""
        job = self._jobs.get(key)
        if job is None:
            if len(self._jobs) >= self._most_jobs:
                raise TooBusy
            job = self._jobs[key] = Job(self._threads.submit(work))
            job.future.add_done_callback(partial(self._forget, key))
        job.n_waiting += 1
        try:
            value: T = await asyncio.shield(asyncio.wrap_future(job.future))
        finally:
            job.n_waiting -= 1
            if not job.n_waiting:
                job.future.cancel()
        return value

    def _forget(self, key: Hashable, done: Future[Any]) -> None:
        job = self._jobs.get(key)
        if job is not None and job.future is done:
            del self._jobs[key]


class ClientGone(Exception):
    """The client has left."""


async def cancel_when_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """The result of the work; ClientGone, and the work cancelled, as soon as the client has left."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_wait_for_disconnect(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ClientGone
    finally:
        working.cancel()
        leaving.cancel()


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


# Streams: answers that go on until the reader leaves. Their number is limited, in all and for one visitor.

MAX_STREAMS, MAX_STREAMS_EACH = 64, 8
"""In all, and of one session or address."""


class Streams:
    """`streams.refusal(visitor)` says whether there is room for one more; `streams.response(…)` takes it."""

    def __init__(self, most: int = MAX_STREAMS, most_each: int = MAX_STREAMS_EACH) -> None:
        self.most, self.most_each = most, most_each
        self._open: Counter[Hashable] = Counter()

    def __len__(self) -> int:
        return self._open.total()

    def refusal(self, visitor: Hashable) -> tuple[int, str] | None:
        """Status and words for one more stream of a visitor; None where there is room."""
        if self._open[visitor] >= self.most_each:
            return 429, f"there are at most {self.most_each} streams of events for one visitor; close one of them"
        if len(self) >= self.most:
            return 503, f"there are at most {self.most} streams of events at a time; try again later"
        return None

    def response(self, visitor: Hashable, content: AsyncIterator[bytes], headers: Mapping[str, str]) -> Response:
        """The answer that has a place until it ends, however it ends."""
        from starlette.responses import StreamingResponse

        opened = self._open

        class Counted(StreamingResponse):
            """Gives its place back."""

            async def __call__(self, *asgi: Any) -> None:
                opened[visitor] += 1
                try:
                    await super().__call__(*asgi)
                finally:
                    opened[visitor] -= 1
                    if not opened[visitor]:
                        del opened[visitor]

        return Counted(content, media_type="text/event-stream", headers=headers)
