"""Judging: a person grades what was retrieved and nobody had judged. The panel is on the page of a query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from assay.errors import BadParameter
from assay.store.judgments import LONGEST_JUDGE, Judgment
from assay.text import printable, shortened
from assay.web._judged import GRADES, judging_of
from assay.web._queries import query_url

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from assay.web._desk import Desk
    from assay.web._rendering import Renderer

__all__ = ["COOKIE", "judging_of", "routes"]

PATH = "/judge"
COOKIE = "assay_judge"
"""Remembers the judge's name; it is no secret, and the page's script reads it to fill in the field."""
YEAR = 365 * 24 * 3600
WITHDRAW = "none"
"""What a form sends in place of a grade that shall be taken back."""
MOST_AT_ONCE = 1000


def routes(desk: Desk, renderer: Renderer) -> list[BaseRoute]:  # noqa: ARG001 (all routes are made of the same)
    """The address that the panel's form is sent to; the guard has checked that it is ours."""
    from starlette.concurrency import run_in_threadpool
    from starlette.routing import Route

    async def judge(request: Request) -> Response:
        form = await request.form(max_fields=4 * MOST_AT_ONCE)
        fields = {name: value for name, value in form.items() if isinstance(value, str)}
        name = fields.get("judge", "").strip() or unquote(request.cookies.get(COOKIE, ""))
        return await run_in_threadpool(_judged, desk, fields, name)

    return [Route(PATH, judge, methods=["POST"])]


def _judged(desk: Desk, fields: Mapping[str, str], judge: str) -> Response:
    """Keep all grades of a form, then show the query again."""
    from starlette.responses import RedirectResponse

    key, written = fields.get("result", ""), fields.get("query", "")
    result = desk.result(key)
    query = next((one for one in result.run if printable(one) == printable(written)), written)
    if not judge or len(judge) > LONGEST_JUDGE:
        raise BadParameter(f"say who judges: a name of up to {LONGEST_JUDGE} letters. Go back, fill it in, and save again")
    retrieved = {printable(doc): doc for doc in result.run.get(query, {})}
    for number in range(MOST_AT_ONCE):
        document = fields.get(f"document-{number}")
        if document is None:
            break
        if not (grade := fields.get(f"grade-{number}", "")):
            continue
        if printable(document) not in retrieved:
            raise BadParameter(f"{shortened(document)} was not retrieved for {shortened(query)} in {key}")
        given = Judgment(
            result.benchmark,
            query,
            document,
            judge,
            0 if grade == WITHDRAW else _grade(grade),
            fields.get(f"note-{number}", ""),
        )
        if grade == WITHDRAW:
            desk.store.judgments.withdraw(given)
        else:
            desk.store.judgments.give(given)
    answer = RedirectResponse(f"{query_url(key, query)}#judging", 303)
    answer.set_cookie(COOKIE, quote(judge), max_age=YEAR, samesite="lax")
    return answer


def _grade(text: str) -> int:
    if text not in map(str, GRADES):
        raise BadParameter(f"a grade is {', '.join(map(str, GRADES))}, not {shortened(text)}")
    return int(text)
