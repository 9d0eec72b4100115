"""Notes and tags of queries: the address that saves and removes them. The form is on the page of a query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.errors import BadParameter
from assay.store import QueryNote, judge_name
from assay.text import printable, shortened
from assay.web.grading import return_address
from assay.web.pages.judging import remember_judge, remembered_judge
from assay.web.queries import query_url
from assay.web.query_notes import ANCHOR, PATH

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from assay.web.rendering import Renderer
    from assay.web.state import AppState


def routes(state: AppState, renderer: Renderer) -> list[BaseRoute]:  # noqa: ARG001 (as all routes)
    """The address for the form; the guard has checked that the form is ours."""
    from starlette.concurrency import run_in_threadpool
    from starlette.routing import Route

    async def save(request: Request) -> Response:
        form = await request.form()
        fields = {name: value for name, value in form.items() if isinstance(value, str)}
        author = judge_name(fields.get("judge", "")) or remembered_judge(request)
        return await run_in_threadpool(_save, state, request, fields, author)

    return [Route(PATH, save, methods=["POST"])]


def _save(state: AppState, request: Request, fields: Mapping[str, str], author: str) -> Response:
    """Save or remove a note, then return to the page of the form."""
    from starlette.responses import RedirectResponse

    key, written = fields.get("result", ""), fields.get("query", "")
    result = state.result(key)
    query = next((name for name in (*result.query_ids, *result.run) if printable(name) == printable(written)), None)
    if query is None:
        raise BadParameter(f"{key} has no query {shortened(written)}, so it cannot have a note")
    note = QueryNote(result.benchmark, query, fields.get("text", ""), author, fields.get("kind", "note"))
    if fields.get("remove"):
        outcome = {"unnoted": int(state.query_notes.remove(note))}
    else:
        state.query_notes.add(note)
        outcome = {"noted": 1}
    own_page = query_url(key, query)
    answer = RedirectResponse(return_address(fields.get("next", ""), own_page, fields.get("anchor", ANCHOR), outcome), 303)
    if author:
        remember_judge(answer, request, author)
    return answer
