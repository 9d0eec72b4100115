"""Retry policy: which failures are asked again, how often and after how long; and what asking has shown so far."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from assay.execution.client import failed_response
from assay.execution.responses import Response
from assay.providers import PermanentFailure, RetryLater

MAX_FAILURES_BEFORE_GIVING_UP = 3
"""Queries that fail for good before anything was answered, after which nothing is asked twice."""


@dataclass
class RetryState:
    """What asking a provider has brought so far, which decides whether asking again is worthwhile."""

    policy: RetryPolicy
    on_wait: Callable[[float, str], None] = field(default=lambda _seconds, _why: None)
    """Called with the seconds that all queries wait now, and why, when a service asks for a pause."""
    _n_failed: int = 0
    _has_answered: bool = False
    _was_deferred: bool = False

    @property
    def is_new(self) -> bool:
        """Whether nothing was answered yet, and nothing given up."""
        return not self._has_answered and not self._n_failed

    def should_retry(self, error: Exception, attempts: int) -> bool:
        """Whether a query that failed so often is asked once more."""
        return self.is_worth_waiting(error) and self.policy.should_retry(error, attempts)

    def is_worth_waiting(self, error: Exception) -> bool:
        """Not while nothing has ever worked, nor after the longest wait was not long enough for a service."""
        if not self._has_answered and self._n_failed >= MAX_FAILURES_BEFORE_GIVING_UP:
            return False
        return not (self._was_deferred and self.policy.exceeds_longest_pause(error))

    def pause(self, error: Exception, attempts: int) -> float:
        """Seconds before the next attempt; a pause that a service asks for is reported."""
        seconds = self.policy.pause(error, attempts)
        if isinstance(error, RetryLater) and error.retry_after:
            self.on_wait(seconds, error.message)
        return seconds

    def note_answers(self, answers: Iterable[Response]) -> None:
        """Note that the provider answers, unless all of these are errors."""
        if any(answer.error is None for answer in answers):
            self._has_answered, self._was_deferred = True, False

    def give_up(self, query: str, error: Exception) -> Response:
        """The response of a query that is not asked again."""
        self._n_failed += not isinstance(error, PermanentFailure)
        if not self.policy.exceeds_longest_pause(error):
            return failed_response(query, error)
        self._was_deferred = True
        return failed_response(query, error, f", and {self.policy.longest_pause:g} s is the longest wait")


BUSY_RETRY_FACTOR = 3
"""How many times as often a query is asked again when the service only says that it is busy."""
MAX_PAUSE_SECONDS, MIN_LONGEST_PAUSE_SECONDS = 300.0, 60.0
"""Seconds a service may ask to be left alone: as long as a query may take, but within these."""


@dataclass(frozen=True)
class RetryPolicy:
    """How long a query may take, how often it is asked again, and how many are asked at once."""

    timeout: float = 60.0
    """Seconds for one query; for a batch of a size somebody chose, as many times that as it has queries."""
    retries: int = 2
    backoff: float = 0.5
    """Seconds before the first new attempt; twice as long before each further one."""
    concurrency: int = 8
    index_timeout: float | None = None
    """Seconds to be made, and to take the documents in; None leaves it to the kind of provider."""

    @property
    def longest_pause(self) -> float:
        """Seconds that a service is left alone at most, when it asks for that."""
        return min(MAX_PAUSE_SECONDS, max(self.timeout, MIN_LONGEST_PAUSE_SECONDS))

    def should_retry(self, error: Exception, attempts: int) -> bool:
        """Whether a query that failed so often is asked once more."""
        if isinstance(error, PermanentFailure):
            return False
        if self.exceeds_longest_pause(error):
            return attempts <= min(self.retries, 1)
        return attempts <= self.retries * (BUSY_RETRY_FACTOR if isinstance(error, RetryLater) else 1)

    def pause(self, error: Exception, attempts: int) -> float:
        """Seconds before the next attempt: what a busy service asked for, else longer each time, with jitter."""
        if isinstance(error, RetryLater) and error.retry_after is not None:
            return min(error.retry_after, self.longest_pause)
        growing = self.backoff * 2.0 ** (attempts - 1) * random.uniform(0.5, 1.5)  # noqa: S311 (jitter, no secret)
        return min(growing, self.timeout)

    def exceeds_longest_pause(self, error: Exception) -> bool:
        """Whether a service asks for a longer pause than it gets."""
        return isinstance(error, RetryLater) and error.retry_after is not None and error.retry_after > self.longest_pause
