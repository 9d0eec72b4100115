"""Judging: saves the grades of a person, from the panel on the page of a query or from the form of one document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote

from assay.errors import BadParameter
from assay.store import LONGEST_JUDGE, PEOPLE, Judgment, judge_name
from assay.text import printable, shortened
from assay.web.grading import GRADES, own_grades, return_address
from assay.web.judgments import Draft
from assay.web.page import PageRequest, address
from assay.web.pages.query import PAGE, show_query
from assay.web.people_grades import documents_of
from assay.web.rendering import Answer

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from assay.evaluation import Result
    from assay.web.rendering import Renderer
    from assay.web.state import AppState

PATH = "/judge"
COOKIE = "assay_judge"
"""Remembers the judge's name, which is not a secret."""
YEAR = 365 * 24 * 3600
WITHDRAW = "none"
"""What a form sends instead of a grade to remove it."""
MAX_AT_ONCE = 1000


def remembered_judge(request: Request) -> str:
    """The judge's name from the cookie; empty if it is not a valid name."""
    name = judge_name(unquote(request.cookies.get(COOKIE, "")))
    return name if len(name) <= LONGEST_JUDGE else ""


def remember_judge(answer: Response, request: Request, judge: str) -> None:
    """Let the browser remember the judge's name."""
    is_secure = request.scope["scheme"] == "https"
    answer.set_cookie(COOKIE, quote(judge), max_age=YEAR, httponly=True, samesite="lax", secure=is_secure)


def routes(state: AppState, renderer: Renderer) -> list[BaseRoute]:
    """The address for the panel's form; the guard has checked that the form is ours."""
    from starlette.concurrency import run_in_threadpool
    from starlette.routing import Route

    async def judge(request: Request) -> Response:
        form = await request.form(max_fields=5 * MAX_AT_ONCE)
        fields = {name: value for name, value in form.items() if isinstance(value, str)}
        sent = SentForm(fields, judge_name(fields.get("judge", "")) or remembered_judge(request))
        return await run_in_threadpool(_save_grades, state, renderer, request, sent)

    return [Route(PATH, judge, methods=["POST"])]


class SentGrade(NamedTuple):
    """The grade for one document in a form, as it was sent."""

    document: str
    grade: str
    reason: str
    text_digest: str


SENT_FIELDS = ("document", "grade", "reason", "text")
"""The fields of a document in a form; each is followed by its number."""


@dataclass(frozen=True)
class SentForm:
    """A form as it was sent, and the name of the judge."""

    fields: Mapping[str, str]
    judge: str

    @property
    def rows(self) -> list[SentGrade]:
        """Every document with a grade."""
        numbers = [name.removeprefix("document-") for name in self.fields if name.startswith("document-")]
        every = [SentGrade(*(self.fields.get(f"{kind}-{number}", "") for kind in SENT_FIELDS)) for number in numbers]
        return [row for row in every if row.grade]


def _save_grades(state: AppState, renderer: Renderer, request: Request, sent: SentForm) -> Response:
    """Save all grades of a form or none, then show the query again with the outcome."""
    from starlette.responses import RedirectResponse

    key, written = sent.fields.get("result", ""), sent.fields.get("query", "")
    result = state.result(key)
    query = next((name for name in result.run if printable(name) == printable(written)), written)
    _check_grades(state, result, key, query, sent)
    if not sent.judge or len(sent.judge) > LONGEST_JUDGE:
        return _show_form_again(state, renderer, key, query, sent).to(request)
    new, withdrawn = _changes(state, result, query, sent)
    n_back = state.judgments.give_all(new, withdrawn)
    outcome = {"saved": len(new), "back": n_back, "nothing": not new and not n_back and 1}
    fields = sent.fields
    own_page = address(f"/result/{key}/query", id=query)
    target = return_address(fields.get("next", ""), own_page, fields.get("anchor", "judging"), outcome)
    answer = RedirectResponse(target, 303)
    remember_judge(answer, request, sent.judge)
    return answer


def _check_grades(state: AppState, result: Result, key: str, query: str, sent: SentForm) -> None:
    """Refuse documents that were neither retrieved nor judged, and grades that do not exist, before anything is saved."""
    known = set(map(printable, [*documents_of(result, query), *own_grades(state, result, query)]))
    for row in sent.rows:
        if printable(row.document) not in known:
            what = f"{shortened(row.document)} was neither retrieved nor judged for the query {shortened(query)} in {key}"
            raise BadParameter(f"{what}, so it cannot be graded")
        if row.grade not in (WITHDRAW, *map(str, GRADES)):
            raise BadParameter(f"a grade must be one of {', '.join(map(str, GRADES))}, not {shortened(row.grade)}")


def _changes(state: AppState, result: Result, query: str, sent: SentForm) -> tuple[list[Judgment], list[Judgment]]:
    """The new grades in a form, and the grades to remove. Grades that were already selected when it was shown are not new.

    They were selected for the judge in `shown-to`; if another judge sends the form, they are not new grades either.
    """
    known = state.judgments.find(result.benchmark, query, kind=PEOPLE)
    ticked = {
        judgment.document: (f"{judgment.grade:g}", judgment.reason)
        for judgment in known
        if not judgment.is_settled and judgment.judge == sent.fields.get("shown-to", sent.judge)
    }
    new, withdrawn = [], []
    for row in sent.rows:
        judgment = Judgment(result.benchmark, query, row.document, sent.judge, 0, text_digest=row.text_digest)
        if row.grade == WITHDRAW:
            withdrawn.append(judgment)
        elif ticked.get(printable(row.document)) != (row.grade, " ".join(row.reason.split())):
            new.append(judgment._replace(grade=int(row.grade), reason=row.reason))
    return new, withdrawn


def _show_form_again(state: AppState, renderer: Renderer, key: str, query: str, sent: SentForm) -> Answer:
    """The same page with the values that were filled in, and the problem next to the field."""
    problem = f"Enter your name, with at most {LONGEST_JUDGE} characters. Nothing has been saved yet."
    draft = Draft(problem, sent.judge, {printable(row.document): (row.grade, row.reason) for row in sent.rows})
    evaluation, _, place = key.rpartition("/")
    params = (("id", query), *((name, sent.fields[name]) for name in ("from",) if sent.fields.get(name)))
    request = PageRequest(f"/result/{key}/query", {"evaluation": evaluation, "place": place}, params)
    view = show_query(state, request, draft)
    return Answer(renderer.rendered(view, request, PAGE.section), status=400, headers={"cache-control": "no-store"})
