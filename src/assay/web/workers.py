"""Workers: a few separate threads for long computations, so that other pages never wait for them.

Identical requests are computed once. A job is not started if its clients have left. If too many jobs wait, new ones are
refused.
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
"""More threads would only slow each other down."""
MAX_JOBS = 32
"""Running and waiting jobs together."""


class TooBusy(Exception):
    """Too many jobs are waiting."""

    def __init__(self) -> None:
        super().__init__("the server is busy: try again in a few seconds")


@dataclass(eq=False)
class Job:
    """A computation, and how many clients wait for it."""

    future: Future[Any]
    n_waiting: int = 0


class Workers:
    """`await workers.run(key, work)` runs the work in a thread and returns its result. For one event loop."""

    def __init__(self, n_threads: int = THREADS, most_jobs: int = MAX_JOBS) -> None:
        self._threads = ThreadPoolExecutor(n_threads, thread_name_prefix="assay-work")
        self._most_jobs = most_jobs
        self._jobs: dict[Hashable, Job] = {}

    async def run(self, key: Hashable, work: Callable[[], T]) -> T:
        """The result of the work; TooBusy if too many jobs wait. A job without clients is not started."""
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

    def begin(self, work: Callable[[], Any]) -> None:
        """Start work that nobody waits for yet. An error in it is dropped: the next client sees it."""
        self._threads.submit(work)

    def _forget(self, key: Hashable, done: Future[Any]) -> None:
        job = self._jobs.get(key)
        if job is not None and job.future is done:
            del self._jobs[key]


class ClientGone(Exception):
    """The client has left."""


async def cancel_when_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """The result of the work; if the client leaves, the work is cancelled and ClientGone is raised."""
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


# Streams: responses that run until the reader leaves. Their number is limited, in total and per visitor.

MAX_STREAMS, MAX_STREAMS_EACH = 64, 8
"""In total, and per session or address."""


class Streams:
    """`streams.refusal(visitor)` says whether one more is allowed; `streams.response(…)` opens it."""

    def __init__(self, most: int = MAX_STREAMS, most_each: int = MAX_STREAMS_EACH) -> None:
        self.most, self.most_each = most, most_each
        self._open: Counter[Hashable] = Counter()

    def __len__(self) -> int:
        return self._open.total()

    def refusal(self, visitor: Hashable) -> tuple[int, str] | None:
        """Status and message if one more stream of a visitor is refused; None if it is allowed."""
        if self._open[visitor] >= self.most_each:
            return 429, f"at most {self.most_each} event streams per visitor are allowed. Close one of them"
        if len(self) >= self.most:
            return 503, f"at most {self.most} event streams are allowed at a time. Try again later"
        return None

    def response(self, visitor: Hashable, content: AsyncIterator[bytes], headers: Mapping[str, str]) -> Response:
        """The response, which is counted until it ends in any way."""
        from starlette.responses import StreamingResponse

        opened = self._open

        class Counted(StreamingResponse):
            """A response that is counted while it is open."""

            async def __call__(self, *asgi: Any) -> None:
                opened[visitor] += 1
                try:
                    await super().__call__(*asgi)
                finally:
                    opened[visitor] -= 1
                    if not opened[visitor]:
                        del opened[visitor]

        return Counted(content, media_type="text/event-stream", headers=headers)
