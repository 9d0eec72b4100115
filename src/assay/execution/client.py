"""Retriever client: calls the methods of a retriever in their own thread, and converts what they return to responses."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from assay.datasets import TimeScope
from assay.errors import ProviderError
from assay.execution.older_documents import Answers, search_in_time
from assay.execution.responses import Response
from assay.masking import mask
from assay.model import Hit, Query
from assay.providers import (
    Adapted,
    EventLoop,
    Listener,
    PermanentFailure,
    ReportedHits,
    Work,
    answers_from,
    is_retryable,
    masked_answers,
    reporting_to,
)
from assay.text import printable

T = TypeVar("T")
Inbox = queue.SimpleQueue[tuple[Callable[..., Any], tuple[Any, ...], "queue.SimpleQueue[Any]"] | None]


class CallTimeout(TimeoutError):
    """A call did not return in time."""


class CallThread:
    """One thread that creates, fills and queries a retriever, because some retrievers are bound to their thread.

    With `in_caller`, everything runs in the calling thread, without a timeout.
    """

    def __init__(self, *, in_caller: bool = False) -> None:
        self._in_caller = in_caller
        self._inbox: Inbox | None = None

    def run(self, function: Callable[..., T], *arguments: Any, seconds: float = float("inf")) -> T:
        """What the function returns or raises; a CallTimeout if it takes longer."""
        if self._in_caller:
            return function(*arguments)
        if self._inbox is None:
            self._inbox = queue.SimpleQueue()
            threading.Thread(target=_serve, args=(self._inbox,), name="assay worker", daemon=True).start()
        outcome: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._inbox.put((function, arguments, outcome))
        try:
            value, error = outcome.get(timeout=min(seconds, threading.TIMEOUT_MAX))
        except queue.Empty:
            self.close()  # when the call returns, its thread ends
            raise CallTimeout(f"not finished within {seconds:g} s") from None
        if error is not None:
            raise error
        return value

    def close(self) -> None:
        """Let the thread end; the next call starts a new one."""
        if self._inbox is not None:
            self._inbox.put(None)
            self._inbox = None


def _serve(inbox: Inbox) -> None:
    while (task := inbox.get()) is not None:
        function, arguments, outcome = task
        try:
            outcome.put((function(*arguments), None))
        except BaseException as error:  # noqa: BLE001 (raised again in the caller)
            outcome.put((None, error))


CANCEL_GRACE_SECONDS = 0.1
"""Seconds that a cancelled coroutine has to end before its thread is abandoned."""


@dataclass
class RetrieverClient:
    """Calls the methods of a retriever. Coroutines run on one event loop, as their clients expect."""

    retriever: Adapted
    thread: CallThread = field(default_factory=CallThread)
    listener: Listener | None = None
    """Receives what the retriever reports while it works."""
    scope: TimeScope | None = None
    """Removes documents that are younger than their query; None: no document is too young."""
    _why: str = ""
    """Why there was no response, if the retriever reported a reason."""
    _loop: EventLoop = field(default_factory=EventLoop)

    def call(self, method: Callable[..., Any], *arguments: Any, seconds: float | None = None) -> Any:
        """What a method of the retriever returns; a coroutine that takes longer is cancelled."""
        with reporting_to(self):
            return self._loop.result(method(*arguments), seconds)

    def count_documents(self, n_done: int, n_all: int, work: Work) -> None:
        """Pass the number of indexed documents on."""
        if self.listener is not None:
            self.listener.count_documents(n_done, n_all, work)

    def note_delay(self, seconds: float, why: str) -> None:
        """Pass on why there is no response, and remember it for the error after a timeout."""
        self._why = why
        if self.listener is not None:
            self.listener.note_delay(seconds, why)

    def note_cache(self, what: str) -> None:
        """Pass on that a cache could not be used or written."""
        if self.listener is not None:
            self.listener.note_cache(what)

    def no_response(self, seconds: float) -> TimeoutError:
        """The error of a query that got no response in time."""
        why = f"{self._why}. " if self._why else ""
        return TimeoutError(f"no response within {seconds:g} s. {why}Increase the timeout to allow more time")

    def _ask(self, queries: Sequence[Query], k: int, seconds: float | None) -> Answers:
        returned = self.call(self.retriever.search, list(queries), k, seconds=seconds)
        return masked_answers(answers_from(returned, queries, k))

    def search(self, queries: Sequence[Query], k: int, seconds: float | None = None) -> list[Response | Exception]:
        """For each query a response, or an error that may be retried."""
        began = time.perf_counter()
        try:
            ask = partial(self._ask, seconds=seconds)
            hit_lists = ask(queries, k) if self.scope is None else search_in_time(ask, self.scope, queries, k)
        except BaseException as error:  # whatever a retriever raises is its response
            if isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
                raise  # the user's interrupt, which only reaches this thread
            return [error if isinstance(error, Exception) else ProviderError(_with_type_name(error))] * len(queries)
        elapsed = time.perf_counter() - began
        if seconds is not None and elapsed > seconds:
            return [self.no_response(seconds)] * len(queries)
        ms = elapsed * 1000 / max(len(queries), 1)
        return [_to_response(query, hits, ms, len(queries)) for query, hits in zip(queries, hit_lists, strict=True)]


def _to_response(query: Query, hits: list[Hit] | ProviderError, ms: float, n_together: int) -> Response | ProviderError:
    if isinstance(hits, PermanentFailure):
        return failed_response(query.query_id, hits, ms=ms)
    if isinstance(hits, ProviderError):
        return hits
    extra = {hit.doc_id: _extra_fields(hit) for hit in hits if hit.text is not None or hit.metadata}
    docs, scores = [hit.doc_id for hit in hits], [hit.score for hit in hits]
    reported = hits.fields if isinstance(hits, ReportedHits) else None
    return Response(query.query_id, docs, scores, ms, extra=extra or None, n_together=n_together, said=reported)


def _extra_fields(hit: Hit) -> dict[str, Any]:
    more: dict[str, Any] = dict(hit.metadata or {})
    return {**more, "text": hit.text} if hit.text is not None else more


def failed_response(query: str, error: BaseException, suffix: str = "", ms: float = 0.0) -> Response:
    """The response for a query that is not retried."""
    return Response(query, ms=ms, error=describe_error(error) + suffix, is_final=not is_retryable(error))


def describe_error(error: BaseException) -> str:
    """An error in one line."""
    text = mask(str(error)).strip().partition("\n")[0]
    message = text if isinstance(error, ProviderError) and text else _with_type_name(error)
    return printable(shorten_text(message))


def _with_type_name(error: BaseException) -> str:
    text, name = mask(str(error)).strip().partition("\n")[0], type(error).__name__
    return f"{name}: {text}" if text else name


def shorten_text(text: str, max_length: int = 300) -> str:
    """The text, cut to a maximum length."""
    return text if len(text) <= max_length else text[: max_length - 1] + "…"
