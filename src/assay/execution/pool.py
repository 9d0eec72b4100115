"""Crew: threads that ask one query each, as many at once as the service bears."""

from __future__ import annotations

import bisect
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assay.errors import ProviderError
from assay.execution.client import GRACE, RetrieverClient, describe
from assay.execution.responses import Response
from assay.execution.retry import MAX_FAILURES_BEFORE_GIVING_UP, RetryPolicy, RetryState
from assay.model import Query
from assay.providers import Retriever, RetryLater

PATIENT = 0.5
"""Seconds after which the clock is looked at again, whatever happens."""


@dataclass(eq=False)
class Task:
    """A query to be asked, and how it went so far."""

    query: Query
    n_tried: int = 0
    not_before: float = 0.0
    started: float = 0.0
    deadline: float = float("inf")


@dataclass
class TaskQueue:
    """Tasks that are not asked yet: those to be asked again when their time has come, before those that are new."""

    new: list[Task]
    """The next one last."""
    again: list[Task] = field(default_factory=list)
    """The one that is due first last."""

    def __bool__(self) -> bool:
        return bool(self.new or self.again)

    def put_back(self, task: Task) -> None:
        """Ask it again, not before it says."""
        bisect.insort_left(self.again, task, key=lambda one: -one.not_before)

    def due(self) -> float:
        """When the next may be asked, as far as it is concerned."""
        return 0.0 if self.new else self.again[-1].not_before

    def take(self, now: float) -> Task:
        """The next one."""
        is_due = bool(self.again) and self.again[-1].not_before <= now
        return self.again.pop() if is_due or not self.new else self.new.pop()


Outcomes = queue.SimpleQueue[tuple[Task, Response | Exception]]


class PoolThread:
    """A thread that asks one query after the other."""

    def __init__(self, line: RetrieverClient, k: int, outcomes: Outcomes) -> None:
        self._line, self._k, self._outcomes = line, k, outcomes
        self._inbox: queue.SimpleQueue[tuple[Task, float] | None] = queue.SimpleQueue()
        threading.Thread(target=self._serve, name="assay asks", daemon=True).start()

    def take(self, task: Task, seconds: float) -> None:
        """Ask this next."""
        self._inbox.put((task, seconds))

    def leave(self) -> None:
        """End, when what is being asked is answered."""
        self._inbox.put(None)

    def _serve(self) -> None:
        while (given := self._inbox.get()) is not None:
            task, seconds = given
            try:
                (outcome,) = self._line.search([task.query], self._k, seconds)
            except BaseException as error:  # noqa: BLE001 (even an interrupt raised by a retriever is its answer)
                outcome = ProviderError(describe(error))
            self._outcomes.put((task, outcome))


@dataclass
class ThreadPool:
    """Asks fewer at once while the service is busy, and more again when it answers.

    A call that took too long holds its place until it comes back, so that no service is asked more than allowed; but
    one place is always left.
    """

    line: RetrieverClient
    k: int
    experience: RetryState
    limit: float = 0.0
    _streak: int = 0
    _halved: float = 0.0
    """When the limit was last cut in half: what was asked before that is no news."""
    _quiet_until: float = 0.0
    """When a busy service may be asked again."""
    _idle: list[PoolThread] = field(default_factory=list)
    _hands: dict[Task, PoolThread] = field(default_factory=dict)
    """Who asks what, also where nobody waits for the answer any more."""
    _outcomes: Outcomes = field(default_factory=queue.SimpleQueue)

    @property
    def _patience(self) -> RetryPolicy:
        return self.experience.patience

    def ask(self, queries: Sequence[Query]) -> Iterator[list[Response]]:
        """Every query once, in the order in which they are answered."""
        self.limit = float(self._patience.concurrency)
        waiting = TaskQueue([Task(query) for query in reversed(queries)])
        running: set[Task] = set()
        try:
            while waiting or running:
                self._start(waiting, running)
                done = [self._settled(task, outcome, waiting) for task, outcome in self._finished(running, waiting)]
                if answers := [answer for answer in done if answer]:
                    yield answers
        finally:
            for hand in (*self._idle, *self._hands.values()):
                hand.leave()

    def _has_room(self, running: set[Task]) -> bool:
        return not running or len(self._hands) < int(self.limit)

    def _start(self, waiting: TaskQueue, running: set[Task]) -> None:
        now = time.monotonic()
        while waiting and self._has_room(running) and max(waiting.due(), self._quiet_until) <= now:
            task = waiting.take(now)
            task.started, task.deadline = now, now + self._patience.timeout + GRACE
            hand = self._idle.pop() if self._idle else PoolThread(self.line, self.k, self._outcomes)
            running.add(task)
            self._hands[task] = hand
            hand.take(task, self._patience.timeout)

    def _finished(self, running: set[Task], waiting: TaskQueue) -> list[tuple[Task, Response | Exception]]:
        """What came back, or ran out of time, by now."""
        due = [task.deadline for task in running]
        if waiting and self._has_room(running):
            due.append(max(waiting.due(), self._quiet_until))
        back: list[tuple[Task, Response | Exception]] = []
        try:
            back.append(self._outcomes.get(timeout=max(0.001, min(min(due) - time.monotonic(), PATIENT))))
            while True:
                back.append(self._outcomes.get_nowait())
        except queue.Empty:
            pass
        self._idle += [self._hands.pop(task) for task, _ in back]
        found = [(task, outcome) for task, outcome in back if task in running]
        running -= {task for task, _ in found}
        for task in [task for task in running if task.deadline < time.monotonic()]:
            running.remove(task)
            found.append((task, TimeoutError(f"no answer within {self._patience.timeout:g} s")))
        return found

    def _settled(self, task: Task, outcome: Response | Exception, waiting: TaskQueue) -> Response | None:
        """The answer, or None where the query is asked once more."""
        if isinstance(outcome, Response):
            self.experience.answered([outcome])
            self._grow()
            return outcome
        n_tried = task.n_tried + 1
        is_news = not isinstance(outcome, RetryLater) or task.started >= self._halved
        self._streak = 0 if is_news else self._streak
        is_over = not self.experience.allows(outcome, n_tried)
        answer = self.experience.lost(task.query.query_id, outcome) if is_over else None
        pause = self.experience.pause(outcome, n_tried) if self.experience.is_worth_waiting(outcome) else 0.0
        if isinstance(outcome, RetryLater):
            self._slow_down(outcome, pause, is_news=is_news)
        if answer is None:
            waiting.put_back(Task(task.query, n_tried, time.monotonic() + pause))
        return answer

    def _grow(self) -> None:
        """One more at once after as many answers in a row as are asked at once."""
        self._streak += 1
        if self._streak >= self.limit and self.limit < self._patience.concurrency:
            self.limit, self._streak = min(self.limit + 1, float(self._patience.concurrency)), 0

    def _slow_down(self, busy: RetryLater, pause: float, *, is_news: bool) -> None:
        """Half as many at once, but once only for all that were asked together; and all wait, if the service says so."""
        now = time.monotonic()
        if is_news:
            self.limit, self._halved = max(1.0, float(int(self.limit / 2))), now
        if busy.retry_after is not None:
            self._quiet_until = max(self._quiet_until, now + pause)


