"""steps: notice, night by night, when a series of figures has moved to another level, or jumped once.

Three things work together. A robust z-score (median and MAD of the nights before) finds single nights that are out of
line. A self-starting CUSUM adds up small steps in one direction: each night is held against the mean and spread of the
nights before it, so that nothing needs to be known in advance, and turned into a standard normal figure whatever their
number (Hawkins 1987, Self-starting cusum charts for location and scale, The Statistician 36). When it alarms, the night at
which two levels explain the nights best is where the step began. Nothing is assumed about weekdays or seasons.

Noise is rarely normal: timings are skewed, shares of few queries come in lumps, and some nights are wild. Timings are
watched by their logarithms; shares are believed to vary by about a query; one night adds little, so that it takes several.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.errors import BadParameter
from assay.text import counted

LEAST_POINTS = 10
"""Nights before anything can be said."""
ALLOWANCE = 1.0
"""Of the CUSUM, in standard deviations: what a night may be off without being added up. It suits steps of two or more."""
DECISION, WHILE_FEW = 4.6, 14.0
"""The CUSUM alarms above the first, less the second over the number of nights: early on, steps are harder to see."""
LARGEST = 2.5
"""What one night may add to the CUSUM: a single wild one is a spike, no step."""
SPIKE, SPIKE_WHILE_FEW = 10.0, 40.0
"""A robust z-score above the first, plus the second over the number of nights, is a spike, even where tails are heavy."""
PRIOR_NIGHTS = 4
"""A share of queries is believed to vary by a query, as firmly as if that had been seen on so many nights."""
SMALLEST = 0.002
"""Shifts by a smaller share of the level are nobody's business, however steady a series was."""
MAD_TO_SD = 1.4826
WHOLE = 1e-6
"""A share of queries is a whole number of them, but for rounding."""
MAX_NIGHTS = 120
"""Nights that the median looks back on."""


class Alarm(NamedTuple):
    """Where something changed: a step to another level, or a spike of one night."""

    place: int
    """Where it began, in the series as it was given."""
    noticed: int
    """When it was noticed: the last night that had to be seen."""
    is_step: bool
    before: float
    """The level before."""
    after: float
    """The level from then until it was noticed, or the figure of the spike."""


@dataclass(frozen=True)
class Watched:
    """What was noticed in a series, and why nothing could be, where that is so."""

    alarms: tuple[Alarm, ...]
    n: int
    doubt: str = ""

    @property
    def steps(self) -> tuple[Alarm, ...]:
        """The lasting changes alone."""
        return tuple(alarm for alarm in self.alarms if alarm.is_step)


def watch_series(
    values: Sequence[float], least: int = LEAST_POINTS, *, is_timing: bool = False, n_queries: int = 0
) -> Watched:
    """Go through a series as it came about; nights without a figure (nan) are passed over.

    With fewer than `least` figures nothing is said, but why. On 60 nights of mere noise an alarm of any kind is raised in
    at most 5 of 100 series. Timings are skewed: `is_timing` watches their logarithms, where all are above 0. `n_queries`
    is what figures rest on: where they are shares of so many queries, they come in lumps of one.
    """
    if least < 3:
        raise BadParameter(f"least is a number of points from 3 up, not {least!r}")
    known = [(place, float(value)) for place, value in enumerate(values) if math.isfinite(value)]
    if len(known) <= least:
        doubt = f"{counted(len(known), 'point')}; at least {least + 1} are needed to tell a change from chance"
        return Watched((), len(known), doubt)
    in_logs = is_timing and all(value > 0 for _, value in known)
    watch = _Watch(least, in_logs=in_logs, query=1 / n_queries if n_queries > 0 and not in_logs else 0.0)
    for place, value in known:
        watch.see(place, math.log(value) if in_logs else value)
    alarms = watch.alarms
    if in_logs:
        alarms = [alarm._replace(before=math.exp(alarm.before), after=math.exp(alarm.after)) for alarm in alarms]
    return Watched(tuple(alarms), len(known))


