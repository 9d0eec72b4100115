"""Decide: the forms of a comparison that bless the newer result, and that write a note on its evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from assay.errors import BadParameter
from assay.web.page import PageRequest, address
from assay.web.pages.compare import OUTCOME
from assay.web.pages.compare import PAGE as COMPARE
from assay.web.state import LOCK_TIMEOUT, AppState

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from assay.web.rendering import Renderer

BLESS, NOTE = "/compare/bless", "/compare/note"
LONGEST_NOTE = 4_000


def routes(state: AppState, renderer: Renderer) -> list[BaseRoute]:  # noqa: ARG001 (as all that make routes)
    """The addresses of the forms; the guard has checked that a form is ours."""
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import RedirectResponse
    from starlette.routing import Route

    async def bless(request: Request) -> Response:
        return RedirectResponse(await run_in_threadpool(_bless, state, await _fields(request)), 303)

    async def note(request: Request) -> Response:
        return RedirectResponse(await run_in_threadpool(_note, state, await _fields(request)), 303)

    return [Route(BLESS, bless, methods=["POST"]), Route(NOTE, note, methods=["POST"])]


async def _fields(request: Request) -> Mapping[str, str]:
    form = await request.form(max_fields=20)
    return {name: value for name, value in form.items() if isinstance(value, str)}


def _bless(state: AppState, fields: Mapping[str, str]) -> str:
    """Bless a result, and return the address that says so. The store refuses names and results that do not fit."""
    listed = state.listed_result(fields.get("result", ""))
    entry, name = listed.entry, fields.get("name", "").strip()
    n_results = sum(other.entry.evaluation == entry.evaluation for other in state.index.results)
    part = f"#{entry.benchmark}/{entry.provider}" if n_results > 1 and entry.benchmark else ""
    blessed = state.store.within(LOCK_TIMEOUT).bless(f"{entry.evaluation}{part}", name)
    before = blessed.before.partition("#")[0] if blessed.before and blessed.before != blessed.evaluation else None
    return _back(fields, listed.key, blessed=blessed.name, replaced=before)


def _note(state: AppState, fields: Mapping[str, str]) -> str:
    """Write a note on the evaluation of a result, and return the address that says so."""
    listed, text = state.listed_result(fields.get("result", "")), fields.get("text", "").strip()
    if len(text) > LONGEST_NOTE:
        raise BadParameter(f"a note must have at most {LONGEST_NOTE:,} characters, found {len(text):,}")
    state.store.within(LOCK_TIMEOUT).note(listed.entry.evaluation, text)
    return _back(fields, listed.key, annotated=1)


def _back(fields: Mapping[str, str], key: str, **outcome: Any) -> str:
    """The comparison from which a form was sent, with the outcome; only its own parameters are repeated."""
    path, _, query = fields.get("next", "").partition("?")
    if path != COMPARE.path:
        return address(COMPARE.path, r=key)
    known = tuple((name, value) for name, value in parse_qsl(query) if name in COMPARE.takes and name not in OUTCOME)
    return f"{PageRequest(COMPARE.path, {}, known).url(**outcome)}#decide"
