"""Case: one result and its baseline, as rules read them, on all queries or on a slice.

`pair_results` finds the result of the baseline for each result; `paired_difference` compares two values query by query.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats
from assay.errors import BadParameter, DataError, UsageError
from assay.evaluation import Result
from assay.metrics import BoundMetric
from assay.model import MEAN, Column, Tags, values_of
from assay.monitoring.finding import Moved
from assay.monitoring.rule_scope import Where
from assay.stats import MANY_QUERIES, column_intervals, difference_intervals, index_blocks, queries_needed

MAX_MOVED = 5
"""The largest number of queries to name."""


@dataclass(frozen=True)
class Case:
    """The current result, the baseline on the same queries in the same order (or None), and the best values so far."""

    now: Result
    before: Result | None = None
    best: Mapping[str, float] = field(default_factory=dict)
    """Metric → its best value in the history of this benchmark and provider."""
    _differences: dict[tuple[str, float], Difference] = field(default_factory=dict, repr=False, compare=False)
    _slices: dict[Where, Case] = field(default_factory=dict, repr=False, compare=False)

    @property
    def n_queries(self) -> int:
        """The number of queries that count."""
        return len(self.now.query_ids)

    def value(self, metric: str) -> float:
        """The current value."""
        return self.now.summary[self.now.own_name(metric)]

    def value_before(self, metric: str) -> float:
        """The value of the baseline; nan without a baseline, or if it has no value."""
        if self.before is None or metric not in self.before:
            return math.nan
        return self.before.summary[self.before.own_name(metric)]

    def interval(self, metric: str) -> tuple[float, float, float]:
        """Low end, high end and level of the interval of the current value: from the result, else computed."""
        name = self.now.own_name(metric)
        if known := self.now.intervals.get(name):
            return known.low, known.high, known.level
        low, high, _ = column_intervals({name: self.now.table.columns[name]})[name]
        return low, high, 0.95

    def n_defined(self, metric: str) -> int:
        """The number of queries that have a score."""
        return int(np.isfinite(self.scores(metric)).sum())

    def scores(self, metric: str) -> Floats:
        """The current score of each query."""
        return scores_of(self.now, metric)

    def difference(self, metric: BoundMetric, level: float) -> Difference:
        """The difference to the baseline, paired by query; computed once."""
        key = (metric.name, level)
        if key not in self._differences:
            if self.before is None:
                raise UsageError("there is no baseline to compare with")
            before, now = (result.table.columns[result.own_name(metric.name)] for result in (self.before, self.now))
            self._differences[key] = paired_difference(before, now, level)
        return self._differences[key]

    def moved(self, metric: BoundMetric, most: int = MAX_MOVED) -> tuple[Moved, ...]:
        """The queries with the largest losses, largest first; without a baseline, those with the worst scores."""
        sign = 1.0 if metric.metric.higher_is_better else -1.0
        now = self.scores(metric.name)
        has_before = self.before is not None and metric.name in self.before
        before = scores_of(self.before, metric.name) if self.before and has_before else np.full(len(now), np.nan)
        worse = sign * (before - now if has_before else -now)
        order = np.argsort(-np.where(np.isfinite(worse), worse, -np.inf), kind="stable")[:most]
        places = [place for place in order.tolist() if math.isfinite(worse[place]) and (not has_before or worse[place] > 0)]
        return tuple(self.at(place, metric.name, float(before[place])) for place in places)

    def at(self, place: int, metric: str, before: float) -> Moved:
        """One query, with its text if it is known."""
        query = self.now.query_ids[place]
        asked = self.now.queries.get(query) or (self.before.queries.get(query) if self.before else None)
        return Moved(query, metric, before, float(self.scores(metric)[place]), asked.text if asked else "")

    def within(self, where: Where) -> Case:
        """The case on the queries with these tags only, without best values, which are about all queries."""
        if where not in self._slices:
            queries = [query for query in self.now.query_ids if self._has_tags(query, where)]
            now, *before = (result.subset(queries=queries) for result in (self.now, self.before) if result is not None)
            self._slices[where] = Case(now, before[0] if before else None)
        return self._slices[where]

    def _has_tags(self, query: str, where: Where) -> bool:
        tags = self.tags.by_query[query]
        return all(not values_of(tags, name).isdisjoint(values) for name, values in where)

    @cached_property
    def tags(self) -> Tags:
        """The tags of the queries."""
        return Tags.of([self.now, *([self.before] if self.before else [])])


def scores_of(result: Result, metric: str) -> Floats:
    """The score of each query."""
    return np.asarray(result.table.columns[result.own_name(metric)].score, dtype=float)


# Difference: the difference between a value and the baseline, paired by query, with its interval

RESAMPLES = 2000
MAX_NEEDED = 10_000_000
"""A larger number of queries is not useful advice."""


@dataclass(frozen=True)
class Difference:
    """The difference (now minus before), its interval, and the difference of each query with both scores."""

    value: float
    low: float
    high: float
    level: float
    by_query: Floats

    @property
    def n(self) -> int:
        """The number of queries with both scores."""
        return len(self.by_query)

    @property
    def is_nothing(self) -> bool:
        """Whether no query differs."""
        return not self.by_query.any()

    def needed(self, effect: float) -> int | None:
        """How many such queries would show a difference of this size; None if no reasonable number would."""
        if self.n < 2 or not effect or not math.isfinite(effect):
            return None
        try:
            needed = queries_needed(self.by_query, effect, alpha=round(1 - self.level, 12))
        except BadParameter:  # the difference is too small for any number of queries
            return None
        return needed if needed <= MAX_NEEDED else None


def paired_difference(before: Column, now: Column, level: float) -> Difference:
    """The difference of two columns over the same queries. The interval is over queries with a score in both."""
    a, b = (np.asarray(column.score, dtype=float) for column in (before, now))
    defined = np.isfinite(a) & np.isfinite(b)
    is_composed = before.is_composed and now.is_composed
    value = now.summary() - before.summary()
    by_query = b[defined] - a[defined]
    if is_composed:
        counts = before.counts & now.counts
        by_query = np.where(defined, b - a, now.weight[:, 0] - before.weight[:, 0])[counts]
        low, high = _resampled(before, now, counts, level)
    elif not by_query.any() and len(by_query) > 1:
        low = high = 0.0
    elif now.aggregation == MEAN:
        method = "t" if len(by_query) >= MANY_QUERIES else "bootstrap"
        ends = difference_intervals(a[defined, np.newaxis], b[defined, np.newaxis], method, level)
        low, high = float(ends.low[0]), float(ends.high[0])
    else:
        low, high = _resampled(before, now, defined, level)
    return Difference(value, low, high, level, by_query)


def _resampled(before: Column, now: Column, defined: NDArray[np.bool_], level: float) -> tuple[float, float]:
    """The interval of values that are not means, such as quantiles, by drawing the same queries for both."""
    if defined.sum() < 2 or now.aggregation.summarise is None:
        return math.nan, math.nan
    columns = [(column.score[defined].astype(float), column.weight[defined]) for column in (before, now)]
    summarise = now.aggregation.summarise
    drawn = [
        summarise(columns[1][0][row], columns[1][1][row]) - summarise(columns[0][0][row], columns[0][1][row])
        for index in index_blocks(int(defined.sum()), RESAMPLES, 0)
        for row in index
    ]
    known = [difference for difference in drawn if not math.isnan(difference)] or [math.nan]
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high


# Pairing: the result of the baseline that each result is compared with


@dataclass(frozen=True)
class Pairing:
    """Results, each with the result of the baseline that it is compared with, if any; and notes on unpaired results."""

    pairs: tuple[tuple[Result, Result | None], ...]
    notes: tuple[str, ...] = ()
    """Notes on current results."""
    baseline_notes: tuple[str, ...] = ()
    """Notes on results of the baseline that were not evaluated now."""


def pair_results(now: Sequence[Result], before: Sequence[Result], name: str = "the baseline") -> Pairing:
    """Pair results by benchmark, and by provider if there are several. A DataError if the choice is unclear.

    A result without a benchmark is paired with the only benchmark there is.
    """
    pairs: list[tuple[Result, Result | None]] = []
    notes: list[str] = []
    theirs, ours = _by_benchmark(before, now), _by_benchmark(now, before)
    for benchmark, results in ours.items():
        others = theirs.get(benchmark, [])
        if others:
            pairs += _paired(results, others, name)
        else:
            pairs += [(result, None) for result in results]
            notes.append(f"{name} has no result on {benchmark or 'this benchmark'} (it has results on {_listed(theirs)})")
    if pairs and before and all(other is None for _, other in pairs):
        here = ", ".join(dict.fromkeys(_full_name(result) for result, _ in pairs))
        there = ", ".join(dict.fromkeys(map(_full_name, before)))
        raise DataError(f"nothing can be compared: this evaluation has {here}, but {name} has {there}")
    notes += [
        f"{_full_name(result)} is not in {name}, so it is not compared"
        for result, other in pairs
        if other is None and theirs.get(_key(result, before))
    ]
    used = {id(other) for _, other in pairs}
    left = [_full_name(result) for result in before if id(result) not in used]
    unused = (f"{name} also has {', '.join(left)}, which was not evaluated now",) if left else ()
    return Pairing(tuple(pairs), tuple(notes), unused)


def _key(result: Result, others: Sequence[Result]) -> str:
    benchmarks = {other.benchmark for other in others if other.benchmark}
    return result.benchmark or (next(iter(benchmarks)) if len(benchmarks) == 1 else "")


def _by_benchmark(results: Sequence[Result], others: Sequence[Result]) -> dict[str, list[Result]]:
    by_benchmark: dict[str, list[Result]] = {}
    for result in results:
        by_benchmark.setdefault(_key(result, [*results, *others]), []).append(result)
    return by_benchmark


def _paired(results: Sequence[Result], others: Sequence[Result], name: str) -> list[tuple[Result, Result | None]]:
    """The results on one benchmark, each with its baseline."""
    if len(results) == len(others) == 1:
        return [(results[0], others[0])]
    by_provider: dict[str, list[Result]] = {}
    for other in others:
        by_provider.setdefault(other.name, []).append(other)
    for provider, same in by_provider.items():
        if len(same) > 1:
            raise DataError(f"{name} has {len(same)} results called {provider}, so it is unclear which one to compare with")
    pairs = [(result, next(iter(by_provider.get(result.name, [])), None)) for result in results]
    if all(other is None for _, other in pairs):
        raise DataError(_ambiguity_message(results, others, name))
    return pairs


def _ambiguity_message(results: Sequence[Result], others: Sequence[Result], name: str) -> str:
    """Ask the user to name a result, for the side with several results; a part after a # is replaced."""
    here, there = (", ".join(sorted({result.name for result in some})) for some in (results, others))
    whole = name.partition("#")[0]
    examples = [f"assay gate 'latest#{results[0].name}'"] if len(results) > 1 else []
    examples += [f"--baseline '{whole}#{others[0].name}'"] if len(others) > 1 else []
    return (
        f"it is unclear which results to compare: this evaluation has {here}, but {name} has {there}.\n"
        f"  Name the provider after a #, as in {' and '.join(examples)}"
    )


def _full_name(result: Result) -> str:
    return f"{result.benchmark}/{result.name}" if result.benchmark else result.name


def _listed(names: Iterable[str]) -> str:
    return ", ".join(name or "an unnamed benchmark" for name in names)
