"""Progress: how many queries of a benchmark a provider has finished."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.execution.responses import Response


class Wait(NamedTuple):
    """A pause: its length in seconds, the reason, and the clock time when it ends."""

    seconds: float
    why: str
    until: float


@dataclass
class Progress:
    """The progress of a part; `watch` is called after each batch."""

    name: str
    n_asked: int
    n_done: int = 0
    n_failed: int = 0
    n_cached: int = 0
    indexing: float = 0.0
    """Seconds spent on indexing documents."""
    began: float = field(default_factory=time.perf_counter)
    watch: Callable[[Progress], None] = lambda _: None
    n_known: int = 0
    """Queries that an earlier, interrupted evaluation has finished."""
    wait: Wait | None = None
    """The last pause that a service asked for."""

    def note_wait(self, seconds: float, why: str) -> None:
        """Record that a service asks for a pause, and call `watch`."""
        self.wait = Wait(seconds, why, time.perf_counter() + seconds)
        self.watch(self)

    def add(self, answers: Sequence[Response], *, cached: bool = False) -> None:
        """Count responses, and call `watch`."""
        self.n_done += len(answers)
        self.n_failed += sum(answer.error is not None for answer in answers)
        self.n_cached += len(answers) if cached else 0
        self.watch(self)
