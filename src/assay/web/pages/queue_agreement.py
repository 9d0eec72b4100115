"""Agreement on a pool: how far its judges are and how well they agree, and the pairs on which they differ, to be settled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from assay.errors import BadParameter
from assay.reports import readable_time
from assay.store import LONGEST_JUDGE, PEOPLE, Disagreement, Judgment, digest_of_text, disagreements, judge_name
from assay.text import printable, shortened
from assay.web.judgments import agreement_grid
from assay.web.page import Page, PageRequest, View
from assay.web.pages.judging import WITHDRAW, remember_judge, remembered_judge
from assay.web.people_grades import people_grades
from assay.web.queue.turns import done_by, ids_of, progress_of_all

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from assay.judging import PoolPair
    from assay.web.queue.pools import QueuePool, ShownPair
    from assay.web.rendering import Renderer
    from assay.web.state import AppState

MAX_SHOWN = 50
"""Disagreements that the page shows at once; settled ones come last."""
ANCHOR = "disagreements"


@dataclass(frozen=True)
class ToSettle:
    """A pair on which people differ, as the page shows it."""

    pair: Disagreement
    shown: ShownPair

    @property
    def settled(self) -> str:
        """`2 by Ana, 2026-11-15 09:30`; empty if it is open."""
        final = self.pair.settled
        return f"{final.grade:g} by {final.judge}, {readable_time(final.judged)}" if final else ""

    @property
    def text_digest(self) -> str:
        """The digest of the text that is shown."""
        return digest_of_text(self.shown.text)


def show_agreement(state: AppState, request: PageRequest) -> View:
    """The progress and agreement of the judges of a pool, and the disagreements.

    A pair that the current judge has still to judge is held back, so that the judge does not see the grades of others.
    """
    queue = state.queue_pools.find(state, request.places["pool"])
    pairs = {ids_of(pair): pair for pair in queue.pool.drawn}
    people = people_grades(state, queue.benchmark).judgments
    grades = [grade for grade in people if (grade.query, grade.document) in pairs]
    differing = disagreements(grades)
    blind = _still_to_judge(state, queue, request.judge)
    visible = [pair for pair in differing if (pair.query, pair.document) not in blind]
    content = {
        "queue": queue,
        "judges": progress_of_all(state, queue),
        "agreement": agreement_grid(grades),
        "to_settle": [ToSettle(pair, queue.show(pairs[pair.query, pair.document])) for pair in visible[:MAX_SHOWN]],
        "n_open": sum(pair.settled is None for pair in differing),
        "n_settled": sum(pair.settled is not None for pair in differing),
        "n_held_back": len(differing) - len(visible),
        "n_more": max(0, len(visible) - MAX_SHOWN),
        "judge": request.judge,
        "newer": None,
    }
    return View("queue_agreement.html.j2", f"Agreement on {queue.benchmark}", content)


def _still_to_judge(state: AppState, queue: QueuePool, judge: str) -> set[tuple[str, str]]:
    """The pairs that a judge gets and has not judged yet; none for someone who has not started, who may lead the others."""
    if not judge:
        return set()
    done = done_by(state, queue, judge)
    mine = set(map(ids_of, queue.pairs(judge)))
    is_judging = judge in queue.pool.judges or bool(mine & (done.graded | done.undecided))
    return mine - done.graded - done.undecided if is_judging else set()


def routes(state: AppState, renderer: Renderer) -> list[BaseRoute]:  # noqa: ARG001 (as all routes)
    """The address of the forms that settle a disagreement; the guard has checked that the form is ours."""
    from starlette.concurrency import run_in_threadpool
    from starlette.routing import Route

    async def settle(request: Request) -> Response:
        form = await request.form()
        fields = {name: value for name, value in form.items() if isinstance(value, str)}
        return await run_in_threadpool(_settle, state, request, fields)

    return [Route(PAGE.path, settle, methods=["POST"])]


def _settle(state: AppState, request: Request, fields: Mapping[str, str]) -> Response:
    """Store the settled grade, or remove it, and return to the list."""
    from starlette.responses import RedirectResponse

    queue = state.queue_pools.find(state, request.path_params["pool"])
    judge = judge_name(fields.get("judge", "")) or remembered_judge(request)
    if not judge or len(judge) > LONGEST_JUDGE:
        raise BadParameter(f"enter your name, with at most {LONGEST_JUDGE} characters, so that others see who settled it")
    pair, do = _disagreed(state, queue, fields), fields.get("do", "")
    final = Judgment(queue.benchmark, pair.query, pair.document, judge, 0, is_settled=True)
    if do == WITHDRAW:
        state.judgments.withdraw(final)
    elif do in map(str, queue.scale):
        reason, digest = fields.get("reason", ""), fields.get("text", "")
        final = final._replace(grade=int(do), reason=reason, text_digest=digest)
        state.judgments.give(final._replace(pool=queue.pool.id, probability=pair.probability))
    else:
        raise BadParameter(f"a grade must be one of {', '.join(map(str, queue.scale))}, not {shortened(do)}")
    answer = RedirectResponse(f"/queue/{quote(queue.pool.id)}/agreement#{ANCHOR}", 303)
    remember_judge(answer, request, judge)
    return answer


def _disagreed(state: AppState, queue: QueuePool, fields: Mapping[str, str]) -> PoolPair:
    """The pair of the form; an error if people do not disagree about it."""
    asked = tuple(printable(fields.get(name, "")) for name in ("query", "document"))
    known = state.judgments.find(queue.benchmark, asked[0], asked[1], kind=PEOPLE)
    pair = next((pair for pair in queue.pool.drawn if ids_of(pair) == asked), None)
    if pair is None or not disagreements(known):
        what = f"document {shortened(asked[1])} and query {shortened(asked[0])}"
        raise BadParameter(f"people do not disagree about {what} in this pool, so there is nothing to settle")
    return pair


PAGE = Page("/queue/{pool}/agreement", show_agreement, section="Queue", is_kept=False, knows_judge=True)
