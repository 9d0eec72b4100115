"""Timing: the best of several tries, of a function or of a whole process with its peak memory."""

from __future__ import annotations

import gc
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One row of the table: the case, what it is compared with, and the target."""

    case: str
    against: str
    ours: float
    theirs: float
    bar: str
    is_met: bool
    unit: str = "s"

    @property
    def ratio(self) -> float:
        """Theirs divided by ours: above 1 means that assay is faster or smaller."""
        return self.theirs / self.ours


def faster(case: str, against: str, ours: float, theirs: float, at_least: float) -> Row:
    """A target of the form 'at least x times faster'."""
    return Row(case, against, ours, theirs, f"≥ {at_least:g}× faster", theirs / ours >= at_least)


def within(case: str, against: str, ours: float, theirs: float, at_most: float, unit: str = "s") -> Row:
    """A target of the form 'at most x times as much'."""
    return Row(case, against, ours, theirs, f"≤ {at_most:g}×", ours / theirs <= at_most, unit)


def best_time(function: Callable[[], object], tries: int = 5) -> float:
    """Seconds of the quickest try."""
    times = []
    for _ in range(tries):
        gc.collect()
        began = time.perf_counter()
        function()
        times.append(time.perf_counter() - began)
    return min(times)


def best_process(command: Sequence[str], tries: int = 5) -> tuple[float, float]:
    """Seconds and peak megabytes of the quickest try of a process, output thrown away."""
    outcomes = []
    for _ in range(tries):
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"{' '.join(command)} exited with {process.returncode}")
        outcomes.append((time.perf_counter() - began, usage.ru_maxrss / 1024))
    return min(outcomes)