def ask_concurrently(
    retriever: Retriever | RetrieverClient,
    queries: Sequence[Query],
    k: int,
    batch: int,
    patience: RetryPolicy | RetryState,
    *,
    grows: bool = False,
) -> Iterator[list[Response]]:
    """Answers as they come, every query once. A query that fails for good has its error as the answer.

    With `grows`, `batch` is the largest size, reached step by step while answers come quickly. What is asked in several
    goes shares an experience.
    """
    experience = patience if isinstance(patience, RetryState) else RetryState(patience)
    line = retriever if isinstance(retriever, RetrieverClient) else RetrieverClient(retriever)
    how = BatchClient(line, k, experience, batch, grows) if batch > 1 else ThreadPool(line, k, experience)
    return how.ask(queries)


QUICK = 0.5
"""Seconds. While batches take less, the next is twice as large; so a crash never costs more than about a second's work."""

Failed = tuple[Query, Exception]


@dataclass
class BatchClient:
    """Asks in batches: of `size`, or with `grows`, larger and larger ones up to it while answers come quickly."""

    line: RetrieverClient
    k: int
    experience: RetryState
    size: int
    grows: bool = False

    def ask(self, queries: Sequence[Query]) -> Iterator[list[Response]]:
        """Every query once; those of a batch that failed are asked alone."""
        start, size, failed = 0, 1 if self.grows else self.size, list[Failed]()
        while start < len(queries):
            some = queries[start : start + size]
            start += len(some)
            began = time.perf_counter()
            outcomes = list(zip(some, self._attempt(some), strict=True))
            if answers := [one for _, one in outcomes if isinstance(one, Response)]:
                self.experience.answered(answers)
                yield answers
            lost = [(query, one) for query, one in outcomes if isinstance(one, Exception)]
            size = self._next_size(size, time.perf_counter() - began, is_fine=not lost)
            failed += lost
            if (
                len(some) == 1
                and lost
                and len(failed) < MAX_FAILURES_BEFORE_GIVING_UP
                and self.experience.is_new
                and start < len(queries)
            ):
                continue  # the first few wait together
            yield from self._alone(failed, n_tried=1 if len(some) == 1 else 0)
            failed = []

    def _next_size(self, size: int, seconds: float, *, is_fine: bool) -> int:
        if not self.grows:
            return size
        return min(2 * size, self.size) if is_fine and seconds < QUICK else max(size // 2, 1)

    def _alone(self, failed: list[Failed], n_tried: int) -> Iterator[list[Response]]:
        """One by one, so that a bad query does not take others along; in rounds, with one pause for all of them.

        What failed in company is asked alone, whatever the error: it may have been another's.
        """
        while failed:
            again = [(query, error) for query, error in failed if not n_tried or self.experience.allows(error, n_tried)]
            if len(again) < len(failed):
                left = {query.query_id for query, _ in again}
                yield [self.experience.lost(query.query_id, error) for query, error in failed if query.query_id not in left]
            pauses = [
                self.experience.pause(error, max(n_tried, 1))
                for _, error in again
                if n_tried or isinstance(error, RetryLater)
            ]
            time.sleep(max(pauses, default=0.0))
            failed = []
            for query, _ in again:
                (outcome,) = self._attempt([query])
                if isinstance(outcome, Response):
                    self.experience.answered([outcome])
                    yield [outcome]
                else:
                    failed.append((query, outcome))
            n_tried += 1

    def _attempt(self, queries: Sequence[Query]) -> list[Response | Exception]:
        seconds = self.experience.patience.timeout * (1 if self.grows else len(queries))
        try:
            return self.line.worker.do(self.line.search, queries, self.k, seconds, seconds=seconds + GRACE)
        except TimeoutError:
            return [TimeoutError(f"no answer within {seconds:g} s")] * len(queries)
