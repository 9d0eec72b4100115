"""history: the values of a metric over time, one series for each benchmark and provider."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any, NamedTuple, Protocol

from assay.metrics import BoundMetric, find_metric, recorded_metric
from assay.monitoring.steps import Watched, watch_series
from assay.text import counted

Best = Mapping[tuple[str, str, str], float]
"""Benchmark, provider and metric → the best value so far."""


class StoredPoint(Protocol):
    """A summary as a store returns it."""

    @property
    def evaluation(self) -> str:
        """The id of the evaluation."""

    @property
    def started(self) -> str:
        """When the evaluation started."""

    @property
    def benchmark(self) -> str:
        """The benchmark."""

    @property
    def provider(self) -> str:
        """The provider."""

    @property
    def value(self) -> float | None:
        """The value, if there is one."""

    @property
    def low(self) -> float | None:
        """Lower end of its interval."""

    @property
    def high(self) -> float | None:
        """Upper end of its interval."""

    @property
    def n(self) -> int:
        """The number of queries that the value is based on."""

    @property
    def dataset(self) -> str:
        """A digest of the data of the benchmark, and of how relevance was decided."""

    @property
    def was_baseline(self) -> bool:
        """Whether the result was blessed as a baseline at any time."""


class Point(NamedTuple):
    """One value of a series."""

    evaluation: str
    started: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    dataset: str = ""
    was_baseline: bool = False


@dataclass(frozen=True)
class Change:
    """A step or a spike, and the evaluation in which it began."""

    point: Point
    is_step: bool
    before: float
    after: float
    is_worse: bool
    place: int
    """Its position in the series."""
    noticed: int
    """The position at which it was detected; before that, a step may have looked like spikes."""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        kind = "step" if self.is_step else "spike"
        fields = {"kind": kind, "evaluation": self.point.evaluation, "started": self.point.started, "place": self.place}
        return {**fields, "before": self.before, "after": self.after, "is_worse": self.is_worse}


@dataclass(frozen=True)
class Series:
    """The values of one metric, benchmark and provider, oldest first; a value may be missing."""

    benchmark: str
    provider: str
    metric: str
    points: tuple[Point, ...]
    data: str = ""
    """A name for the data, if the same benchmark and provider has another series on other data."""
    measured: BoundMetric | None = None
    """The metric, if more than its name is known."""

    @cached_property
    def bound(self) -> BoundMetric:
        """The metric; for an unknown metric only its name is known."""
        return self.measured or recorded_metric(self.metric)

    @property
    def name(self) -> str:
        """`rag-template · bm25`, with the data if there are several."""
        return " · ".join(filter(None, (self.benchmark, self.provider, self.data)))

    @cached_property
    def values(self) -> list[float]:
        """The values; nan if a value is missing."""
        return [math.nan if point.value is None else float(point.value) for point in self.points]

    @property
    def defined(self) -> list[Point]:
        """The points that have a value."""
        return [point for point in self.points if point.value is not None and math.isfinite(point.value)]

    @cached_property
    def stretches(self) -> list[tuple[int, int]]:
        """Start and end of each stretch on the same data: a new version of a benchmark begins a new stretch."""
        bounds, start = [], 0
        for _, same in groupby(self.points, key=lambda point: point.dataset):
            end = start + len(list(same))
            bounds.append((start, end))
            start = end
        return bounds

    @cached_property
    def watched(self) -> list[tuple[int, Watched]]:
        """For each stretch its start, and what was detected in it."""
        is_timing = self.bound.metric.view == "timing"
        return [
            (start, watch_series(self.values[start:end], is_timing=is_timing, n_queries=self._n_queries(start, end)))
            for start, end in self.stretches
        ]

    def _n_queries(self, start: int, end: int) -> int:
        """The number of queries that every value of a stretch is based on; 0 if it changed."""
        numbers = {point.n for point in self.points[start:end] if point.value is not None}
        return numbers.pop() if len(numbers) == 1 else 0

    @cached_property
    def changes(self) -> list[Change]:
        """Steps and spikes in order of time."""
        changes = [
            self._change(start + alarm.place, alarm.before, alarm.after, start + alarm.noticed, is_step=alarm.is_step)
            for start, watched in self.watched
            for alarm in watched.alarms
        ]
        changes += [jump for start, end in self.stretches for jump in self._jumps(start, end)]
        return sorted(changes, key=lambda change: change.place)

    def _change(self, place: int, before: float, after: float, noticed: int, *, is_step: bool) -> Change:
        is_up = self.bound.metric.higher_is_better
        return Change(self.points[place], is_step, before, after, (after < before) == is_up, place, noticed)

    def _jumps(self, start: int, end: int) -> Iterator[Change]:
        """Steps in stretches that are too short for statistics over time: neighbours whose intervals do not overlap."""
        watched = next(candidate for where, candidate in self.watched if where == start)
        known = [place for place in range(start, end) if math.isfinite(self.values[place])] if watched.doubt else []
        for earlier, later in pairwise(known):
            a, b = self.points[earlier], self.points[later]
            if None in (a.low, a.high, b.low, b.high):
                continue
            if float(a.low or 0) > float(b.high or 0) or float(b.low or 0) > float(a.high or 0):
                yield self._change(later, self.values[earlier], self.values[later], later, is_step=True)

    @property
    def doubt(self) -> str:
        """Why changes in the last stretch cannot be detected; empty if they can."""
        return self.watched[-1][1].doubt if self.watched else "no value yet"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "benchmark": self.benchmark,
            "provider": self.provider,
            "metric": self.metric,
            "data": self.data or None,
            "points": [point._asdict() for point in self.points],
            "changes": [change.to_dict() for change in self.changes],
            "doubt": self.doubt or None,
        }


def series_of(points: Iterable[StoredPoint], metric: str | BoundMetric) -> list[Series]:
    """The points of a store as series, each in order of time. A metric given by name must be in the catalog.

    If a benchmark changed once, the series continues with a new stretch. If two versions of its data alternate, for example
    all queries every night and ten queries by day, each version is its own series.
    """
    by_system: dict[tuple[str, str], list[Point]] = {}
    for point in points:
        figures = (
            point.evaluation,
            point.started,
            point.value,
            point.low,
            point.high,
            point.n,
            point.dataset,
            point.was_baseline,
        )
        by_system.setdefault((point.benchmark, point.provider), []).append(Point(*figures))
    bound = find_metric(metric) if isinstance(metric, str) else metric
    return [
        Series(*key, bound.name, tuple(some), data, bound)
        for key, together in sorted(by_system.items())
        for data, some in _split_by_data(together).items()
    ]


def _split_by_data(points: Sequence[Point]) -> dict[str, list[Point]]:
    """Name of the data → its points. All points are together unless two versions of the data alternate."""
    by_data: dict[str, list[Point]] = {}
    for point in points:
        by_data.setdefault(point.dataset, []).append(point)
    if len(list(groupby(points, key=lambda point: point.dataset))) == len(by_data):
        return {"": list(points)}
    names = {data: counted(some[-1].n, "query") for data, some in by_data.items()}
    if len(set(names.values())) < len(names):
        names = {data: f"{name}, data {data[:6]}" for data, name in names.items()}
    return {names[data]: some for data, some in by_data.items()}


def best_before(series: Sequence[Series], evaluation: str) -> dict[tuple[str, str, str], float]:
    """The best value of each series before an evaluation, on the same data; none for the first evaluation.

    Only results that were a baseline at some time count, so that a rejected result does not set the limit. If none was ever
    a baseline, all results count.
    """
    best: dict[tuple[str, str, str], float] = {}
    for metric_series in series:
        places = [place for place, point in enumerate(metric_series.points) if point.evaluation == evaluation]
        if not places:
            continue
        last = metric_series.points[places[-1]]
        earlier = [
            point
            for point in metric_series.points[: places[-1]]
            if point.evaluation != evaluation and point.dataset == last.dataset and point.value is not None
        ]
        accepted = [point for point in earlier if point.was_baseline] or earlier
        figures = [point.value for point in accepted if point.value is not None]
        if figures:
            is_up = metric_series.bound.metric.higher_is_better
            best[metric_series.benchmark, metric_series.provider, metric_series.metric] = (
                max(figures) if is_up else min(figures)
            )
    return best