@dataclass
class _Watch:
    """What is known after so many nights."""

    least: int
    in_logs: bool = False
    query: float = 0.0
    """What one query is worth, as long as all figures were shares of queries; else 0."""
    alarms: list[Alarm] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    """Nights since the last step."""
    values: list[float] = field(default_factory=list)
    spikes: set[int] = field(default_factory=set)
    """Places of nights that were out of line."""
    spread: float = 0.0
    """Sum of squares of earlier stretches around their levels, and how many figures it rests on."""
    freedom: int = 0
    up: float = 0.0
    down: float = 0.0
    n_up: int = 0
    """Nights that the CUSUM has been above 0 for: they may be a new level, and are no part of the old one as yet."""
    n_down: int = 0

    def see(self, place: int, value: float) -> None:
        """One more night."""
        if self.query and not _is_whole(value / self.query):
            self.query = 0.0
        settled = len(self.values) - max(self.n_up, self.n_down)
        calm = [
            known
            for where, known in zip(self.places[:settled], self.values[:settled], strict=True)
            if where not in self.spikes
        ]
        is_ready = len(calm) >= 2 and len(calm) + self.freedom >= self.least
        if is_ready:
            self._add(self._surprise(calm, value))
            self._note_spike(place, value)
        self.places.append(place)
        self.values.append(value)
        if is_ready and max(self.up, self.down) > DECISION - WHILE_FEW / (len(calm) + self.freedom):
            self._note_step(place)

    def _surprise(self, calm: Sequence[float], value: float) -> float:
        """How far off the night is from those before, as a standard normal figure."""
        from scipy.special import ndtri, stdtr

        n = len(calm)
        mean = math.fsum(calm) / n
        freedom = n - 1 + self.freedom
        squares = math.fsum((value - mean) ** 2 for value in calm) + self.spread
        believed = (squares + PRIOR_NIGHTS * self.query**2) / (freedom + PRIOR_NIGHTS) if self.query else 0.0
        deviation = max(math.sqrt(max(squares / freedom, believed)), self._floor(mean))
        if not deviation:
            return math.copysign(LARGEST, value - mean) if value != mean else 0.0
        t = (value - mean) / (deviation * math.sqrt(1 + 1 / n))
        return float(math.copysign(-ndtri(stdtr(freedom, -abs(t))), t))

    def _add(self, surprise: float) -> None:
        bounded = max(-LARGEST, min(LARGEST, surprise))
        self.up = max(0.0, self.up + bounded - ALLOWANCE)
        self.down = max(0.0, self.down - bounded - ALLOWANCE)
        self.n_up = self.n_up + 1 if self.up else 0
        self.n_down = self.n_down + 1 if self.down else 0

    def _note_spike(self, place: int, value: float) -> None:
        """By the median and the MAD of the nights before; too few nights of a new level say nothing."""
        before = self.values[-MAX_NIGHTS:]
        if len(before) < self.least:
            return
        middle = _median(before)
        mad = MAD_TO_SD * _median([abs(value - middle) for value in before])
        mean = math.fsum(before) / len(before)
        deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in before) / (len(before) - 1))
        scale = max(mad, deviation, self.query / 4, self._floor(middle))
        if abs(value - middle) > (SPIKE + SPIKE_WHILE_FEW / len(before)) * scale and self._matters(middle, value):
            self.spikes.add(place)
            self.alarms.append(Alarm(place, place, False, middle, value))

    def _note_step(self, noticed: int) -> None:
        """Find where the step began; the nights since then are the new level."""
        split = _best_split(self.values)
        before, after = self.values[:split], self.values[split:]
        level, since = _mean(before), _mean(after)
        self.up = self.down = 0.0
        self.n_up = self.n_down = 0
        if not self._matters(level, since):
            return
        began = self.places[split]
        self.alarms = [alarm for alarm in self.alarms if alarm.place < began]
        self.alarms.append(Alarm(began, noticed, True, level, since))
        calm = [value for where, value in zip(self.places[:split], before, strict=True) if where not in self.spikes]
        self.spread += math.fsum((value - _mean(calm)) ** 2 for value in calm) if calm else 0.0
        self.freedom += max(0, len(calm) - 1)
        self.places, self.values = self.places[split:], after
        self.spikes = set()

    def _floor(self, level: float) -> float:
        """The least spread a series is believed to have: perfectly steady ones exist, and tiny changes do not matter."""
        return SMALLEST / 4 * (1.0 if self.in_logs else abs(level))

    def _matters(self, before: float, after: float) -> bool:
        return abs(after - before) >= SMALLEST * (1.0 if self.in_logs else abs(before))


def _best_split(values: Sequence[float]) -> int:
    """The place where two levels explain the values best: the largest sum of squares between them."""
    n, total, head = len(values), math.fsum(values), 0.0
    best, best_split = -1.0, n - 1
    for split in range(1, n):
        head += values[split - 1]
        gap = head / split - (total - head) / (n - split)
        between = gap * gap * split * (n - split)
        if between > best:
            best, best_split = between, split
    return best_split


def _is_whole(number: float) -> bool:
    return abs(number - round(number)) < WHOLE


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _median(values: Sequence[float]) -> float:
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
