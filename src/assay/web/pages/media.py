"""Media: the address of small images, which are files of benchmarks that `assay serve --datasets` names.

A request names a benchmark by its fingerprint and a document or a query by its id, never a path. The file that the benchmark
names must be in the folder of the benchmark, and its first bytes must be those of PNG, JPEG, GIF or WebP.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.reports import DOCUMENTS, QUERIES

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from assay.web.rendering import Renderer
    from assay.web.state import AppState

LARGEST = 10_000_000
"""Bytes of an image. A larger one is not shown."""
CACHE = "private, max-age=300"
NOT_HERE = "no image of a benchmark of this server is here"


def routes(state: AppState, renderer: Renderer) -> list[BaseRoute]:
    """The address of images; the guard has checked the token."""
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import Response
    from starlette.routing import Route

    def image(part: str, fingerprint: str, name: str) -> tuple[str, bytes] | None:
        loaded = state.datasets.with_fingerprint(part, fingerprint) if part in (DOCUMENTS, QUERIES) else None
        return None if loaded is None else loaded.image(part, name, LARGEST)

    async def send(request: Request) -> Response:
        places, name = request.path_params, request.query_params.get("id", "")
        known = await run_in_threadpool(image, places["part"], places["fingerprint"], name)
        if known is None:
            return renderer.problem(request.url.path, 404, NOT_HERE)
        kind, content = known
        return Response(content, headers={"cache-control": CACHE}, media_type=kind)

    return [Route("/media/{part}/{fingerprint}", send, methods=["GET"])]
