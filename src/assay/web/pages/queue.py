"""Queue: the pools to judge, and one pair of a pool at a time, by keyboard, with a mouse or on a phone.

A response of this page never contains a rank, a system, a score, a probability, or a grade by someone else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.errors import BadParameter, UnknownName, near_matches
from assay.judging import PoolPair
from assay.store import LONGEST_JUDGE, PEOPLE, Judgment, Undecided, judge_name
from assay.text import printable, shortened
from assay.web.page import Page, PageRequest, View
from assay.web.pages.judging import remember_judge, remembered_judge
from assay.web.queue.sessions import GRADED, SKIPPED, UNDECIDED
from assay.web.queue.turns import Turn, ids_of, progress_of_all, turn_of
from assay.web.rendering import Answer

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from assay.web.queue.pools import QueuePool
    from assay.web.rendering import Renderer
    from assay.web.state import AppState

SKIP, CANNOT_TELL, UNDO, START = "skip", "cannot-tell", "undo", "start"
"""What a form asks for, if not a grade."""
PART_HEADER = "x-assay-part"
"""A request of the script, which needs only the pair, not the whole page."""
NO_STORE = {"cache-control": "no-store"}


def show_pools(state: AppState, request: PageRequest) -> View:
    """The pools of the benchmarks in the store, with the progress of each judge."""
    listed = [(queue, progress_of_all(state, queue)) for queue in state.queue_pools.each(state)]
    return View("queue_pools.html.j2", "Queue", {"pools": listed, "judge": request.judge, "newer": None})


def show_queue(state: AppState, request: PageRequest) -> View:
    """The next pair of a pool for the current judge, or the question who judges."""
    queue = state.queue_pools.find(state, request.places["pool"])
    is_known = _is_judge(queue, request.judge) and not request.has("who")
    turn = turn_of(state, queue, request.judge) if is_known else None
    return _view(queue, turn, request.judge)


def _view(queue: QueuePool, turn: Turn | None, judge: str = "", problem: str = "") -> View:
    content = {"queue": queue, "turn": turn, "judge": judge, "problem": problem, "newer": None, "keys_of_page": True}
    return View("queue.html.j2", f"Judge pairs on {queue.benchmark}", content)


def _is_judge(queue: QueuePool, judge: str) -> bool:
    return bool(judge) and (not queue.pool.judges or judge in queue.pool.judges)


def routes(state: AppState, renderer: Renderer) -> list[BaseRoute]:
    """The address of the forms; the guard has checked that the form is ours."""
    from starlette.concurrency import run_in_threadpool
    from starlette.routing import Route

    async def judge(request: Request) -> Response:
        form = await request.form()
        fields = {name: value for name, value in form.items() if isinstance(value, str)}
        return await run_in_threadpool(_take, state, renderer, request, fields)

    return [Route(PAGE.path, judge, methods=["POST"])]


def _take(state: AppState, renderer: Renderer, request: Request, fields: Mapping[str, str]) -> Response:
    """Do what the form asks for, then show the next pair."""
    queue = state.queue_pools.find(state, request.path_params["pool"])
    if fields.get("do") == START:
        return _start(renderer, request, queue, judge_name(fields.get("judge", "")))
    judge = judge_name(fields.get("judge", "")) or remembered_judge(request)
    if not _is_judge(queue, judge):
        raise UnknownName("judge of this pool", judge, near_matches(judge, queue.pool.judges), _who_hint(queue))
    turn = Form(state, queue, judge, fields).done()
    if request.headers.get(PART_HEADER):
        view = View("queue_pair.html.j2", "", {"turn": turn, "queue": queue})
        return Answer(renderer.rendered(view, PageRequest(request.url.path), PAGE.section), headers=NO_STORE).to(request)
    if fields.get("do") == UNDO:  # the note that was given before is only in this response
        page = renderer.rendered(_view(queue, turn, judge), PageRequest(request.url.path), PAGE.section)
        return Answer(page, headers=NO_STORE).to(request)
    return _to_queue(request)


def _who_hint(queue: QueuePool) -> str:
    return f"it was drawn for {', '.join(queue.pool.judges)}" if queue.pool.judges else "enter your name first"


def _to_queue(request: Request) -> Response:
    from starlette.responses import RedirectResponse

    return RedirectResponse(request.url.path, 303)


def _start(renderer: Renderer, request: Request, queue: QueuePool, judge: str) -> Response:
    """Remember who judges; ask again if the name is not valid."""
    if _is_judge(queue, judge) and len(judge) <= LONGEST_JUDGE:
        answer = _to_queue(request)
        remember_judge(answer, request, judge)
        return answer
    if queue.pool.judges:
        problem = f"Choose one of the judges of this pool: {', '.join(queue.pool.judges)}."
    else:
        problem = f"Enter your name, with at most {LONGEST_JUDGE} characters."
    page = renderer.rendered(_view(queue, None, judge, problem), PageRequest(request.url.path), PAGE.section)
    return Answer(page, status=400, headers=NO_STORE).to(request)


@dataclass(frozen=True)
class Form:
    """A form as it was sent by a judge."""

    state: AppState
    queue: QueuePool
    judge: str
    fields: Mapping[str, str]

    def done(self) -> Turn:
        """Do it, and say what the judge sees next."""
        do = self.fields.get("do", "")
        if do == UNDO:
            return self._undone()
        pair = self._pair()
        if do == SKIP:
            outcome = "Skipped. The pair comes back at the end."
        elif do == CANNOT_TELL:
            self.state.judgments.leave_undecided(self._undecided(pair))
            outcome = "Left undecided."
        elif do in map(str, self.queue.scale):
            self.state.judgments.give(self._judgment(pair, int(do)))
            outcome = f"Saved: {do}."
        else:
            grades = ", ".join(map(str, self.queue.scale))
            raise BadParameter(f"do must be a grade ({grades}), {SKIP}, {CANNOT_TELL} or {UNDO}, not {shortened(do)}")
        self._session.note(ids_of(pair), {SKIP: SKIPPED, CANNOT_TELL: UNDECIDED}.get(do, GRADED))
        return turn_of(self.state, self.queue, self.judge, outcome=outcome)

    @property
    def _session(self) -> Any:
        return self.state.queue_sessions.of(self.queue.pool.id, self.judge)

    def _pair(self) -> PoolPair:
        asked = tuple(printable(self.fields.get(name, "")) for name in ("query", "document"))
        pair = next((pair for pair in self.queue.pairs(self.judge) if ids_of(pair) == asked), None)
        if pair is None:
            what = f"document {shortened(asked[1])} and query {shortened(asked[0])}"
            raise BadParameter(f"{what} are not a pair that {self.judge} judges in this pool. Reload the page")
        return pair

    def _judgment(self, pair: PoolPair, grade: int) -> Judgment:
        return Judgment(
            self.queue.benchmark,
            pair.query,
            pair.document,
            self.judge,
            grade,
            self.fields.get("reason", ""),
            text_digest=self.fields.get("text", ""),
            pool=self.queue.pool.id,
            probability=pair.probability,
        )

    def _undecided(self, pair: PoolPair) -> Undecided:
        return Undecided(
            self.queue.benchmark,
            pair.query,
            pair.document,
            self.judge,
            self.fields.get("reason", ""),
            text_digest=self.fields.get("text", ""),
            pool=self.queue.pool.id,
        )

    def _undone(self) -> Turn:
        """Go back to the last pair and withdraw what was said about it; without a session, to the newest grade."""
        book, benchmark, judge = self.state.judgments, self.queue.benchmark, self.judge
        mine = set(map(ids_of, self.queue.pairs(judge)))
        own = [grade for grade in book.find(benchmark, judge=judge, kind=PEOPLE) if not grade.is_settled]
        action = self._session.undo()
        last = next((grade for grade in reversed(own) if (grade.query, grade.document) in mine), None)
        pair = action.pair if action else (last.query, last.document) if last else None
        if pair is None:
            return turn_of(self.state, self.queue, judge, outcome="There is nothing to undo.")
        kind = action.kind if action else GRADED
        before = next((grade for grade in own if (grade.query, grade.document) == pair and kind == GRADED), None)
        if before is not None:
            book.withdraw(before)
        if kind == UNDECIDED:
            book.withdraw_undecided(Undecided(benchmark, pair[0], pair[1], judge))
        self._session.show_again(pair)
        outcome = f"Undone: the grade {before.grade:g} is withdrawn." if before else "Undone."
        return turn_of(self.state, self.queue, judge, before, outcome)


POOLS = Page("/queue", show_pools, label="Queue", is_kept=False, knows_judge=True)
PAGE = Page("/queue/{pool}", show_queue, takes=("who",), section="Queue", is_kept=False, knows_judge=True)
