"""Queue: what one judge sees next of a pool, and how far all judges are. It reveals no rank, system or grade."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from assay.judging import PoolPair
from assay.store import PEOPLE, Judgment, digest_of_text
from assay.text import counted, printable
from assay.web.people_grades import people_grades
from assay.web.queue.pools import QueuePool, ShownPair, judges_of
from assay.web.queue.sessions import Ids, QueueSession, minutes_for, seconds_each

if TYPE_CHECKING:
    from assay.store import Undecided
    from assay.web.state import AppState


def ids_of(pair: PoolPair) -> Ids:
    """The ids of a pair as the store has them."""
    return printable(pair.query), printable(pair.document)


class Done(NamedTuple):
    """What a judge has done of a pool."""

    graded: frozenset[Ids]
    undecided: frozenset[Ids]

    @classmethod
    def of(cls, judgments: Iterable[Judgment], undecided: Iterable[Undecided]) -> Done:
        """What these judgments and undecided pairs of one judge say."""
        graded = ((judgment.query, judgment.document) for judgment in judgments if not judgment.is_settled)
        return cls(frozenset(graded), frozenset((pair.query, pair.document) for pair in undecided))


def done_by(state: AppState, queue: QueuePool, judge: str) -> Done:
    """What a judge has done on the benchmark of a pool."""
    graded = state.judgments.find(queue.benchmark, judge=judge, kind=PEOPLE)
    return Done.of(graded, state.judgments.undecided(queue.benchmark, judge=judge))


@dataclass(frozen=True)
class Progress:
    """How far a judge is."""

    judge: str
    n_all: int
    n_graded: int
    n_undecided: int
    seconds: float | None
    """Seconds for a pair; None if they are unknown."""
    n_skipped: int = 0

    @property
    def n_done(self) -> int:
        """Pairs with a grade, and undecided ones."""
        return self.n_graded + self.n_undecided

    @property
    def n_left(self) -> int:
        """Pairs without a grade that are not undecided."""
        return self.n_all - self.n_done

    @property
    def minutes_left(self) -> float:
        """At the pace so far, or at the usual one."""
        return minutes_for(self.n_left, self.seconds)

    @property
    def time_left(self) -> str:
        """`about 12 minutes`, `about 2 hours`, or empty if nothing is left."""
        if not self.n_left:
            return ""
        if self.minutes_left < 1:
            return "less than a minute"
        if self.minutes_left < 90:
            return f"about {counted(round(self.minutes_left), 'minute')}"
        return f"about {self.minutes_left / 60:.1f} hours"

    @property
    def pace(self) -> str:
        """`510 pairs an hour`; empty if it is unknown."""
        return "" if self.seconds is None else f"{round(3600 / self.seconds):,} pairs an hour"

    @property
    def counts(self) -> str:
        """`12 of 180 pairs graded, 1 undecided, 2 skipped`."""
        more = [(self.n_undecided, "undecided"), (self.n_skipped, "skipped")]
        rest = "".join(f", {n:,} {what}" for n, what in more if n)
        return f"{self.n_graded:,} of {counted(self.n_all, 'pair')} graded{rest}"


def progress_of(pairs: Sequence[PoolPair], judge: str, done: Done, session: QueueSession) -> Progress:
    """How far a judge is, with the pace of this session."""
    mine = set(map(ids_of, pairs))
    n_skipped = session.n_skipped(mine - done.graded - done.undecided)
    n_graded, n_undecided = len(mine & done.graded), len(mine & done.undecided - done.graded)
    return Progress(judge, len(mine), n_graded, n_undecided, session.seconds_each, n_skipped)


def progress_of_all(state: AppState, queue: QueuePool) -> list[Progress]:
    """How far each judge of a pool is: the named ones, or all who have graded pairs of it; with the pace of all sessions."""
    in_pool = {ids_of(pair) for pair in queue.pool.drawn}
    people = people_grades(state, queue.benchmark).judgments
    graded = [grade for grade in people if not grade.is_settled and (grade.query, grade.document) in in_pool]
    undecided = [pair for pair in state.judgments.undecided(queue.benchmark) if (pair.query, pair.document) in in_pool]
    names = judges_of(queue.pool, [*(grade.judge for grade in graded), *(pair.judge for pair in undecided)])
    listed = []
    for judge in names:
        own = [grade for grade in graded if grade.judge == judge]
        mine = set(map(ids_of, queue.pairs(judge)))
        done = Done.of(own, (pair for pair in undecided if pair.judge == judge))
        times = (datetime.fromisoformat(grade.judged).timestamp() for grade in own if grade.pool == queue.pool.id)
        n_graded, n_undecided = len(mine & done.graded), len(mine & done.undecided - done.graded)
        listed.append(Progress(judge, len(mine), n_graded, n_undecided, seconds_each(times)))
    return listed


@dataclass(frozen=True)
class Turn:
    """What a judge sees: a pair, or that all is done; and the progress."""

    queue: QueuePool
    judge: str
    progress: Progress
    pair: ShownPair | None
    reason: str = ""
    """The note that the judge gave before the last grade was undone."""
    grade: str = ""
    """The grade that was undone."""
    can_undo: bool = False
    outcome: str = ""
    """What happened to the last form."""

    @property
    def text_digest(self) -> str:
        """The digest of the text that is shown."""
        return digest_of_text(self.pair.text) if self.pair else ""


def turn_of(state: AppState, queue: QueuePool, judge: str, undone: Judgment | None = None, outcome: str = "") -> Turn:
    """What a judge sees next; `undone` is the grade that was just withdrawn."""
    pairs, session = queue.pairs(judge), state.queue_sessions.of(queue.pool.id, judge)
    done = done_by(state, queue, judge)
    pair = session.next_of(pairs, ids_of, done.graded | done.undecided)
    return Turn(
        queue,
        judge,
        progress_of(pairs, judge, done, session),
        queue.show(pair) if pair else None,
        undone.reason if undone else "",
        f"{undone.grade:g}" if undone else "",
        bool(session.actions) or any(ids_of(other) in done.graded for other in pairs),
        outcome,
    )
