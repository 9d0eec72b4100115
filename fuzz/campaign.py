"""Campaign: gives each component its share of time and inputs, with several workers at once."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fuzz.component import Component, all_homes
from fuzz.process import WorkerProcess

BATCH_SECONDS = 2.0
FIRST_BATCH = 25


@dataclass
class Total:
    """What became of the inputs of one component."""

    inputs: int = 0
    accepted: int = 0
    refused: int = 0
    faults: int = 0
    seconds: float = 0.0
    next_place: int = 0
    last_rate: float = 0.0
    """Inputs per second in the last batch: the first one also pays for what is imported."""
    found: list[dict[str, str]] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Inputs per second of a worker."""
        return self.inputs / self.seconds if self.seconds else 0.0

    def add(self, answer: dict[str, Any]) -> None:
        """Count a batch."""
        self.last_rate = answer["inputs"] / answer["seconds"] if answer["seconds"] else 0.0
        for name in ("inputs", "accepted", "refused", "faults", "seconds"):
            setattr(self, name, getattr(self, name) + answer[name])
        by_signature = {fault["signature"]: fault for fault in reversed([*self.found, *answer["found"]])}
        self.found = [by_signature.pop(name) for name in list(reversed(by_signature))]


@dataclass
class Campaign:
    """Ends after so many seconds, or when every component has its share of the inputs; whichever is given."""

    components: Sequence[Component]
    seed: str
    seconds: float | None = None
    count: int | None = None
    minimum: int = 0
    """Inputs of each component before time is shared evenly."""
    jobs: int = 2
    tell: Callable[[str, dict[str, str]], None] = print
    """Called with the component and the first fault of each signature."""

    def run(self) -> dict[str, Total]:
        """The totals by component."""
        self.totals = {one.name: Total() for one in self.components}
        self._share = {one.name: one.share for one in self.components}
        self._lock, self._busy = threading.Lock(), dict.fromkeys(self.totals, 0.0)
        self._end = time.monotonic() + self.seconds if self.seconds is not None else None
        threads = [threading.Thread(target=self._work) for _ in range(self.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return self.totals

    def _work(self) -> None:
        worker = WorkerProcess()
        try:
            while (asked := self._next()) is not None:
                answer = worker.ask(asked)
                with self._lock:
                    self._busy[asked["component"]] = 0.0
                    total = self.totals[asked["component"]]
                    known = len(total.found)
                    total.add(answer)
                    new = total.found[known:]
                for fault in new:
                    self.tell(asked["component"], fault)
        finally:
            worker.close()

    def _next(self) -> dict[str, Any] | None:
        """A batch of the component that is furthest behind; None where nothing is left to do."""
        with self._lock:
            if self._end is not None and time.monotonic() > self._end:
                return None
            behind = [name for name in self.totals if self._left(name) > 0 and not self._busy[name]]
            if not behind:
                return None
            name = min(behind, key=self._progress)
            total = self.totals[name]
            count = max(1, min(self._left(name), max(FIRST_BATCH, round(total.last_rate * BATCH_SECONDS))))
            asked = {
                "component": name,
                "home": all_homes()[name],
                "seed": self.seed,
                "start": total.next_place,
                "count": count,
            }
            total.next_place += count
            self._busy[name] = BATCH_SECONDS
            return {**asked, "seconds": 4 * BATCH_SECONDS}

    def _left(self, name: str) -> int:
        """Inputs that a component still needs."""
        if self.count is None:
            return 1 << 30
        one = self.count / sum(self._share.values())
        return math.ceil(max(self.minimum, one) * self._share[name]) - self.totals[name].inputs

    def _progress(self, name: str) -> tuple[bool, float, float]:
        """First who was never asked, then who lacks inputs (by the part of the minimum), then who had the least time."""
        total, share = self.totals[name], self._share[name]
        has_enough = min(1.0, total.inputs / (self.minimum * share)) if self.minimum else 1.0
        return total.next_place > 0, has_enough, total.seconds / share
