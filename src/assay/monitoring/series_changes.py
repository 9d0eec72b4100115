"""series_changes: what changed in the series of a store, with the queries and the recorded causes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.arrays import Floats
from assay.comparison import is_about_users
from assay.evaluation import what_changed
from assay.metrics import BoundMetric
from assay.model import MEAN, PERCENTAGE
from assay.monitoring.levels import Measured
from assay.monitoring.night_scores import AlignedScores, ScoreReader
from assay.monitoring.points import Change, Found, Point
from assay.monitoring.steps import Alarm, watch_series
from assay.stats import AVERAGED

MAX_QUERIES = 5
"""The largest number of queries that a change names."""


@dataclass(frozen=True)
class Detector:
    """Finds the changes of one metric. Without a reader, only the values of the points are compared."""

    metric: BoundMetric
    reader: ScoreReader | None = None

    def find(self, points: Sequence[Point], stretches: Sequence[tuple[int, int]]) -> Found:
        """The changes in each stretch of points on the same data."""
        changes: list[Change] = []
        doubt = "no value yet"
        for start, end in stretches:
            of_stretch = self._watch(points[start:end])
            doubt = of_stretch.doubt
            changes += [replace(change, place=start + change.place) for change in of_stretch.changes]
        begins = [start for start, _ in stretches[1:]]
        provenances = list(self._provenances(*(points[place] for start in begins for place in (start - 1, start))))
        differences = [what_changed(*pair) for pair in _pairs(provenances)]
        return Found(self._with_causes(changes), doubt, dict(zip(begins, differences, strict=True)))

    def _watch(self, points: Sequence[Point]) -> Found:
        aligned = self._scores(points)
        values = [math.nan if point.value is None else float(point.value) for point in points]
        watched = watch_series(values, aligned, self._measured(points), self._recorded_between(points))
        queries = aligned.query_ids if aligned is not None else ()
        return Found(tuple(self._change(alarm, points, queries) for alarm in watched.alarms), watched.doubt)

    def _scores(self, points: Sequence[Point]) -> AlignedScores | None:
        """The scores of each night; None if they are not needed: times differ every night, and users of logs too."""
        has_scores = self.metric.metric.view != "timing" and not is_about_users(self.metric)
        if self.reader is None or not has_scores or not all(point.result for point in points):
            return None
        nights = self.reader.query_scores(self.metric.name, [point.result for point in points])
        return AlignedScores(nights, self.metric.metric.aggregation)

    def _measured(self, points: Sequence[Point]) -> Measured:
        metric = self.metric.metric
        numbers = {point.n for point in points if point.value is not None}
        lowest, highest = metric.range
        return Measured(
            n_queries=numbers.pop() if len(numbers) == 1 else 0,
            width=highest - lowest if metric.aggregation in (MEAN, PERCENTAGE) else math.inf,
            is_mean=metric.aggregation in AVERAGED,
            is_timing=metric.view == "timing",
        )

    def _recorded_between(self, points: Sequence[Point]) -> Any:
        def has_recorded_change(before: int, now: int) -> bool:
            recorded = what_changed(*self._provenances(points[before], points[now]))
            return any(changed.part != "metrics" for changed in recorded)

        return has_recorded_change

    def _provenances(self, *points: Point) -> Iterator[Mapping[str, Any]]:
        numbers = [point.result for point in points if point.result]
        known = self.reader.provenances(numbers) if self.reader is not None and numbers else {}
        return (known.get(point.result, {}) for point in points)

    def _change(self, alarm: Alarm, points: Sequence[Point], queries: Sequence[str]) -> Change:
        is_up = self.metric.metric.higher_is_better
        change = Change(
            points[alarm.place],
            points[alarm.earlier],
            alarm.place,
            alarm.kind,
            alarm.before,
            alarm.after,
            is_worse=(alarm.after < alarm.before) == is_up,
            p=alarm.p,
            is_shown=alarm.is_shown,
        )
        return change if alarm.differences is None else self._with_queries(change, alarm.differences, queries)

    def _with_queries(self, change: Change, differences: Floats, queries: Sequence[str]) -> Change:
        gains = np.nan_to_num(differences if self.metric.metric.higher_is_better else -differences)
        lost = [int(place) for place in np.argsort(gains, kind="stable")[:MAX_QUERIES] if gains[place] < 0]
        n_worse, n_better = int(np.count_nonzero(gains < 0)), int(np.count_nonzero(gains > 0))
        return replace(change, worse=tuple(queries[place] for place in lost), n_worse=n_worse, n_better=n_better)

    def _with_causes(self, changes: Sequence[Change]) -> tuple[Change, ...]:
        """The changes with what is recorded as different between the two evaluations, read at once."""
        provenances = list(self._provenances(*(point for change in changes for point in (change.earlier, change.point))))
        pairs = _pairs(provenances)
        return tuple(replace(change, changed=what_changed(*pair)) for change, pair in zip(changes, pairs, strict=True))


def _pairs(items: Sequence[Mapping[str, Any]]) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """The first and the second, the third and the fourth …"""
    return list(zip(items[::2], items[1::2], strict=True))
