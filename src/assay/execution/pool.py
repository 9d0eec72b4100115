"""Sending many queries: one per thread in a pool that adapts to the service, or several per call in batches."""

from __future__ import annotations

import bisect
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assay.errors import ProviderError
from assay.execution.client import CANCEL_GRACE_SECONDS, RetrieverClient, describe_error
from assay.execution.responses import Response
from assay.execution.retry import MAX_FAILURES_BEFORE_GIVING_UP, RetryPolicy, RetryState
from assay.model import Query
from assay.providers import RetryLater

MAX_POLL_SECONDS = 0.5
"""The longest time in seconds that the pool waits for an outcome before it checks deadlines again."""


@dataclass(eq=False)
class Task:
    """A query to send, and its attempts so far."""

    query: Query
    attempts: int = 0
    not_before: float = 0.0
    started: float = 0.0
    deadline: float = float("inf")


@dataclass
class TaskQueue:
    """Waiting tasks: retries that are due come before new tasks."""

    new: list[Task]
    """In reverse order: the next task is the last one in the list."""
    retries: list[Task] = field(default_factory=list)
    """In reverse order: the task that is due first is the last one in the list."""

    def __bool__(self) -> bool:
        return bool(self.new or self.retries)

    def requeue(self, task: Task) -> None:
        """Queue a task again; it starts at its `not_before` or later."""
        bisect.insort_left(self.retries, task, key=lambda queued: -queued.not_before)

    def due(self) -> float:
        """The time when the next task may start."""
        return 0.0 if self.new else self.retries[-1].not_before

    def take(self, now: float) -> Task:
        """Remove and return the next task."""
        is_due = bool(self.retries) and self.retries[-1].not_before <= now
        return self.retries.pop() if is_due or not self.new else self.new.pop()


Outcomes = queue.SimpleQueue[tuple[Task, Response | Exception]]


class PoolThread:
    """A thread that sends one query after the other."""

    def __init__(self, client: RetrieverClient, k: int, outcomes: Outcomes) -> None:
        self._client, self._k, self._outcomes = client, k, outcomes
        self._inbox: queue.SimpleQueue[tuple[Task, float] | None] = queue.SimpleQueue()
        threading.Thread(target=self._serve, name="assay asks", daemon=True).start()

    def submit(self, task: Task, seconds: float) -> None:
        """Send this query next."""
        self._inbox.put((task, seconds))

    def stop(self) -> None:
        """End after the current query."""
        self._inbox.put(None)

    def _serve(self) -> None:
        while (job := self._inbox.get()) is not None:
            task, seconds = job
            try:
                (outcome,) = self._client.search([task.query], self._k, seconds)
            except BaseException as error:  # noqa: BLE001 (even an interrupt raised by a retriever is a response)
                outcome = ProviderError(describe_error(error))
            self._outcomes.put((task, outcome))


@dataclass
class ThreadPool:
    """Sends fewer queries at once while the service is busy, and more again when it responds.

    A call that timed out occupies its place until it returns, so that no service gets more queries than allowed; but one
    place is always available.
    """

    client: RetrieverClient
    k: int
    state: RetryState
    limit: float = 0.0
    _streak: int = 0
    _halved_at: float = 0.0
    """When the limit was last halved: a busy signal for a query sent before that does not halve it again."""
    _paused_until: float = 0.0
    """When queries may be sent again: to a busy service, or within the number per minute."""
    _idle: list[PoolThread] = field(default_factory=list)
    _threads: dict[Task, PoolThread] = field(default_factory=dict)
    """Task → its thread, also after its deadline."""
    _outcomes: Outcomes = field(default_factory=queue.SimpleQueue)

    @property
    def _policy(self) -> RetryPolicy:
        return self.state.policy

    def ask(self, queries: Sequence[Query]) -> Iterator[list[Response]]:
        """The response to every query, in the order in which they arrive."""
        self.limit = float(self._policy.concurrency)
        waiting = TaskQueue([Task(query) for query in reversed(queries)])
        running: set[Task] = set()
        try:
            while waiting or running:
                self._start(waiting, running)
                done = [self._settle(task, outcome, waiting) for task, outcome in self._collect_finished(running, waiting)]
                if answers := [answer for answer in done if answer]:
                    yield answers
        finally:
            for thread in (*self._idle, *self._threads.values()):
                thread.stop()

    def _has_room(self, running: set[Task]) -> bool:
        return not running or len(self._threads) < int(self.limit)

    def _start(self, waiting: TaskQueue, running: set[Task]) -> None:
        now = time.monotonic()
        while waiting and self._has_room(running) and max(waiting.due(), self._paused_until) <= now:
            task = waiting.take(now)
            task.started, task.deadline = now, now + self._policy.timeout + CANCEL_GRACE_SECONDS
            thread = self._idle.pop() if self._idle else PoolThread(self.client, self.k, self._outcomes)
            running.add(task)
            self._threads[task] = thread
            thread.submit(task, self._policy.timeout)
            if self._policy.per_minute is not None:
                self._paused_until = max(self._paused_until, now + 60 / self._policy.per_minute)

    def _collect_finished(self, running: set[Task], waiting: TaskQueue) -> list[tuple[Task, Response | Exception]]:
        """The tasks that returned or timed out by now."""
        due = [task.deadline for task in running]
        if waiting and self._has_room(running):
            due.append(max(waiting.due(), self._paused_until))
        back: list[tuple[Task, Response | Exception]] = []
        try:
            back.append(self._outcomes.get(timeout=max(0.001, min(min(due) - time.monotonic(), MAX_POLL_SECONDS))))
            while True:
                back.append(self._outcomes.get_nowait())
        except queue.Empty:
            pass
        self._idle += [self._threads.pop(task) for task, _ in back]
        finished = [(task, outcome) for task, outcome in back if task in running]
        running -= {task for task, _ in finished}
        for task in [task for task in running if task.deadline < time.monotonic()]:
            running.remove(task)
            finished.append((task, self.client.no_response(self._policy.timeout)))
        return finished

    def _settle(self, task: Task, outcome: Response | Exception, waiting: TaskQueue) -> Response | None:
        """The response, or None if the query is retried."""
        if isinstance(outcome, Response):
            self.state.note_answers([outcome])
            self._raise_limit()
            return outcome
        attempts = task.attempts + 1
        is_new_signal = not isinstance(outcome, RetryLater) or task.started >= self._halved_at
        self._streak = 0 if is_new_signal else self._streak
        is_over = not self.state.should_retry(outcome, attempts)
        answer = self.state.give_up(task.query.query_id, outcome) if is_over else None
        pause = self.state.pause(outcome, attempts) if self.state.is_worth_waiting(outcome) else 0.0
        if isinstance(outcome, RetryLater):
            self._lower_limit(outcome, pause, is_new_signal=is_new_signal)
        if answer is None:
            waiting.requeue(Task(task.query, attempts, time.monotonic() + pause))
        return answer

    def _raise_limit(self) -> None:
        """Allow one more query at once, after as many successful responses in a row as the limit."""
        self._streak += 1
        if self._streak >= self.limit and self.limit < self._policy.concurrency:
            self.limit, self._streak = min(self.limit + 1, float(self._policy.concurrency)), 0

    def _lower_limit(self, busy: RetryLater, pause: float, *, is_new_signal: bool) -> None:
        """Halve the limit, once for all queries sent together; pause all queries if the service says so."""
        now = time.monotonic()
        if is_new_signal:
            self.limit, self._halved_at = max(1.0, float(int(self.limit / 2))), now
        if busy.retry_after is not None:
            self._paused_until = max(self._paused_until, now + pause)


