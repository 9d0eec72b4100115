"""Progress: how far running evaluations are, on a page, and as a stream of events that tells whenever something changes."""

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
"""Seconds between two looks at the files that evaluations write."""
HEARTBEAT = 10.0
"""Seconds of silence after which a sign of life is sent, so that nobody between takes the stream for dead."""
RETRY = 3000
"""Milliseconds after which a browser that lost the stream asks again."""


@dataclass(frozen=True)
class Bar:
    """How far a part is, as the page shows it."""

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
    """What is running now; scripts keep it up to date, and without them the page is as it was when it was loaded."""
    return View("progress.html.j2", "Progress", {"runs": _runs(list_running(state.store.place)), "events": EVENTS})


def _runs(running: Sequence[Running]) -> list[Run]:
    return [
        Run(
            run.id,
            f"begun {readable_time(run.started)} UTC · {run.n_done} of {counted(run.n_parts, 'result')} complete",
            tuple(
                Bar(part.name, part.n_done, part.n_asked, _about(part.n_failed, part.n_cached, part.waiting))
                for part in run.parts
            ),
        )
        for run in running
    ]


def _about(n_failed: int, n_cached: int, waiting: str) -> str:
    counts = [f"{n_failed:,} failed"] if n_failed else []
    counts += [f"{n_cached:,} from before"] if n_cached else []
    return " · ".join([*counts, *([f"waiting: {waiting}"] if waiting else [])])


def routes(state: AppState, renderer: Renderer) -> list[BaseRoute]:
    """The stream of events; a HEAD request gets its headers alone."""
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
    """What is running, at once and whenever it changes; until whoever listens has left or logged out, or the server ends."""
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
