"""Live: one stream of events, by which open pages learn that the store has changed, and which evaluations are running."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from assay.errors import StoreError
from assay.serialize import dumps
from assay.store import list_running
from assay.web.security import address_of
from assay.web.throttle import visitor_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from assay.web.rendering import Renderer
    from assay.web.security import Session
    from assay.web.state import AppState

EVENTS = "/events"
POLL_SECONDS = 0.5
"""Seconds between two looks at the store and at the files that evaluations write. All streams share them."""
HEARTBEAT = 10.0
"""Seconds of silence after which a heartbeat is sent, so that proxies do not close the stream."""
RETRY = 3000
"""Milliseconds after which a browser that lost the stream reconnects."""


class News(NamedTuple):
    """What a stream says: the running evaluations, and the state of the store, both as JSON."""

    progress: bytes
    store: bytes

    def events(self, before: News | None = None) -> bytes:
        """The events about everything that differs from what was said before."""
        parts = zip(self._fields, self, before or (b"", b""), strict=True)
        return b"".join(b"event: %s\ndata: %s\n\n" % (name.encode(), now) for name, now, last in parts if now != last)


class NewsDesk:
    """Looks at the store at most every half a second, however many streams ask."""

    def __init__(self, state: AppState) -> None:
        self._state, self._lock = state, threading.Lock()
        self._looked, self._news = -POLL_SECONDS, News(b"", b"")
        self._version: Hashable = None

    def news(self) -> News:
        """The newest state. A store that is missing for a moment has no news."""
        with self._lock:
            if time.monotonic() - self._looked >= POLL_SECONDS / 2:
                running = [run.to_dict() for run in list_running(self._state.store.place)]
                self._news = News(dumps({"running": running}).encode(), self._store())
                self._looked = time.monotonic()
            return self._news

    def _store(self) -> bytes:
        """The number of results, which is counted only if the store has changed, and a mark that changes with the store."""
        version = self._state.store_version()
        if version == self._version:
            return self._news.store
        self._version = version
        mark = blake2b(repr(version).encode(), digest_size=8).hexdigest()
        return dumps({"n_results": self._state.n_results, "state": mark}).encode()


def routes(state: AppState, renderer: Renderer) -> list[BaseRoute]:
    """The stream of events; a HEAD request gets only its headers."""
    from starlette.responses import Response
    from starlette.routing import Route

    desk = NewsDesk(state)

    async def stream(request: Request) -> Response:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        if request.method == "HEAD":
            return Response(headers=headers, media_type="text/event-stream")
        session: Session = request.state.session
        visitor = session if session.started else visitor_of(address_of(request.scope))
        if refusal := state.streams.refusal(visitor):
            return renderer.problem(request.url.path, *refusal)
        return state.streams.response(visitor, events(state, desk, session), headers)

    return [Route(EVENTS, stream, methods=["GET"])]


async def events(state: AppState, desk: NewsDesk, session: Session) -> AsyncIterator[bytes]:
    """The news, at once and after every change, until the client leaves or logs out, or the server ends."""
    from starlette.concurrency import run_in_threadpool

    before, last_sent = await run_in_threadpool(desk.news), time.monotonic()
    yield f"retry: {RETRY}\n\n".encode() + before.events()
    while not state.is_ending and not session.is_over:
        await asyncio.sleep(POLL_SECONDS)
        try:
            news = await run_in_threadpool(desk.news)
        except StoreError:  # the store is being replaced; the pages say so themselves
            continue
        if news != before:
            last_sent = time.monotonic()
            yield news.events(before)
            before = news
        elif time.monotonic() - last_sent >= HEARTBEAT:
            last_sent = time.monotonic()
            yield b": still here\n\n"
