"""Line: the way to a retriever, and what comes back on it as answers."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from assay.errors import ProviderError
from assay.execution.responses import Response
from assay.masking import mask
from assay.model import Hit, Query
from assay.providers import EventLoop, PermanentFailure, Reported, answers_from, masked_answers, may_pass
from assay.text import printable

T = TypeVar("T")
Inbox = queue.SimpleQueue[tuple[Callable[..., Any], tuple[Any, ...], "queue.SimpleQueue[Any]"] | None]


class CallTimeout(TimeoutError):
    """What was to be done was not done in time."""


class CallThread:
    """A retriever is made, filled and asked by one thread, as those expect that may not change hands.

    With `is_here` the calling thread does everything, and nothing can take too long.
    """

    def __init__(self, *, is_here: bool = False) -> None:
        self._is_here = is_here
        self._inbox: Inbox | None = None

    def do(self, function: Callable[..., T], *arguments: Any, seconds: float = float("inf")) -> T:
        """What the function gives, or what it raises; TookTooLong where that takes longer."""
        if self._is_here:
            return function(*arguments)
        if self._inbox is None:
            self._inbox = queue.SimpleQueue()
            threading.Thread(target=_serve, args=(self._inbox,), name="assay worker", daemon=True).start()
        outcome: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._inbox.put((function, arguments, outcome))
        try:
            value, error = outcome.get(timeout=min(seconds, threading.TIMEOUT_MAX))
        except queue.Empty:
            self.close()  # when it comes back it finds nothing more to do
            raise CallTimeout(f"not done within {seconds:g} s") from None
        if error is not None:
            raise error
        return value

    def close(self) -> None:
        """Let the thread end; a new one starts with the next thing to do."""
        if self._inbox is not None:
            self._inbox.put(None)
            self._inbox = None


def _serve(inbox: Inbox) -> None:
    while (task := inbox.get()) is not None:
        function, arguments, outcome = task
        try:
            outcome.put((function(*arguments), None))
        except BaseException as error:  # noqa: BLE001 (raised again where it was asked for)
            outcome.put((None, error))


GRACE = 0.1
"""Seconds a coroutine has to be ended before its thread is left behind."""


@dataclass
class RetrieverClient:
    """Calls a retriever's methods; coroutines are waited for, all on one event loop, as their clients expect."""

    retriever: Any
    worker: CallThread = field(default_factory=CallThread)
    _loop: EventLoop = field(default_factory=EventLoop)

    def call(self, name: str, *arguments: Any, seconds: float | None = None, **settings: Any) -> Any:
        """What a method gives in the end; a coroutine that takes longer is ended."""
        return self._loop.result(getattr(self.retriever, name)(*arguments, **settings), seconds)

    def search(self, queries: Sequence[Query], k: int, seconds: float | None = None) -> list[Response | Exception]:
        """For each query an answer, or the error to try again after."""
        began = time.perf_counter()
        try:
            found = masked_answers(answers_from(self.call("search", list(queries), k, seconds=seconds), queries, k))
        except BaseException as error:  # whatever a retriever raises is its answer
            if isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
                raise  # a person's, who reaches this thread alone
            return [error if isinstance(error, Exception) else ProviderError(_named(error))] * len(queries)
        took = time.perf_counter() - began
        if seconds is not None and took > seconds:
            return [TimeoutError(f"no answer within {seconds:g} s")] * len(queries)
        ms = took * 1000 / max(len(queries), 1)
        return [_answer(query, hits, ms, len(queries)) for query, hits in zip(queries, found, strict=True)]


def _answer(query: Query, found: list[Hit] | ProviderError, ms: float, n_together: int) -> Response | ProviderError:
    if isinstance(found, PermanentFailure):
        return failed_response(query.query_id, found, ms=ms)
    if isinstance(found, ProviderError):
        return found
    extra = {hit.doc_id: _extra(hit) for hit in found if hit.text is not None or hit.metadata}
    docs, scores = [hit.doc_id for hit in found], [hit.score for hit in found]
    said = found.said if isinstance(found, Reported) else None
    return Response(query.query_id, docs, scores, ms, extra=extra or None, n_together=n_together, said=said)


def _extra(hit: Hit) -> dict[str, Any]:
    more: dict[str, Any] = dict(hit.metadata or {})
    return {**more, "text": hit.text} if hit.text is not None else more


def failed_response(query: str, error: BaseException, more: str = "", ms: float = 0.0) -> Response:
    """The answer of a query that has failed for good."""
    return Response(query, ms=ms, error=describe(error) + more, is_final=not may_pass(error))


def describe(error: BaseException) -> str:
    """An error in one line."""
    text = mask(str(error)).strip().partition("\n")[0]
    told = text if isinstance(error, ProviderError) and text else _named(error)
    return printable(shortened_text(told))


def _named(error: BaseException) -> str:
    text, name = mask(str(error)).strip().partition("\n")[0], type(error).__name__
    return f"{name}: {text}" if text else name


def shortened_text(text: str, most: int = 300) -> str:
    """A text cut where it gets long."""
    return text if len(text) <= most else text[: most - 1] + "…"
