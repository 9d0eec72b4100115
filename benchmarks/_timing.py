"""Timing: functions and whole processes that take turns, with CPU time, wall time and peak memory.

Other programs on the same machine make wall time unreliable, so ratios are of CPU time unless a case says otherwise. Both
sides take turns, so a slow minute affects both.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).parents[1]


class Cost(NamedTuple):
    """What one try cost."""

    cpu: float
    wall: float
    megabytes: float = 0.0


@dataclass(frozen=True)
class Costs:
    """What several tries cost."""

    tries: list[Cost] = field(default_factory=list)

    @property
    def cpu(self) -> float:
        """CPU seconds of the best try."""
        return min(cost.cpu for cost in self.tries)

    @property
    def wall(self) -> float:
        """Seconds of the fastest try."""
        return min(cost.wall for cost in self.tries)

    @property
    def megabytes(self) -> float:
        """Peak memory of the largest try."""
        return max(cost.megabytes for cost in self.tries)

    @property
    def median_cpu(self) -> float:
        """The median of the CPU seconds."""
        return median(cost.cpu for cost in self.tries)

    @property
    def median_wall(self) -> float:
        """The median of the seconds."""
        return median(cost.wall for cost in self.tries)


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
    more: str = ""
    """What else was measured in the same tries."""

    @property
    def ratio(self) -> float:
        """Theirs divided by ours: above 1 means that assay is faster or smaller."""
        return self.theirs / self.ours


def faster(case: str, against: str, ours: float, theirs: float, at_least: float, more: str = "") -> Row:
    """A target of the form 'at least x times faster'."""
    return Row(case, against, ours, theirs, f"≥ {at_least:g}× faster", theirs / ours >= at_least, more=more)


def within(case: str, against: str, ours: float, theirs: float, at_most: float, unit: str = "s", more: str = "") -> Row:
    """A target of the form 'at most x times as much'."""
    return Row(case, against, ours, theirs, f"≤ {at_most:g}×", ours / theirs <= at_most, unit, more)


def faster_in_turns(case: str, against: str, ours: Costs, theirs: Costs, at_least: float) -> Row:
    """A target for CPU time, with everything else that was measured."""
    return faster(f"{case}, CPU", against, ours.cpu, theirs.cpu, at_least, describe(ours, theirs))


def within_in_turns(case: str, against: str, ours: Costs, theirs: Costs, at_most: float) -> Row:
    """The same for a target of the form 'at most x times as much'."""
    return within(f"{case}, CPU", against, ours.cpu, theirs.cpu, at_most, more=describe(ours, theirs))


def within_by_medians(case: str, against: str, ours: Costs, theirs: Costs, at_most: float) -> Row:
    """The same for short processes, whose best try is often luck: the CPU time of an import varies by half."""
    by_best = f"best {_seconds(ours.cpu)} / {_seconds(theirs.cpu)} = {ours.cpu / theirs.cpu:.2f}×"
    more = f"{by_best}; {describe(ours, theirs).partition('; ')[2]}"
    return within(f"{case}, median CPU", against, ours.median_cpu, theirs.median_cpu, at_most, more=more)


def describe(ours: Costs, theirs: Costs) -> str:
    """The other measurements of the same tries, assay's first."""
    texts = [
        f"median {_seconds(ours.median_cpu)} / {_seconds(theirs.median_cpu)}",
        f"wall {_seconds(ours.wall)} / {_seconds(theirs.wall)}",
    ]
    if ours.megabytes and theirs.megabytes:
        texts.append(f"peak {ours.megabytes:.0f} / {theirs.megabytes:.0f} MB")
    return "; ".join(texts)


def _seconds(value: float) -> str:
    return f"{value:.2f} s" if value >= 1 else f"{value * 1e3:.3g} ms" if value >= 1e-3 else f"{value * 1e6:.3g} µs"


def take_turns(*functions: Callable[[], object], tries: int = 5, repeats: int = 1) -> list[Costs]:
    """Call each function in turn, several times; `repeats` calls count as one try, for calls that are short."""
    costs = [Costs() for _ in functions]
    for _ in range(tries):
        for function, own in zip(functions, costs, strict=True):
            gc.collect()
            wall, cpu = time.perf_counter(), time.process_time()
            for _ in range(repeats):
                function()
            own.tries.append(Cost((time.process_time() - cpu) / repeats, (time.perf_counter() - wall) / repeats))
    return costs


def take_turns_as_processes(*commands: Sequence[str], tries: int = 5) -> list[Costs]:
    """Run each command in turn, several times."""
    costs = [Costs() for _ in commands]
    for _ in range(tries):
        for command, own in zip(commands, costs, strict=True):
            own.tries.append(_run(command))
    return costs


def best_time(function: Callable[[], object], tries: int = 5) -> float:
    """Seconds of the fastest try."""
    return take_turns(function, tries=tries)[0].wall


def best_process(command: Sequence[str], tries: int = 5) -> tuple[float, float]:
    """Seconds and peak megabytes of the fastest try of a process."""
    costs = take_turns_as_processes(command, tries=tries)[0]
    best = min(costs.tries, key=lambda cost: cost.wall)
    return best.wall, best.megabytes


LAUNCHER = """
import os, sys, time
began = time.perf_counter()
null = os.open(os.devnull, os.O_RDWR)
streams = [(os.POSIX_SPAWN_DUP2, null, number) for number in (0, 1, 2)]
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=streams)
_, status, usage = os.wait4(process, 0)
wall = time.perf_counter() - began
print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)
"""
"""Starts a process and prints what it cost. A process begins with the memory of its parent, so the parent must be small."""


def _run(command: Sequence[str]) -> Cost:
    """The cost of a process, without its output. Python saves compiled files, as it does for users."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    launch = [sys.executable, "-I", "-S", "-c", LAUNCHER, *command]
    code, *numbers = subprocess.run(launch, env=environment, capture_output=True, text=True, check=True).stdout.split()
    if code != "0":
        raise RuntimeError(f"{' '.join(command)} exited with {code}")
    return Cost(*map(float, numbers))
