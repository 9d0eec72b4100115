"""history: the values of a metric over time, one series for each benchmark and provider."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any, Protocol

from assay.metrics import BoundMetric, find_metric, recorded_metric
from assay.monitoring.night_scores import ScoreReader
from assay.monitoring.points import Change, Found, Point, StoredPoint
from assay.monitoring.series_changes import Detector
from assay.text import counted

Best = Mapping[tuple[str, str, str], float]
"""Benchmark, provider and metric → the best value so far."""


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
    reader: ScoreReader | None = field(default=None, repr=False, compare=False)
    """Where the scores of the points are read. Without it, changes are found in the values only."""
    known: Found | None = field(default=None, repr=False, compare=False)
    """What was found in the whole series, if this is a part of it."""

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
    def found(self) -> Found:
        """What was found: the marks of every chart, page, list and alert. Reads scores on first use."""
        return self.known or Detector(self.bound, self.reader).find(self.points, self.stretches)

    @property
    def changes(self) -> Sequence[Change]:
        """Steps, spikes and drifts in order of time."""
        return self.found.changes

    @property
    def doubt(self) -> str:
        """Why small changes of the newest data cannot be detected yet; empty if they can."""
        return self.found.doubt

    def part(self, start: int) -> Series:
        """The points from a position on. The marks do not change: they are those of the whole series."""
        changes = tuple(replace(change, place=change.place - start) for change in self.changes if change.place >= start)
        data_changes = {place - start: changed for place, changed in self.found.data_changes.items() if place >= start}
        return replace(self, points=self.points[start:], known=Found(changes, self.doubt, data_changes))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "benchmark": self.benchmark,
            "provider": self.provider,
            "metric": self.metric,
            "data": self.data or None,
            "points": [_plain_point(point) for point in self.points],
            "changes": [change.to_dict() for change in self.changes],
            "doubt": self.doubt or None,
        }


def _plain_point(point: Point) -> dict[str, Any]:
    return {name: value for name, value in point._asdict().items() if name != "result"}


class HistoryStore(ScoreReader, Protocol):
    """A store with a history, like `Store`."""

    def history(
        self, metric: str, benchmark: str | None = None, provider: str | None = None, since: str | None = None
    ) -> Sequence[StoredPoint]:
        """The points of a metric."""


def read_series(
    store: HistoryStore,
    metric: BoundMetric,
    benchmark: str | None = None,
    provider: str | None = None,
    since: str | None = None,
) -> list[Series]:
    """The series of a store with their marks, by default of all benchmarks and providers.

    `since` selects the points to show. All points are compared, so that marks do not depend on it.
    """
    series = series_of(store.history(metric.name, benchmark, provider), metric, store)
    return series if since is None else series_from(series, store.history(metric.name, benchmark, provider, since))


def series_from(series: Iterable[Series], points: Iterable[StoredPoint]) -> list[Series]:
    """The part of each series from the first of these points on; no series if it has none of them."""
    chosen = {point.result for point in points}
    firsts = [
        (line, next((place for place, point in enumerate(line.points) if point.result in chosen), None)) for line in series
    ]
    return [line.part(place) for line, place in firsts if place is not None]


def series_of(points: Iterable[StoredPoint], metric: str | BoundMetric, reader: ScoreReader | None = None) -> list[Series]:
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
            point.result,
        )
        by_system.setdefault((point.benchmark, point.provider), []).append(Point(*figures))
    bound = find_metric(metric) if isinstance(metric, str) else metric
    return [line for key, together in sorted(by_system.items()) for line in split_series(*key, together, bound, reader)]


def split_series(
    benchmark: str, provider: str, points: Sequence[Point], metric: BoundMetric, reader: ScoreReader | None = None
) -> list[Series]:
    """The points of one benchmark and provider as one series, or as one for each version of the data if they alternate."""
    return [
        Series(benchmark, provider, metric.name, tuple(some), data, metric, reader)
        for data, some in _split_by_data(points).items()
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
