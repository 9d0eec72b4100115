"""Sparkline: the newest values of a series as a small drawing, made on the server, with its marks and a description."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.comparison import Figures
from assay.monitoring import Change, RunPoint, SeriesOverview, day_text
from assay.text import counted

WIDTH, HEIGHT, EDGE = 160, 36, 5
"""The size of the drawing, and the room around it for dots and marks."""
MAX_RUNS = 40
"""The newest runs that are drawn."""


@dataclass(frozen=True)
class SparkMark:
    """A step, a spike or a drift: where it is, and which way it points."""

    tone: str
    """`worse` or `better`; `seen` if no test shows it beyond these queries."""
    points: str
    """The corners of its sign."""


@dataclass(frozen=True)
class Sparkline:
    """Lines between runs, a dot for a run without neighbours, marks, and the level of the baseline."""

    lines: tuple[str, ...]
    dots: tuple[tuple[float, float], ...]
    newest: tuple[float, float] | None
    marks: tuple[SparkMark, ...]
    baseline: float | None
    text: str
    """What the drawing shows, for those who cannot see it."""
    width: int = WIDTH
    height: int = HEIGHT


def sparkline_of(line: SeriesOverview) -> Sparkline:
    """The drawing of a series. Equal values are a line in the middle."""
    runs = line.runs[-MAX_RUNS:]
    first = len(line.runs) - len(runs)
    level = line.baseline.earlier.value if line.baseline.pair and line.baseline.earlier else None
    known = [run.value for run in runs if run.value is not None]
    scale = _Scale([*known, *([level] if level is not None else [])], len(runs))
    groups: list[list[tuple[float, float]]] = [[]]
    for place, run in enumerate(runs):
        if run.value is None:
            groups.append([])
        else:
            groups[-1].append((scale.x(place), scale.y(run.value)))
    last = runs[-1].value
    return Sparkline(
        tuple(" ".join(f"{x:g},{y:g}" for x, y in group) for group in groups if len(group) > 1),
        tuple(group[0] for group in groups if len(group) == 1),
        None if last is None else (scale.x(len(runs) - 1), scale.y(last)),
        tuple(_mark(change, first, scale) for change in line.changes if change.place >= first),
        None if level is None else scale.y(level),
        _description(line, runs, known),
    )


@dataclass(frozen=True)
class _Scale:
    """Places of runs and values in the drawing."""

    values: Sequence[float]
    n: int

    def x(self, place: int) -> float:
        """The position of a run from the left; a single run is at the right."""
        room = WIDTH - 2 * EDGE
        return round(EDGE + room * (place / (self.n - 1) if self.n > 1 else 1), 1)

    def y(self, value: float) -> float:
        """The position of a value from above."""
        low, high = min(self.values), max(self.values)
        share = (value - low) / (high - low) if high - low > 1e-12 * max(abs(high), abs(low), 1e-12) else 0.5
        return round(HEIGHT - EDGE - share * (HEIGHT - 2 * EDGE), 1)


def _mark(change: Change, first: int, scale: _Scale) -> SparkMark:
    """A triangle that points the way the value went."""
    value = change.point.value
    x = scale.x(change.place - first)
    y = scale.y(value if value is not None and math.isfinite(value) else change.before)
    tip = 4 if change.after < change.before else -4
    corners = ((x - 4, y - tip), (x + 4, y - tip), (x, y + tip))
    tone = "seen" if change.is_only_seen else change.direction
    return SparkMark(tone, " ".join(f"{a:g},{b:g}" for a, b in corners))


def _description(line: SeriesOverview, runs: Sequence[RunPoint], known: Sequence[float]) -> str:
    """`ndcg@10 in 30 runs: 0.731 to 0.592, lowest 0.590, highest 0.735; worse on 21 October`."""
    name, figures = line.metric.name, Figures()
    if not known:
        return f"{name}: no value in {counted(len(runs), 'run')}"
    if len(known) == 1:
        return f"{name} in one run: {figures.value(line.metric, known[0])}"
    first, last, low, high = (figures.value(line.metric, value) for value in (known[0], known[-1], min(known), max(known)))
    text = f"{name} in {counted(len(known), 'run')}: {first} to {last}, lowest {low}, highest {high}"
    if (change := line.last_change) is not None:
        text += f"; {change.kind} on {day_text(change.point.started, line.newest.started)} ({change.direction})"
    return text
