"""steps: detect, on the night itself, that a series of values has changed.

A system is steady if its scores are the same night after night. Then every difference is a change of the system, and it is
marked on the night it appears. A system is noisy if its scores differ from night to night. Then a chart of the nightly
values marks a night that is too far from the mean since the last step. Until the chart has enough nights, a paired test with
the night before takes its place. A trend that is too slow for the chart is found by its slope, and raises one alarm.

Whether a change holds for other queries too is a second question. A randomisation test answers it: tonight's scores against
the mean of each query since the last step. Every look at a change spends a part of α, so that the chance of a false answer
in any 60 nights is at most 5 %.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.monitoring.levels import LEAST_NIGHTS, NIGHTS, Level, Measured, Night, paired_p, score_differences
from assay.text import counted

ALPHA = 0.05
"""The chance of a false alarm in 60 nights."""
FIRST_LOOK = 0.03
"""α of the first change; the j-th change within 60 nights has this divided by j², so that all together have at most 5 %."""
EARLY_LOOK = 0.007 / 7
"""α of the paired test on each of the nights before the chart begins."""
WARNING_LOOK = 0.02
"""α of the chart for times on each of two nights that are too far on the same side."""
EXTREME, EXTREME_WHILE_FEW = 10.0, 40.0
"""A time is extreme beyond the first number plus the second divided by the number of nights, in standard errors."""
DRIFT_ENDS = 30
"""A drift is over after this many nights without a trend; until then, it is the same drift."""
RECENT_PAIRS = 15
"""Pairs of consecutive nights that say whether a system is steady."""
LEAST_PAIRS = 4
"""Fewer pairs do not say whether a system is steady."""
STEADY_SHARE = 5
"""A system is steady if at most one in this many pairs differs."""
LEAST_CHANGED = 4
"""Before that, a difference after equal nights is a change if it is on this many queries."""


STEP, SPIKE, DRIFT = "step", "spike", "drift"


class Alarm(NamedTuple):
    """A detected change: a step to another level, a spike of one night, or a slow drift."""

    place: int
    """The position in the given series."""
    kind: str
    """`step`, `spike` (a step until the value returned on the next night) or `drift`."""
    before: float
    """The mean since the last step; the value of the night before, if only this was compared."""
    after: float
    """The value of the night."""
    earlier: int
    """The position of the night before."""
    p: float = math.nan
    """p of the paired test, corrected for the looks; nan if there are no scores of queries, or no mean of them."""
    differences: Floats | None = None
    """For each query: its score tonight minus its score before; nan if one of them is undefined."""

    @property
    def is_shown(self) -> bool:
        """Whether the paired test shows a change beyond these queries."""
        return self.p <= ALPHA


@dataclass(frozen=True)
class Watched:
    """What was detected in a series; `doubt` says why small changes cannot be detected yet."""

    alarms: tuple[Alarm, ...]
    n: int
    doubt: str = ""


def watch_series(
    values: Sequence[float],
    scores: Iterable[Floats | None] | None = None,
    measured: Measured | None = None,
    has_recorded_change: Callable[[int, int], bool] | None = None,
) -> Watched:
    """Go through a series in order of time; nights without a value (nan) are skipped.

    `scores` has the scores of the queries of each night, always in the same order; None if a night has none. Without scores,
    there is no paired test. `has_recorded_change` says whether something is known to have changed between two positions. It
    is called only while it is unknown whether the system is steady.
    """
    known = [place for place, value in enumerate(values) if math.isfinite(value)]
    measured = measured or Measured()
    in_logs = measured.is_timing and all(values[place] > 0 for place in known)
    watch = _Watch(measured, has_recorded_change)
    for place, night in enumerate(scores if scores is not None else [None] * len(values)):
        if math.isfinite(values[place]):
            watch.see(Night(place, math.log(values[place]) if in_logs else float(values[place]), night))
    alarms = [
        alarm._replace(before=math.exp(alarm.before), after=math.exp(alarm.after)) if in_logs else alarm
        for alarm in watch.alarms
    ]
    return Watched(tuple(alarms), len(known), watch.doubt)


@dataclass
class _Watch:
    """The state after some nights."""

    measured: Measured
    has_recorded_change: Callable[[int, int], bool] | None
    alarms: list[Alarm] = field(default_factory=list)
    level: Level = field(default_factory=Level)
    left: Level | None = None
    """The level before the last alarm, if that was last night: the next night may return to it."""
    last: Night | None = None
    before_last: Night | None = None
    pairs: deque[bool] = field(default_factory=lambda: deque(maxlen=RECENT_PAIRS))
    """Whether each night was the same as the night before."""
    is_noisy: bool = False
    """Whether a night differed from the one before without an alarm."""
    looks: list[int] = field(default_factory=list)
    """Positions of the paired tests on changes."""
    n: int = 0
    drift: int = 0
    """The direction of a drift that is not over."""
    calm: Level | None = None
    """The level before last night, if a time was too far from it."""
    warning: int = 0
    """On which side that time was."""

    def see(self, night: Night) -> None:
        """Add one night."""
        last = self.last
        if last is not None:
            is_same = not self.measured.is_timing and night.is_same(last)
            if is_same or not self._returns(night):
                alarm = None if is_same else self._alarm(night, last)
                self._go_on(night, alarm)
                self.is_noisy = self.is_noisy or not (is_same or alarm)
            self.pairs.append(is_same)
        else:
            self.level.add(night)
        self.n += 1
        self.before_last, self.last = last, night

    @property
    def is_steady(self) -> bool:
        """Whether nights are the same unless the system changed."""
        n_different = self.pairs.count(False)
        return (
            not self.measured.is_timing and len(self.pairs) >= LEAST_PAIRS and n_different * STEADY_SHARE <= len(self.pairs)
        )

    @property
    def is_unknown(self) -> bool:
        """Whether there were too few nights to say whether the system is steady."""
        return not self.measured.is_timing and len(self.pairs) < LEAST_PAIRS

    @property
    def is_exact(self) -> bool:
        """Whether a night is expected to have the same scores as the night before."""
        return self.is_steady or self.is_unknown or not (self.measured.is_timing or self.is_noisy)

    def _is_change(self, night: Night, last: Night) -> bool:
        """Whether a difference is a change of the system, not noise."""
        if self._has_repeated(night, last):
            return True
        if self.is_unknown:
            is_recorded = self.has_recorded_change
            return is_recorded is not None and is_recorded(last.place, night.place)
        return self.is_steady and self.pairs[-1]

    def _has_repeated(self, night: Night, last: Night) -> bool:
        """Whether the nights so far were the same too often for noise that differs on so many queries tonight.

        Noise that leaves two nights equal and then changes four queries is rare: at most 0.6 % of noisy series begin so.
        """
        is_repeating = not self.is_noisy and not self.measured.is_timing and bool(self.pairs) and self.pairs[-1]
        if not is_repeating or night.scores is None or last.scores is None:
            return False
        n_changed = int(np.count_nonzero(score_differences(night.scores, last.scores)))
        return n_changed >= LEAST_CHANGED

    def _alarm(self, night: Night, last: Night) -> Alarm | None:
        """The alarm of a night that differs from the last one; None if noise explains it."""
        if self._is_change(night, last):
            alarm = self._look(night, last, STEP)
            return alarm if alarm.is_shown else self._seen(night, last, alarm.p)
        if self._is_outside(night):
            return self._look(night, last, STEP)
        return self._drift(night, last) if self.level.n >= LEAST_NIGHTS else self._early(night, last)

    def _is_outside(self, night: Night) -> bool:
        """Whether the chart calls a night too far from the nights since the last step.

        Single nights of times are often extreme. So a time must be extreme beyond doubt, or too far for two nights.
        """
        if not self.measured.is_timing:
            return bool(self.level.side(night.value, self.measured))
        level = self.calm if self.calm is not None else self.level
        side = level.side(night.value, self.measured, WARNING_LOOK)
        is_second = side != 0 and self.calm is not None and side == self.warning
        if is_second or abs(level.distance(night.value, self.measured)) > EXTREME + EXTREME_WHILE_FEW / max(1, level.n):
            self.level, self.calm, self.warning = level, None, 0
            return True
        self.calm, self.warning = replace(self.level) if side else None, side
        return False

    def _look(self, night: Night, last: Night, kind: str) -> Alarm:
        """An alarm, with the answer of the paired test against the mean since the last step."""
        self.looks = [place for place in self.looks if place > night.place - NIGHTS] + [night.place]
        differences = self.level.differences(night)
        correction = ALPHA / FIRST_LOOK * len(self.looks) ** 2
        p = paired_p(differences) * correction if self.measured.is_mean else math.nan
        p = 1.0 if p > 1 else p
        return Alarm(night.place, kind, self.level.mean, night.value, last.place, p, differences)

    def _seen(self, night: Night, last: Night, p: float) -> Alarm:
        """An alarm about a change of a steady system that is not shown beyond these queries."""
        differences = None
        if night.scores is not None and last.scores is not None:
            differences = score_differences(night.scores, last.scores)
        return Alarm(night.place, STEP, last.value, night.value, last.place, p, differences)

    def _early(self, night: Night, last: Night) -> Alarm | None:
        """The alarm of the paired test with the night before, while the chart has too few nights.

        Two nights of a system that only has noise can be swapped, so this test holds for any noise; a mean of several nights
        has other noise than one night.
        """
        if night.scores is None or last.scores is None or not self.measured.is_mean:
            return None
        differences = score_differences(night.scores, last.scores)
        p = paired_p(differences, EARLY_LOOK)
        if not p <= EARLY_LOOK:
            return None
        return Alarm(night.place, STEP, last.value, night.value, last.place, p * ALPHA / EARLY_LOOK, differences)

    def _drift(self, night: Night, last: Night) -> Alarm | None:
        """The alarm of a slow drift; one for all of it."""
        if self.level.n >= DRIFT_ENDS:
            self.drift = 0
        sign = self.level.trend(self.measured)
        if sign and sign == self.drift:
            self.level = Level()
        elif sign:
            self.drift = sign
            return self._look(night, last, DRIFT)
        return None

    def _go_on(self, night: Night, alarm: Alarm | None) -> None:
        """Continue the level, or begin a new one at a step. A change that was only seen does not begin a new one."""
        self.left = None
        if alarm is not None:
            self.alarms.append(alarm)
            self.left = self.level if alarm.kind == STEP else None
            is_only_seen = self.is_exact and not alarm.is_shown
            self.level = replace(self.level) if is_only_seen else Level()
        self.level.add(night)

    def _returns(self, night: Night) -> bool:
        """Whether the alarm of last night was a spike, because tonight is as it was before."""
        if self.left is None or self.last is None or self.before_last is None:
            return False
        is_back = night.is_same(self.before_last)
        if not self.is_exact:
            is_back = abs(night.value - self.left.mean) < abs(self.last.value - self.left.mean) / 2
        if is_back:
            self.alarms[-1] = self.alarms[-1]._replace(kind=SPIKE)
            self.level, self.left = self.left, None
            self.level.add(night)
        return is_back

    @property
    def doubt(self) -> str:
        """Why small changes cannot be detected yet; empty if they can, or if a change was detected."""
        if self.is_steady or self.level.n >= LEAST_NIGHTS or self.alarms:
            return ""
        points = counted(self.n, "point")
        if self.n < 2:
            return f"{points}, but detecting a change needs at least 2"
        if self.last is not None and self.last.scores is not None:
            return f"{points}{self._missing()}"
        return f"{points}, but detecting a change needs at least {LEAST_NIGHTS + 1}"

    def _missing(self) -> str:
        """What small changes need before they can be detected, if there are scores of queries."""
        if self.is_noisy:
            return f"; the system did not repeat itself, so small changes can be detected from {LEAST_NIGHTS + 1} points on"
        least = f"a change of fewer than {LEAST_CHANGED} queries"
        return f", all equal; {least} can be detected after {LEAST_PAIRS + 1} equal points"
