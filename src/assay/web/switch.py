"""Switch: the results that some words mean, for the box that Ctrl-K opens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.reports import readable
from assay.text import printable
from assay.web._desk import AppState, Listed
from assay.web._page import refuse_long
from assay.web._rendering import Renderer

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

MOST = 30
LONGEST = 120


def routes(desk: AppState, renderer: Renderer) -> list[BaseRoute]:  # noqa: ARG001 (as all that make routes)
    """`/switch?words=…`: a list in JSON."""
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    async def endpoint(request: Request) -> Response:
        sought = request.query_params.get("words", "")
        refuse_long("words", sought)
        return JSONResponse(await run_in_threadpool(found, desk, sought), headers={"cache-control": "no-store"})

    return [Route("/switch", endpoint, methods=["GET"])]


def found(desk: AppState, sought: str) -> list[dict[str, Any]]:
    """The newest results that all the words are in."""
    words = sought.casefold().split()
    some = []
    for one in desk.shelf.listed:
        if all(word in one.words for word in words):
            some.append(_plain(one))
        if len(some) == MOST:
            break
    return some


def _plain(one: Listed) -> dict[str, Any]:
    entry = one.entry
    about = [entry.benchmark, readable(entry.started), entry.evaluation, *(f"baseline {name}" for name in entry.baselines)]
    return {
        "label": printable(entry.provider or "run")[:LONGEST],
        "about": printable(" · ".join(filter(None, about)))[: 2 * LONGEST],
        "url": one.url,
    }
