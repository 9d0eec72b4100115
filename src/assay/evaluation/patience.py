"""Patience: how long to wait for an answer, how often to ask again, and how much to ask at once."""

from __future__ import annotations

import random
from dataclasses import dataclass

from assay.providers import Busy, Final

BUSY_RETRIES = 3
"""How many times as often a service is asked again that only says it is busy."""
LONGEST_PAUSE, SHORT_PAUSE = 300.0, 60.0
"""Seconds a service may ask to be left alone: as long as a query may take, but within these."""


@dataclass(frozen=True)
class Patience:
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
        if isinstance(error, Final):
            return False
        if self.is_put_off(error):
            return n_tried <= min(self.retries, 1)
        return n_tried <= self.retries * (BUSY_RETRIES if isinstance(error, Busy) else 1)

    def pause(self, error: Exception, n_tried: int) -> float:
        """Seconds before that: what a busy service asked for, else longer each time, and never the same for all."""
        if isinstance(error, Busy) and error.retry_after is not None:
            return min(error.retry_after, self.longest_pause)
        usual = self.backoff * 2.0 ** (n_tried - 1) * random.uniform(0.5, 1.5)  # noqa: S311 (jitter, no secret)
        return min(usual, self.timeout)

    def is_put_off(self, error: Exception) -> bool:
        """Whether a service asks for a longer pause than it gets."""
        return isinstance(error, Busy) and error.retry_after is not None and error.retry_after > self.longest_pause
