"""The routes of the JSON API, made of the records of its endpoints: parameters and bodies are checked, answers kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec

from assay.errors import BadParameter, DataError, UnknownName, UsageError
from assay.masking import mask
from assay.serialize import to_json
from assay.web._answers import Answer
from assay.web._desk import AppState
from assay.web._endpoint import JSON, ZSTD, Endpoint

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from assay.web._rendering import Renderer


def routes_of(endpoints: Sequence[Endpoint], desk: AppState, renderer: Renderer) -> list[BaseRoute]:
    """A route for each path."""
    by_path = groupby(sorted(endpoints, key=lambda one: one.path), key=lambda one: one.path)
    return [_route(desk, renderer, list(same)) for _, same in by_path]


def _route(desk: AppState, renderer: Renderer, endpoints: Sequence[Endpoint]) -> BaseRoute:
    from starlette.routing import Route

    by_method = {one.method: one for one in endpoints}

    async def answer(request: Request) -> Response:
        endpoint = by_method["GET" if request.method == "HEAD" else request.method]
        given = endpoint.read(dict(request.path_params), request.query_params.multi_items())
        if endpoint.body is not None:
            kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != JSON:
                return renderer.problem(request.url.path, 415, f"send {JSON}, not {kind or 'nothing'}")
            given["body"] = _body(await request.body(), endpoint.body)
        key, make = (request.url.path, *request.query_params.multi_items()), partial(_answer, desk, endpoint, given)
        return (await desk.made(request, key, make, is_heavy=endpoint.is_heavy)).to(request)

    return Route(endpoints[0].url, answer, methods=list(by_method))


def _answer(desk: AppState, endpoint: Endpoint, given: Mapping[str, Any]) -> Answer:
    """One state of the store is one answer, where that is all it depends on."""

    def work() -> Answer:
        try:
            return _made(endpoint, endpoint.answer(desk, given))
        except UnknownName:
            raise
        except UsageError as error:  # the request is as the document has it, so it is the data that do not allow it
            raise DataError(str(error)) from None

    if endpoint.method != "GET" or not endpoint.is_kept or given.get("since"):
        return work()
    key = (desk.state(), endpoint.url, tuple(given.items()))
    found: Answer = desk.pages.get(key, work)
    return found


def _made(endpoint: Endpoint, content: Any) -> Answer:
    body = content if isinstance(content, bytes) else mask(to_json(content).decode()).encode()
    headers = {"content-disposition": 'attachment; filename="assay-export.jsonl.zst"'} if endpoint.kind == ZSTD else {}
    return Answer(body, endpoint.kind, endpoint.status, headers)


def _body(content: bytes, wanted: type) -> Any:
    try:
        return msgspec.json.decode(content, type=wanted)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadParameter(f"what was sent cannot be read: {error}") from None