def ask_concurrently(
    client: RetrieverClient,
    queries: Sequence[Query],
    k: int,
    batch: int,
    policy: RetryPolicy | RetryState,
    *,
    grows: bool = False,
) -> Iterator[list[Response]]:
    """The responses to all queries as they arrive. A query that fails for good has its error as the response.

    With `grows`, `batch` is the largest size, reached step by step while responses are fast. Several calls for one provider
    share one RetryState.
    """
    state = policy if isinstance(policy, RetryState) else RetryState(policy)
    asker = BatchClient(client, k, state, batch, grows) if batch > 1 else ThreadPool(client, k, state)
    return asker.ask(queries)


FAST_BATCH_SECONDS = 0.5
"""A batch that takes fewer seconds is followed by one of twice the size, so a crash costs about one second of work."""

FailedQuery = tuple[Query, Exception]


@dataclass
class BatchClient:
    """Sends batches of `size` queries; with `grows`, batches grow up to `size` while responses are fast."""

    client: RetrieverClient
    k: int
    state: RetryState
    size: int
    grows: bool = False

    def ask(self, queries: Sequence[Query]) -> Iterator[list[Response]]:
        """The response to every query; queries of a failed batch are sent one by one."""
        start, size, failed = 0, 1 if self.grows else self.size, list[FailedQuery]()
        while start < len(queries):
            some = queries[start : start + size]
            start += len(some)
            began = time.perf_counter()
            outcomes = list(zip(some, self._attempt(some), strict=True))
            if answers := [outcome for _, outcome in outcomes if isinstance(outcome, Response)]:
                self.state.note_answers(answers)
                yield answers
            lost = [(query, outcome) for query, outcome in outcomes if isinstance(outcome, Exception)]
            size = self._next_size(size, time.perf_counter() - began, is_complete=not lost)
            failed += lost
            if (
                len(some) == 1
                and lost
                and len(failed) < MAX_FAILURES_BEFORE_GIVING_UP
                and self.state.is_new
                and start < len(queries)
            ):
                continue  # the first few failures wait together
            yield from self._ask_singly(failed, attempts=1 if len(some) == 1 else 0)
            failed = []

    def _next_size(self, size: int, seconds: float, *, is_complete: bool) -> int:
        if not self.grows:
            return size
        return min(2 * size, self.size) if is_complete and seconds < FAST_BATCH_SECONDS else max(size // 2, 1)

    def _ask_singly(self, failed: list[FailedQuery], attempts: int) -> Iterator[list[Response]]:
        """Retry queries one by one, in rounds with one pause for all, so that a bad query does not affect the others.

        A query of a failed batch is always retried, whatever the error: another query may have caused it.
        """
        while failed:
            again = [(query, error) for query, error in failed if not attempts or self.state.should_retry(error, attempts)]
            if len(again) < len(failed):
                left = {query.query_id for query, _ in again}
                yield [self.state.give_up(query.query_id, error) for query, error in failed if query.query_id not in left]
            pauses = [
                self.state.pause(error, max(attempts, 1)) for _, error in again if attempts or isinstance(error, RetryLater)
            ]
            time.sleep(max(pauses, default=0.0))
            failed = []
            for query, _ in again:
                (outcome,) = self._attempt([query])
                if isinstance(outcome, Response):
                    self.state.note_answers([outcome])
                    yield [outcome]
                else:
                    failed.append((query, outcome))
            attempts += 1

    def _attempt(self, queries: Sequence[Query]) -> list[Response | Exception]:
        seconds = self.state.policy.timeout * (1 if self.grows else len(queries))
        try:
            return self.client.thread.run(
                self.client.search, queries, self.k, seconds, seconds=seconds + CANCEL_GRACE_SECONDS
            )
        except TimeoutError:
            return [self.client.no_response(seconds)] * len(queries)
