"""Asking: put queries to a retriever, in batches or one by one side by side, with patience and without losing any."""

from __future__ import annotations

import bisect
import queue
import random
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.errors import ProviderError
from assay.evaluation.answers import Answer
from assay.evaluation.worker import Worker
from assay.model.records import Hit, Query
from assay.providers._answers import answers_from
from assay.providers._busy import Busy
from assay.providers._event_loop import EventLoop
from assay.providers._provider import Retriever
from assay.text import printable

GROW_AFTER = 5
"""Answers in a row after which one more query is asked at the same time."""
BUSY_RETRIES = 3
"""How many times as often a service is asked again that only says it is busy."""


@dataclass(frozen=True)
class Patience:
    """How long to wait, how often to try again, and how much to ask at once."""

    timeout: float = 60.0
    """Seconds for one query; for a batch, as many times that as it has queries."""
    retries: int = 2
    backoff: float = 0.5
    """Seconds before the first new attempt; twice as long before each further one."""
    concurrency: int = 8

    def allows(self, error: Exception, n_tried: int) -> bool:
        """Whether a query that failed so often is asked once more."""
        return n_tried <= self.retries * (BUSY_RETRIES if isinstance(error, Busy) else 1)

    def pause(self, error: Exception, n_tried: int) -> float:
        """Seconds before that: what a busy service asked for, else longer each time, and never the same for all."""
        wanted = error.retry_after if isinstance(error, Busy) else None
        usual = self.backoff * 2.0 ** (n_tried - 1) * random.uniform(0.5, 1.5)  # noqa: S311 (jitter, no secret)
        return min(usual if wanted is None else wanted, self.timeout)


@dataclass
class Line:
    """The way to a retriever: its coroutines are waited for, all on one event loop, as their clients expect."""

    retriever: Any
    worker: Worker = field(default_factory=Worker)
    _loop: EventLoop = field(default_factory=EventLoop)

    def call(self, name: str, *arguments: Any) -> Any:
        """What a method gives in the end."""
        return self._loop.result(getattr(self.retriever, name)(*arguments))

    def search(self, queries: Sequence[Query], k: int) -> list[Answer | Exception]:
        """For each query an answer, or the error to try again after. An error handed over in its place is an answer."""
        began = time.perf_counter()
        try:
            found = answers_from(self.call("search", list(queries), k), queries, k)
        except (Exception, SystemExit) as error:  # noqa: BLE001 (whatever a retriever raises is its answer)
            return [error if isinstance(error, Exception) else ProviderError(f"SystemExit: {error}")] * len(queries)
        ms = (time.perf_counter() - began) * 1000 / max(len(queries), 1)
        return [_answer(query, hits, ms) for query, hits in zip(queries, found, strict=True)]


def _answer(query: Query, found: list[Hit] | ProviderError, ms: float) -> Answer | Busy:
    if isinstance(found, Busy):
        return found
    if isinstance(found, ProviderError):
        return Answer(query.query_id, ms=ms, error=describe(found))
    extra = {hit.doc_id: _extra(hit) for hit in found if hit.text is not None or hit.metadata}
    return Answer(query.query_id, [hit.doc_id for hit in found], [hit.score for hit in found], ms, extra=extra or None)


def _extra(hit: Hit) -> dict[str, Any]:
    more: dict[str, Any] = dict(hit.metadata or {})
    return {**more, "text": hit.text} if hit.text is not None else more


def describe(error: BaseException) -> str:
    """An error in one line."""
    text = str(error).strip().partition("\n")[0]
    name = type(error).__name__
    return printable(
        shortened_text(text if isinstance(error, ProviderError) and text else f"{name}: {text}" if text else name)
    )


def shortened_text(text: str, most: int = 300) -> str:
    """A text cut where it gets long."""
    return text if len(text) <= most else text[: most - 1] + "…"


def ask(
    retriever: Retriever | Line, queries: Sequence[Query], k: int, batch: int, patience: Patience
) -> Iterator[list[Answer]]:
    """Answers as they come, every query once. A query that fails for good has its error as the answer."""
    line = retriever if isinstance(retriever, Line) else Line(retriever)
    return _Batches(line, k, patience).ask(queries, batch) if batch > 1 else _Crew(line, k, patience).ask(queries)


