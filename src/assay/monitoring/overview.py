"""overview: every series of a store in one record: what got worse, what failed, what got better, and the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

from assay.metrics import BoundMetric
from assay.monitoring.change_since import (
    BETTER,
    FAILED,
    HIGHER,
    LOWER,
    NEW,
    SAME,
    STANDINGS,
    WORSE,
    ChangeSince,
    RunPoint,
)
from assay.monitoring.points import Change
from assay.text import counted

MAX_POINTS = 40
"""The newest runs that are drawn."""


@dataclass(frozen=True)
class SeriesOverview:
    """One series: its newest runs on one metric, and how the newest differs from the previous run and the baseline."""

    benchmark: str
    provider: str
    data: str
    """A name for the data, if the same benchmark and provider has another series on other data."""
    metric: BoundMetric
    runs: tuple[RunPoint, ...]
    """Oldest first; at most 60."""
    changes: tuple[Change, ...]
    """Steps, spikes and drifts of these runs."""
    previous: ChangeSince
    baseline: ChangeSince
    error: str = ""
    """The most frequent error of the newest run."""

    @property
    def newest(self) -> RunPoint:
        """The newest run."""
        return self.runs[-1]

    @property
    def name(self) -> str:
        """`bm25 on rag-template`, with the data if there are several."""
        about = f"{self.provider or 'run'} on {self.benchmark}" if self.benchmark else self.provider or "run"
        return f"{about} ({self.data})" if self.data else about

    @cached_property
    def standing(self) -> str:
        """`worse`, `failed`, `better`, `lower` or `higher` (not shown), `same`, or `new` if nothing can be decided."""
        if self.newest.is_failed:
            return FAILED
        both = [change.standing for change in (self.previous, self.baseline) if change.standing]
        return next((standing for standing in (WORSE, BETTER, LOWER, HIGHER) if standing in both), SAME if both else NEW)

    @property
    def deciding(self) -> ChangeSince:
        """The comparison that decides the standing."""
        both = (self.previous, self.baseline)
        return next((change for change in both if change.standing and change.standing == self.standing), self.previous)

    @property
    def last_change(self) -> Change | None:
        """The newest step, spike or drift."""
        return self.changes[-1] if self.changes else None

    @property
    def around(self) -> tuple[RunPoint, RunPoint] | None:
        """The two runs to compare, the older first: those that decide, else those around the newest step."""
        if self.standing == FAILED:
            return None
        if self.standing in (SAME, NEW) and (step := self.last_change) is not None:
            by_number = {run.result: run for run in self.runs}
            return by_number[step.earlier.result], by_number[step.point.result]
        earlier = self.deciding.earlier or self.baseline.earlier
        return None if earlier is None or earlier == self.newest else (earlier, self.newest)

    def sentences(self) -> list[str]:
        """What is known about the newest run, in sentences."""
        who = self.provider or "run"
        if self.standing == FAILED:
            return [f"{who} failed on every query: {self.error or 'no error is recorded'}"]
        return [
            changes[0].sentence(who, " and ".join(change.reference for change in changes))
            for changes in self.distinct_changes
            if changes[0].pair is not None
        ] or [self.previous.sentence(who)]

    @property
    def distinct_changes(self) -> list[tuple[ChangeSince, ...]]:
        """The change since the last run and since the baseline; as one if both have the same figures."""
        previous, baseline = self.previous, self.baseline
        if not baseline.name:
            return [(previous,)]
        is_same = previous.pair is not None and baseline.pair is not None and previous.change == baseline.change
        return [(previous, baseline)] if is_same else [(previous,), (baseline,)]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        around = self.around
        return {
            "benchmark": self.benchmark,
            "provider": self.provider,
            "data": self.data or None,
            "metric": self.metric.name,
            "higher_is_better": self.metric.metric.higher_is_better,
            "standing": self.standing,
            "newest": self.newest.to_dict(),
            "previous": self.previous.to_dict(),
            "baseline": self.baseline.to_dict() if self.baseline.name else None,
            "error": self.error or None,
            "values": [run.value for run in self.runs[-MAX_POINTS:]],
            "changes": [change.to_dict() for change in self.changes],
            "compare": [run.key for run in around] if around else None,
        }


@dataclass(frozen=True)
class Overview:
    """All series of a store, what got worse first."""

    series: tuple[SeriesOverview, ...]

    def of(self, *standings: str) -> list[SeriesOverview]:
        """The series with one of these standings."""
        return [line for line in self.series if line.standing in standings]

    @cached_property
    def worse(self) -> list[SeriesOverview]:
        """The series that are worse than their previous run or their baseline."""
        return self.of(WORSE)

    @cached_property
    def failed(self) -> list[SeriesOverview]:
        """The series whose provider failed on every query."""
        return self.of(FAILED)

    @cached_property
    def better(self) -> list[SeriesOverview]:
        """The series that are better than their previous run or their baseline."""
        return self.of(BETTER)

    @cached_property
    def unshown(self) -> list[SeriesOverview]:
        """The series whose values differ, but no test shows a difference."""
        return self.of(LOWER, HIGHER)

    @cached_property
    def rest(self) -> list[SeriesOverview]:
        """The series that did not change, and those that have nothing to be compared with."""
        return self.of(SAME, NEW)

    @cached_property
    def last_worse(self) -> tuple[SeriesOverview, Change] | None:
        """The newest step, spike or drift to a worse level in any series."""
        marks = [(line, change) for line in self.series for change in line.changes if change.direction == "worse"]
        return max(marks, key=lambda mark: mark[1].point.started, default=None)

    @property
    def since(self) -> str:
        """Since when nothing got worse: the day of the last step to a worse level, or of the oldest run looked at."""
        if self.last_worse is not None:
            return self.last_worse[1].point.started
        return min((line.runs[0].started for line in self.series), default="")

    @property
    def heading(self) -> str:
        """What got worse, in one sentence."""
        if not self.series:
            return "No results yet"
        failures = f"{counted(len(self.failed), 'provider')} failed on every query" if self.failed else ""
        if self.worse:
            return f"{_worse_text(self.worse)}; {failures}" if failures else _worse_text(self.worse)
        if not any(line.previous.pair or line.baseline.pair for line in self.series):
            has_earlier = any(len(line.runs) > 1 and not line.newest.is_failed for line in self.series)
            nothing = "No newest run can be compared with an earlier one" if has_earlier else ""
            return failures or nothing or "No series has two runs to compare yet"
        newest = max(line.newest.started for line in self.series)
        nothing = f"othing {'else ' if failures else ''}got worse since {day_text(self.since, newest)}"
        return f"{failures}; n{nothing}" if failures else f"N{nothing}"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        counts = {standing: len(self.of(standing)) for standing in STANDINGS}
        return {"heading": self.heading, "counts": counts, "series": [line.to_dict() for line in self.series]}


def _worse_text(worse: Sequence[SeriesOverview]) -> str:
    """`2 series got worse since the last run`; series that are only worse than their baseline are counted separately."""
    n_last = sum(line.previous.standing == WORSE for line in worse)
    n_baseline = len(worse) - n_last
    names = {line.baseline.name for line in worse if line.previous.standing != WORSE}
    baseline = f"baseline {names.pop()}" if len(names) == 1 else "their baselines"
    is_are = "is" if n_baseline == 1 else "are"
    if not n_last:
        return f"{n_baseline:,} series {is_are} worse than {baseline}"
    since = f"{n_last:,} series got worse since the last run"
    return f"{since}; {n_baseline:,} more {is_are} worse than {baseline}" if n_baseline else since


MONTHS = (
    "January February March April May June July August September October November December".split()  # noqa: SIM905 (in one line)
)


def day_text(when: str, now: str = "") -> str:
    """`3 November`, with the year unless it is that of another time."""
    try:
        day = date.fromisoformat(when[:10])
    except ValueError:
        return when[:10]
    text = f"{day.day} {MONTHS[day.month - 1]}"
    return text if now[:4] == when[:4] else f"{text} {day.year}"
