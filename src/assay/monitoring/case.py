"""Case: one result and its baseline, as rules read them, on all queries or on a slice.

`pair_results` finds the result of the baseline for each result.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from assay.arrays import Floats
from assay.comparison import Pair, column_of_users, decide, is_about_users
from assay.errors import DataError, UsageError
from assay.evaluation import Result, clusters_inside, within_range
from assay.experiments import Experiment, InterleavingOutcome, decided_pair, shared_outcome
from assay.metrics import BoundMetric
from assay.model import Column, Tags, values_of
from assay.monitoring.finding import Moved
from assay.monitoring.rule_scope import Where
from assay.stats import Clusters, clustered_intervals, column_intervals

LEVEL = 0.95
"""The usual level of intervals."""
MAX_MOVED = 5
"""The largest number of queries to name."""


@dataclass(frozen=True)
class Case:
    """The current result, the baseline on the same queries in the same order (or None), and the best values so far."""

    now: Result
    before: Result | None = None
    best: Mapping[str, float] = field(default_factory=dict)
    """Metric → its best value in the history of this benchmark and provider."""
    cluster: str = ""
    """The tag whose values are clusters of queries; empty if each query stands for itself."""
    outcome: Experiment | InterleavingOutcome | None = None
    """The experiment that both results belong to; None if there is none."""
    _differences: dict[str, Pair] = field(default_factory=dict, repr=False, compare=False)
    _slices: dict[Where, Case] = field(default_factory=dict, repr=False, compare=False)

    @property
    def n_queries(self) -> int:
        """The number of queries that count, or of users of a search log."""
        if not self.has_own_rows:
            return len(self.now.query_ids)
        return len(column_of_users(self.now, self.now.metrics[0].name).score)

    @property
    def unit(self) -> str:
        """What is counted: `query`, or what the rows of a search log are, such as `user`."""
        return self.now.rows_are

    def compared_unit(self, metric: BoundMetric) -> str:
        """What a comparison with the baseline counts. A result of a large experiment has groups of users, it has users."""
        return self.unit if self.outcome is None or self.decided(metric) is None else self.outcome.unit

    def compared_level(self, metric: BoundMetric) -> float:
        """The level of the interval of `difference`."""
        return LEVEL if self.outcome is None or self.decided(metric) is None else self.outcome.level

    def value(self, metric: str) -> float:
        """The current value."""
        return self.now.summary[self.now.own_name(metric)]

    def value_before(self, metric: str) -> float:
        """The value of the baseline; nan without a baseline, or if it has no value."""
        if self.before is None or metric not in self.before:
            return math.nan
        return self.before.summary[self.before.own_name(metric)]

    def interval(self, metric: str) -> tuple[float, float, float]:
        """Low end, high end and level of the interval of the current value: from the result, else computed.

        Like every other interval, one by Student's t is cut to the range of the metric.
        """
        name = self.now.own_name(metric)
        known, columns = self.now.intervals.get(name), {name: self.now.table.columns[name]}
        if self.clusters is not None:
            level = known.level if known else 0.95
            low, high, _ = within_range(clustered_intervals(columns, self.clusters, level=level)[name], self.now, name)
            return low, high, level
        if known:
            return known.low, known.high, known.level
        ends = column_intervals({name: self.now.table.by_id().columns[name]})[name]
        low, high, _ = within_range(ends, self.now, name)
        return low, high, 0.95

    @cached_property
    def clusters(self) -> Clusters | None:
        """The clusters of the queries; None if each query stands for itself."""
        if not self.cluster:
            return None
        clusters = clusters_inside([self.now, *([self.before] if self.before else [])], self.cluster)
        return None if clusters.is_single else clusters

    def n_defined(self, metric: str) -> int:
        """The number of queries that have a score, or that count for a value without scores of single queries."""
        column = column_of_users(self.now, self.now.own_name(metric))
        if self.has_own_rows:
            return int(np.count_nonzero(column.counts))
        if column.is_estimate:
            return int(np.count_nonzero(column.weight[:, 1]))
        if not column.has_scores:
            return int(np.count_nonzero(column.counts))
        return int(np.isfinite(self.scores(metric)).sum())

    def scores(self, metric: str) -> Floats:
        """The current score of each query."""
        return scores_of(self.now, metric)

    def difference(self, metric: BoundMetric) -> Pair:
        """The difference to the baseline, paired by query, as every comparison computes it; computed once.

        The difference of two variants is that of their experiment.
        """
        if metric.name not in self._differences:
            known = self.decided(metric)
            self._differences[metric.name] = known or decide(metric, *self.columns(metric.name), clusters=self.clusters)
        return self._differences[metric.name]

    def decided(self, metric: BoundMetric, level: float | None = None) -> Pair | None:
        """The difference that the experiment of both results decided, at a level; None if it did not compare them."""
        if self.outcome is None or self.before is None:
            return None
        return decided_pair(self.outcome, self.now.own_name(metric.name), self.before, self.now, level)

    def compared_values(self, metric: BoundMetric) -> tuple[float, float]:
        """The value of the baseline and the current one; those of variants are as their experiment adjusted them."""
        known = self.decided(metric)
        if known is not None:
            return known.value_a, known.value_b
        return self.value_before(metric.name), self.value(metric.name)

    def has_difference_alone(self, metric: BoundMetric) -> bool:
        """Whether only the difference to the baseline is known, because pairs were judged that were drawn for it."""
        return self.before is not None and all(column.is_difference for column in self.columns(metric.name))

    def columns(self, metric: str) -> tuple[Column, Column]:
        """The scores of the baseline and of the result, for the same queries; in a search log, a row for each user."""
        if self.before is None:
            raise UsageError("there is no baseline to compare with")
        before, now = (column_of_users(result, result.own_name(metric)) for result in (self.before, self.now))
        return before, now

    @cached_property
    def has_same_rankings(self) -> bool:
        """Whether the rankings of both results are known and equal: the same documents in the same order."""
        if self.before is None or not (self.before.run and self.now.run):
            return False
        return all(_rankings(self.now, query) == _rankings(self.before, query) for query in self.now.query_ids)

    def moved(self, metric: BoundMetric, most: int = MAX_MOVED) -> tuple[Moved, ...]:
        """The queries with the largest losses, largest first; without a baseline, those with the worst scores.

        Users of a search log are never named.
        """
        if is_about_users(metric):
            return ()
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
            queries = _with_tags(self.tags, self.now.query_ids, where)
            now, before = self.now.subset(queries=queries), self.before
            if before is not None:
                own = _with_tags(Tags.of([before]), before.query_ids, where) if self.has_own_rows else queries
                before = before.subset(queries=own)
            self._slices[where] = Case(now, before, cluster=self.cluster)
        return self._slices[where]

    @property
    def has_own_rows(self) -> bool:
        """Whether both results are of search logs, so that they have different users."""
        return any(map(is_about_users, self.now.metrics))

    @cached_property
    def tags(self) -> Tags:
        """The tags of the queries."""
        return Tags.of([self.now, *([self.before] if self.before and not self.has_own_rows else [])])


def _with_tags(tags: Tags, queries: Iterable[str], where: Where) -> list[str]:
    """The queries with these tags."""

    def has_tags(query: str) -> bool:
        own = tags.by_query[query]
        return all(not values_of(own, name).isdisjoint(values) for name, values in where)

    return [query for query in queries if has_tags(query)]


def _rankings(result: Result, query: str) -> list[list[str]]:
    """The documents of a query, best first, for each time that it was sent."""
    every = (result.run.get(query, {}), *result.reruns.get(query, ()))
    return [sorted(some, key=lambda document: (-some[document], document)) for some in every]


def scores_of(result: Result, metric: str) -> Floats:
    """The score of each query."""
    return np.asarray(result.table.columns[result.own_name(metric)].score, dtype=float)


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
    if len(others) == 1 and (variants := [each for each in results if _is_other_variant(each, others[0])]):
        return [(variant, others[0]) for variant in variants]
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


def _is_other_variant(result: Result, control: Result) -> bool:
    """Whether both are variants of one experiment, so that a gate compares them although their names differ."""
    return result.name != control.name and shared_outcome(control, result) is not None


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
