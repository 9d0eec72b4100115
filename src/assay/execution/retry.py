"""Retry policy: which failures to retry, how often and after how long; and the outcome so far."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from assay.execution.client import failed_response
from assay.execution.responses import Response
from assay.providers import PermanentFailure, RetryLater

MAX_FAILURES_BEFORE_GIVING_UP = 3
"""If this many queries fail before any query succeeds, nothing is retried."""


@dataclass
class RetryState:
    """The outcome of queries to a provider so far, which decides whether a retry makes sense."""

    policy: RetryPolicy
    on_wait: Callable[[float, str], None] = field(default=lambda _seconds, _why: None)
    """Called when a service asks for a pause, with the seconds that all queries wait and the reason."""
    _n_failed: int = 0
    _has_answered: bool = False
    _was_deferred: bool = False

    @property
    def is_new(self) -> bool:
        """Whether no query has succeeded or failed for good yet."""
        return not self._has_answered and not self._n_failed

    def should_retry(self, error: Exception, attempts: int) -> bool:
        """Whether to retry a query after this number of attempts."""
        return self.is_worth_waiting(error) and self.policy.should_retry(error, attempts)

    def is_worth_waiting(self, error: Exception) -> bool:
        """Whether a wait makes sense: not if no query has succeeded, nor if the longest wait was too short before."""
        if not self._has_answered and self._n_failed >= MAX_FAILURES_BEFORE_GIVING_UP:
            return False
        return not (self._was_deferred and self.policy.exceeds_longest_pause(error))

    def pause(self, error: Exception, attempts: int) -> float:
        """Seconds before the next attempt; a pause that a service asks for is reported to `on_wait`."""
        seconds = self.policy.pause(error, attempts)
        if isinstance(error, RetryLater) and error.retry_after:
            self.on_wait(seconds, error.message)
        return seconds

    def note_answers(self, answers: Iterable[Response]) -> None:
        """Record that the provider responds, unless all responses are errors."""
        if any(answer.error is None for answer in answers):
            self._has_answered, self._was_deferred = True, False

    def give_up(self, query: str, error: Exception) -> Response:
        """The response for a query that is not retried."""
        self._n_failed += not isinstance(error, PermanentFailure)
        if not self.policy.exceeds_longest_pause(error):
            return failed_response(query, error)
        self._was_deferred = True
        return failed_response(query, error, f", but assay waits at most {self.policy.longest_pause:g} s")


BUSY_RETRY_FACTOR = 3
"""The factor for the number of retries if the service only says that it is busy."""
MAX_PAUSE_SECONDS, MIN_LONGEST_PAUSE_SECONDS = 300.0, 60.0
"""The bounds in seconds of the longest pause that a service may ask for; between them, it is the timeout of a query."""


@dataclass(frozen=True)
class RetryPolicy:
    """How long a query may take, how often it is retried, and how many queries run at once."""

    timeout: float = 60.0
    """Seconds for one query; a batch of a chosen size has this time for each of its queries."""
    retries: int = 2
    backoff: float = 0.5
    """Seconds before the first retry; doubled before each further retry."""
    concurrency: int = 8
    index_timeout: float | None = None
    """Seconds to start and to index documents; None: it depends on the kind of provider."""
    per_minute: float | None = None
    """How many calls may start in a minute, if queries are sent one by one; None: any number."""

    @property
    def longest_pause(self) -> float:
        """The longest pause in seconds that a service can ask for."""
        return min(MAX_PAUSE_SECONDS, max(self.timeout, MIN_LONGEST_PAUSE_SECONDS))

    def should_retry(self, error: Exception, attempts: int) -> bool:
        """Whether to retry a query after this number of attempts."""
        if isinstance(error, PermanentFailure):
            return False
        if self.exceeds_longest_pause(error):
            return attempts <= min(self.retries, 1)
        return attempts <= self.retries * (BUSY_RETRY_FACTOR if isinstance(error, RetryLater) else 1)

    def pause(self, error: Exception, attempts: int) -> float:
        """Seconds before the next attempt: what a busy service asks for, else longer each time, with jitter."""
        if isinstance(error, RetryLater) and error.retry_after is not None:
            return min(error.retry_after, self.longest_pause)
        growing = self.backoff * 2.0 ** (attempts - 1) * random.uniform(0.5, 1.5)  # noqa: S311 (jitter, not a secret)
        return min(growing, self.timeout)

    def exceeds_longest_pause(self, error: Exception) -> bool:
        """Whether a service asks for a pause longer than the longest one."""
        return isinstance(error, RetryLater) and error.retry_after is not None and error.retry_after > self.longest_pause
