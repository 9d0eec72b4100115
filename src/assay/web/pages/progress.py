"""Progress: the state of running evaluations, as a page and as a stream of events."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.reports import readable_time
from assay.store import Running, list_running
from assay.text import counted
from assay.web.page import Page, PageRequest, View
from assay.web.security import address_of
from assay.web.throttle import visitor_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from assay.web.rendering import Renderer
    from assay.web.security import Session
    from assay.web.state import AppState

EVENTS = "/progress/events"
POLL_SECONDS = 0.5
"""Seconds between two checks of the files that evaluations write."""
HEARTBEAT = 10.0
"""Seconds of silence after which a heartbeat is sent, so that proxies do not close the stream."""
RETRY = 3000
"""Milliseconds after which a browser that lost the stream reconnects."""


@dataclass(frozen=True)
class Bar:
    """The progress of a part, as the page shows it."""

    name: str
    n_done: int
    n_asked: int
    about: str


@dataclass(frozen=True)
class Run:
    """A running evaluation, as the page shows it."""

    id: str
    title: str
    bars: tuple[Bar, ...]


def show_progress(state: AppState, request: PageRequest) -> View:  # noqa: ARG001 (all pages take the same)
    """The running evaluations; a script updates the page, and without it the page shows the state when it was loaded."""
    return View("progress.html.j2", "Progress", {"runs": _runs(list_running(state.store.place)), "events": EVENTS})


def _runs(running: Sequence[Running]) -> list[Run]:
    return [
        Run(
            run.id,
            f"started {readable_time(run.started)} UTC · {run.n_done} of {counted(run.n_parts, 'result')} complete",
            tuple(
                Bar(part.name, part.n_done, part.n_asked, _about(part.n_failed, part.n_cached, part.waiting))
                for part in run.parts
            ),
        )
        for run in running
    ]


def _about(n_failed: int, n_cached: int, waiting: str) -> str:
    counts = [f"{n_failed:,} failed"] if n_failed else []
    counts += [f"{n_cached:,} cached"] if n_cached else []
    return " · ".join([*counts, *([f"waiting: {waiting}"] if waiting else [])])


def routes(state: AppState, renderer: Renderer) -> list[BaseRoute]:
    """The stream of events; a HEAD request gets only its headers."""
    from starlette.responses import Response
    from starlette.routing import Route

    async def stream(request: Request) -> Response:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        if request.method == "HEAD":
            return Response(headers=headers, media_type="text/event-stream")
        session: Session = request.state.session
        visitor = session if session.started else visitor_of(address_of(request.scope))
        if refusal := state.streams.refusal(visitor):
            return renderer.problem(request.url.path, *refusal)
        return state.streams.response(visitor, events(state, session), headers)

    return [Route(EVENTS, stream, methods=["GET"])]


async def events(state: AppState, session: Session) -> AsyncIterator[bytes]:
    """The running evaluations, at once and after every change, until the client leaves or logs out, or the server ends."""
    from starlette.concurrency import run_in_threadpool

    before, last_sent = await run_in_threadpool(_content, state), time.monotonic()
    yield f"retry: {RETRY}\n\n".encode() + _event(before)
    while not state.is_ending and not session.is_over:
        await asyncio.sleep(POLL_SECONDS)
        content = await run_in_threadpool(_content, state)
        if content != before:
            before, last_sent = content, time.monotonic()
            yield _event(content)
        elif time.monotonic() - last_sent >= HEARTBEAT:
            last_sent = time.monotonic()
            yield b": still here\n\n"


def _event(content: bytes) -> bytes:
    return b"event: progress\ndata: " + content + b"\n\n"


def _content(state: AppState) -> bytes:
    from assay.serialize import dumps

    return dumps({"running": [run.to_dict() for run in list_running(state.store.place)]}).encode()


PAGE = Page("/progress", show_progress, "Progress", is_kept=False)