@dataclass
class _Batches:
    """Many queries at once, one batch after the other."""

    line: Line
    k: int
    patience: Patience

    def ask(self, queries: Sequence[Query], batch: int) -> Iterator[list[Answer]]:
        """Every query once; those of a batch that failed are asked alone."""
        for start in range(0, len(queries), batch):
            some = queries[start : start + batch]
            outcomes = list(zip(some, self._attempt(some), strict=True))
            if answers := [one for _, one in outcomes if isinstance(one, Answer)]:
                yield answers
            failed = [(query, one) for query, one in outcomes if isinstance(one, Exception)]
            yield from self._alone(failed, n_tried=1 if len(some) == 1 else 0)

    def _alone(self, failed: list[tuple[Query, Exception]], n_tried: int) -> Iterator[list[Answer]]:
        """One by one, so that a bad query does not take others along; in rounds, with one pause for all of them."""
        while failed:
            given_up = [(query, error) for query, error in failed if not self.patience.allows(error, n_tried)]
            if given_up:
                yield [Answer(query.query_id, error=describe(error)) for query, error in given_up]
            left = [(query, error) for query, error in failed if self.patience.allows(error, n_tried)]
            pauses = [self.patience.pause(error, max(n_tried, 1)) for _, error in left if n_tried or isinstance(error, Busy)]
            time.sleep(max(pauses, default=0.0))
            failed = []
            for query, _ in left:
                (outcome,) = self._attempt([query])
                if isinstance(outcome, Answer):
                    yield [outcome]
                else:
                    failed.append((query, outcome))
            n_tried += 1

    def _attempt(self, queries: Sequence[Query]) -> list[Answer | Exception]:
        seconds = self.patience.timeout * len(queries)
        try:
            return self.line.worker.do(self.line.search, queries, self.k, seconds=seconds)
        except TimeoutError:
            return [TimeoutError(f"no answer within {seconds:g} s")] * len(queries)


@dataclass
class _Task:
    query: Query
    n_tried: int = 0
    not_before: float = 0.0
    deadline: float = float("inf")


@dataclass
class _Crew:
    """Threads that ask one query each; fewer at once while the service is busy, more again when it answers."""

    line: Line
    k: int
    patience: Patience
    limit: float = 0.0
    streak: int = 0
    outcomes: queue.SimpleQueue[tuple[_Task, Answer | Exception]] = field(default_factory=queue.SimpleQueue)

    def ask(self, queries: Sequence[Query]) -> Iterator[list[Answer]]:
        """Every query once, in the order in which they are answered."""
        self.limit = float(self.patience.concurrency)
        waiting = [_Task(query) for query in reversed(queries)]
        running: dict[int, _Task] = {}
        while waiting or running:
            now = time.monotonic()
            while waiting and len(running) < int(self.limit) and waiting[-1].not_before <= now:
                task = waiting.pop()
                task.deadline = now + self.patience.timeout
                running[id(task)] = task
                threading.Thread(target=self._work, args=(task,), daemon=True).start()
            done = [self._settled(task, outcome, waiting) for task, outcome in self._finished(running, waiting)]
            if answers := [answer for answer in done if answer]:
                yield answers

    def _work(self, task: _Task) -> None:
        self.outcomes.put((task, self.line.search([task.query], self.k)[0]))

    def _finished(self, running: dict[int, _Task], waiting: list[_Task]) -> list[tuple[_Task, Answer | Exception]]:
        """What came back, or ran out of time, by now."""
        found: list[tuple[_Task, Answer | Exception]] = []
        due = [task.deadline for task in running.values()]
        if waiting and len(running) < int(self.limit):
            due.append(waiting[-1].not_before)
        try:
            found.append(self.outcomes.get(timeout=max(0.001, min(min(due) - time.monotonic(), 0.5))))
            while True:
                found.append(self.outcomes.get_nowait())
        except queue.Empty:
            pass
        found = [(task, outcome) for task, outcome in found if running.pop(id(task), None)]
        late = [task for task in running.values() if task.deadline < time.monotonic()]
        for task in late:
            running.pop(id(task))
            found.append((task, TimeoutError(f"no answer within {self.patience.timeout:g} s")))
        return found

    def _settled(self, task: _Task, outcome: Answer | Exception, waiting: list[_Task]) -> Answer | None:
        """The answer, or None where the query is asked once more."""
        if isinstance(outcome, Answer):
            self.streak += 1
            if self.streak >= GROW_AFTER and self.limit < self.patience.concurrency:
                self.limit, self.streak = self.limit + 1, 0
            return outcome
        self.streak = 0
        if isinstance(outcome, Busy):
            self.limit = max(1.0, self.limit / 2)
        n_tried = task.n_tried + 1
        if not self.patience.allows(outcome, n_tried):
            return Answer(task.query.query_id, error=describe(outcome))
        again = _Task(task.query, n_tried, time.monotonic() + self.patience.pause(outcome, n_tried))
        bisect.insort_left(waiting, again, key=_latest_first)
        return None


def _latest_first(task: _Task) -> float:
    return -task.not_before
