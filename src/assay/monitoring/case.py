"""Case: one result and what it is held against, as rules see them; on all queries, or on those of a slice."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from assay.arrays import Floats
from assay.errors import UsageError
from assay.evaluation import Result, subset_of
from assay.metrics import BoundMetric
from assay.model import Tags, values_of
from assay.monitoring.difference import Difference, paired_difference
from assay.monitoring.finding import Moved
from assay.monitoring.terms import Where
from assay.stats import column_intervals

MOST_MOVED = 5
"""Queries that are named."""


@dataclass(frozen=True)
class Case:
    """A result now, the baseline's on the same queries in the same order (or none), and the best figures so far."""

    now: Result
    before: Result | None = None
    best: Mapping[str, float] = field(default_factory=dict)
    """Metric → its best figure in the history of this benchmark and provider."""
    _differences: dict[tuple[str, float], Difference] = field(default_factory=dict, repr=False, compare=False)
    _slices: dict[Where, Case] = field(default_factory=dict, repr=False, compare=False)

    @property
    def n_queries(self) -> int:
        """Queries that count."""
        return len(self.now.query_ids)

    def value(self, metric: str) -> float:
        """The figure now."""
        return self.now.summary[self.now.own_name(metric)]

    def value_before(self, metric: str) -> float:
        """The baseline's figure; nan without a baseline, or where it has none."""
        if self.before is None or metric not in self.before:
            return math.nan
        return self.before.summary[self.before.own_name(metric)]

    def interval(self, metric: str) -> tuple[float, float, float]:
        """Low end, high end and level of the figure now: as the result has it, else worked out."""
        name = self.now.own_name(metric)
        if known := self.now.intervals.get(name):
            return known.low, known.high, known.level
        low, high, _ = column_intervals({name: self.now.table.columns[name]})[name]
        return low, high, 0.95

    def n_defined(self, metric: str) -> int:
        """Queries that have a score."""
        return int(np.isfinite(self.scores(metric)).sum())

    def scores(self, metric: str) -> Floats:
        """Of each query now."""
        return scores_of(self.now, metric)

    def difference(self, metric: BoundMetric, level: float) -> Difference:
        """Now against the baseline, paired by query; worked out once."""
        key = (metric.name, level)
        if key not in self._differences:
            if self.before is None:
                raise UsageError("there is no baseline to compare with")
            before, now = (one.table.columns[one.own_name(metric.name)] for one in (self.before, self.now))
            self._differences[key] = paired_difference(before, now, level)
        return self._differences[key]

    def moved(self, metric: BoundMetric, most: int = MOST_MOVED) -> tuple[Moved, ...]:
        """The queries that got worse most, worst first; without a baseline, those that score worst."""
        sign = 1.0 if metric.metric.higher_is_better else -1.0
        now = self.scores(metric.name)
        has_before = self.before is not None and metric.name in self.before
        before = scores_of(self.before, metric.name) if self.before and has_before else np.full(len(now), np.nan)
        worse = sign * (before - now if has_before else -now)
        order = np.argsort(-np.where(np.isfinite(worse), worse, -np.inf), kind="stable")[:most]
        kept = [place for place in order.tolist() if math.isfinite(worse[place]) and (not has_before or worse[place] > 0)]
        return tuple(self.at(place, metric.name, float(before[place])) for place in kept)

    def at(self, place: int, metric: str, before: float) -> Moved:
        """One query, with its text where somebody knows it."""
        query = self.now.query_ids[place]
        asked = self.now.queries.get(query) or (self.before.queries.get(query) if self.before else None)
        return Moved(query, metric, before, float(self.scores(metric)[place]), asked.text if asked else "")

    def within(self, where: Where) -> Case:
        """The case on the queries with these tags alone; what was best so far was best on all of them.

        Rankings stay behind: nobody needs them here, and in a store they are large.
        """
        if where not in self._slices:
            queries = [query for query in self.now.query_ids if self._has_tags(query, where)]
            now, *before = (
                subset_of(replace(one, run={}), queries, one.metrics) for one in (self.now, self.before) if one is not None
            )
            self._slices[where] = Case(now, before[0] if before else None)
        return self._slices[where]

    def _has_tags(self, query: str, where: Where) -> bool:
        tags = self.tags.by_query[query]
        return all(not values_of(tags, name).isdisjoint(values) for name, values in where)

    @cached_property
    def tags(self) -> Tags:
        """What queries can be told apart by."""
        return Tags.of([self.now, *([self.before] if self.before else [])])


def scores_of(result: Result, metric: str) -> Floats:
    """Of each query."""
    return np.asarray(result.table.columns[result.own_name(metric)].score, dtype=float)
