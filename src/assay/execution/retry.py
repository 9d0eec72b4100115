"""Experience: what asking a provider has brought so far, and whether asking again is worth it."""

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
    """What asking a provider has brought so far; it teaches when patience is wasted."""

    patience: RetryPolicy
    waits: Callable[[float, str], None] = field(default=lambda _seconds, _why: None)
    """Told how long everybody waits now, and why, when a service asks for that."""
    _n_lost: int = 0
    _has_answered: bool = False
    _is_put_off: bool = False

    @property
    def is_new(self) -> bool:
        """Whether nothing was answered yet, and nothing given up."""
        return not self._has_answered and not self._n_lost

    def allows(self, error: Exception, n_tried: int) -> bool:
        """Whether a query that failed so often is asked once more."""
        return self.is_worth_waiting(error) and self.patience.allows(error, n_tried)

    def is_worth_waiting(self, error: Exception) -> bool:
        """Not while nothing has ever worked, nor after the longest wait was not long enough for a service."""
        if not self._has_answered and self._n_lost >= MAX_FAILURES_BEFORE_GIVING_UP:
            return False
        return not (self._is_put_off and self.patience.is_put_off(error))

    def pause(self, error: Exception, n_tried: int) -> float:
        """Seconds before that; a long one that a service asks for is told of."""
        seconds = self.patience.pause(error, n_tried)
        if isinstance(error, RetryLater) and error.retry_after:
            self.waits(seconds, error.message.rpartition(": ")[2])
        return seconds

    def answered(self, answers: Iterable[Response]) -> None:
        """Note that some were answered."""
        if any(answer.error is None for answer in answers):
            self._has_answered, self._is_put_off = True, False

    def lost(self, query: str, error: Exception) -> Response:
        """The answer to a query that is given up."""
        self._n_lost += not isinstance(error, PermanentFailure)
        if not self.patience.is_put_off(error):
            return failed_response(query, error)
        self._is_put_off = True
        return failed_response(query, error, f", and {self.patience.longest_pause:g} s is the longest wait")


BUSY_RETRIES = 3
"""How many times as often a service is asked again that only says it is busy."""
LONGEST_PAUSE, SHORT_PAUSE = 300.0, 60.0
"""Seconds a service may ask to be left alone: as long as a query may take, but within these."""


@dataclass(frozen=True)
class RetryPolicy:
    """What a runner puts up with."""

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
        return min(LONGEST_PAUSE, max(self.timeout, SHORT_PAUSE))

    def allows(self, error: Exception, n_tried: int) -> bool:
        """Whether a query that failed so often is asked once more."""
        if isinstance(error, PermanentFailure):
            return False
        if self.is_put_off(error):
            return n_tried <= min(self.retries, 1)
        return n_tried <= self.retries * (BUSY_RETRIES if isinstance(error, RetryLater) else 1)

    def pause(self, error: Exception, n_tried: int) -> float:
        """Seconds before that: what a busy service asked for, else longer each time, and never the same for all."""
        if isinstance(error, RetryLater) and error.retry_after is not None:
            return min(error.retry_after, self.longest_pause)
        usual = self.backoff * 2.0 ** (n_tried - 1) * random.uniform(0.5, 1.5)  # noqa: S311 (jitter, no secret)
        return min(usual, self.timeout)

    def is_put_off(self, error: Exception) -> bool:
        """Whether a service asks for a longer pause than it gets."""
        return isinstance(error, RetryLater) and error.retry_after is not None and error.retry_after > self.longest_pause
