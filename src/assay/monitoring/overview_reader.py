"""overview_reader: reads the overview of a store, and caches what stored results cannot change."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.comparison import SPANS, counts_chunks
from assay.metrics import BoundMetric
from assay.monitoring.change_since import STANDINGS, ChangeSince, Moves, RunFacts, RunPoint, decide_moves
from assay.monitoring.history import Series, split_series
from assay.monitoring.overview import Overview, SeriesOverview
from assay.monitoring.points import Change, Found, Point

if TYPE_CHECKING:
    from assay.store import Baseline, NewestResult, Store, Value

WINDOW = 60
"""The newest runs of each benchmark and provider that are looked at."""
FAILED_NOW = "the provider failed on every query"


class OverviewReader:
    """Reads the overview of a store. Stored results never change, so decisions are cached: a new result costs its series."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._facts: dict[int, RunFacts] = {}
        self._moves: dict[tuple[str, int, int], Moves] = {}
        self._found: dict[tuple[str, tuple[int, ...]], Found] = {}

    def read(self, store: Store) -> Overview:
        """The series of a store as they are now."""
        with self._lock:
            return self._read(store)

    def _read(self, store: Store) -> Overview:
        results = store.newest.results(WINDOW)
        by_system: dict[tuple[str, str], list[NewestResult]] = {}
        for result in results:
            by_system.setdefault((result.benchmark, result.provider), []).append(result)
        newest = [some[-1] for some in by_system.values()]
        facts = self._facts_of(store, [result.number for result in newest])
        names = _headlines(newest, store.newest.metrics([result.number for result in newest]), facts, store)
        metrics = {name: store.metric(name) for name in sorted(set(names.values()))}
        values = {(value.result, value.metric): value for value in store.newest.values(metrics, WINDOW)}
        baselines = store.newest.baselines()
        drafts = [
            draft
            for system, some in sorted(by_system.items())
            if system in names
            for draft in _drafts(some, metrics[names[system]], values, baselines)
        ]
        self._facts_of(store, [run.result for draft in drafts for run in draft.compared])
        series = [self._decided(store, draft) for draft in drafts]
        self._forget_all_but(series)
        return Overview(tuple(sorted(series, key=_order)))

    def _facts_of(self, store: Store, numbers: Iterable[int]) -> dict[int, RunFacts]:
        unknown = [number for number in dict.fromkeys(numbers) if number not in self._facts]
        for number, record in store.newest.records(unknown).items() if unknown else ():
            self._facts[number] = RunFacts.of(record)
        return self._facts

    def _decided(self, store: Store, draft: _Draft) -> SeriesOverview:
        newest = draft.runs[-1]
        return SeriesOverview(
            draft.line.benchmark,
            draft.line.provider,
            draft.line.data,
            draft.line.bound,
            draft.runs,
            self._marks(store, draft.line),
            self._since(store, draft, draft.previous, "", draft.no_previous),
            self._since(store, draft, draft.baseline, draft.baseline_name, draft.no_baseline),
            self._facts[newest.result].error if newest.result in self._facts else "",
        )

    def _since(self, store: Store, draft: _Draft, earlier: RunPoint | None, name: str, why_not: str) -> ChangeSince:
        metric, now = draft.line.bound, draft.runs[-1]
        if earlier is None or why_not:
            return ChangeSince(metric, earlier, Moves(None, why_not=why_not), name)
        key = (metric.name, earlier.result, now.result)
        if key not in self._moves:
            unknown = RunFacts({}, {})
            facts = (self._facts.get(earlier.result, unknown), self._facts.get(now.result, unknown))
            self._moves[key] = decide_moves(store, metric, earlier, now, facts)
        return ChangeSince(metric, earlier, self._moves[key], name)

    def _marks(self, store: Store, line: Series) -> tuple[Change, ...]:
        key = (line.metric, tuple(point.result for point in line.points))
        if key not in self._found:
            self._found[key] = Series(
                line.benchmark, line.provider, line.metric, line.points, line.data, line.bound, store
            ).found
        return self._found[key].changes

    def _forget_all_but(self, series: Sequence[SeriesOverview]) -> None:
        """Cache only what these series need, so that the caches do not grow with the years."""
        runs = {run.result for line in series for run in line.runs[-1:]}
        earlier = {change.earlier.result for line in series for change in (line.previous, line.baseline) if change.earlier}
        lines = {(line.metric.name, tuple(run.result for run in line.runs)) for line in series}
        self._facts = {number: facts for number, facts in self._facts.items() if number in runs | earlier}
        self._moves = {key: moves for key, moves in self._moves.items() if key[2] in runs and key[1] in earlier}
        self._found = {key: marks for key, marks in self._found.items() if key in lines}


def _order(line: SeriesOverview) -> tuple[int, bool, str, str, str]:
    """What got worse first; of these first what got worse since the last run, because that is news."""
    is_old = line.previous.standing != line.standing
    return STANDINGS.index(line.standing), is_old, line.benchmark, line.provider, line.data


def _headlines(
    newest: Sequence[NewestResult],
    metrics: Mapping[int, Sequence[str]],
    facts: Mapping[int, RunFacts],
    store: Store,
) -> dict[tuple[str, str], str]:
    """Benchmark and provider → the headline metric: the first metric of the newest result on the benchmark.

    If the providers have different chunkers, it is the first metric that compares them fairly. A provider whose newest
    result does not have it has its own first metric.
    """
    by_benchmark: dict[str, list[NewestResult]] = {}
    for result in newest:
        by_benchmark.setdefault(result.benchmark, []).append(result)
    headlines = {}
    for benchmark, some in by_benchmark.items():
        last = max(some, key=lambda result: (result.started, result.number))
        names = metrics.get(last.number, ())
        usual = _fair_first(names, [facts[result.number] for result in some if result.number in facts], store)
        for result in some:
            if own := metrics.get(result.number, ()):
                headlines[benchmark, result.provider] = usual if usual in own else own[0]
    return headlines


def _fair_first(names: Sequence[str], facts: Sequence[RunFacts], store: Store) -> str:
    if not names or not any(fact.relevance.get("strategy_used") == "span" for fact in facts):
        return names[0] if names else ""
    if not counts_chunks(store.metric(names[0]), facts):
        return names[0]
    return next((name for name in names if store.metric(name).metric.view == SPANS), names[0])


@dataclass(frozen=True)
class _Draft:
    """A series before anything is decided: its runs, and the runs that its newest run is compared with."""

    line: Series
    runs: tuple[RunPoint, ...]
    previous: RunPoint | None
    no_previous: str
    baseline: RunPoint | None
    baseline_name: str
    no_baseline: str

    @property
    def compared(self) -> list[RunPoint]:
        """The runs that are compared."""
        return [run for run in (self.runs[-1], self.previous, self.baseline) if run is not None]


def _drafts(
    results: Sequence[NewestResult],
    metric: BoundMetric,
    values: Mapping[tuple[int, str], Value],
    baselines: Sequence[Baseline],
) -> list[_Draft]:
    """The series of a benchmark and provider. Baselines may be older than the other results, and are not drawn then."""
    runs = {result.number: _run_point(result, values.get((result.number, metric.name))) for result in results}
    recent = results[-WINDOW:]
    points = [_point(runs[result.number], was_baseline=result.was_baseline) for result in recent]
    lines = split_series(results[0].benchmark, results[0].provider, points, metric)
    return [_draft(line, runs, baselines) for line in lines]


def _run_point(result: NewestResult, value: Value | None) -> RunPoint:
    figures = (value.value, value.low, value.high, value.n) if value is not None else (None, None, None, 0)
    comparable = result.comparable if value is None else value.comparable(result.comparable)
    counts = (result.n_queries, result.n_failed, result.is_failed, comparable)
    return RunPoint(result.number, result.evaluation, result.place, result.started, *figures, *counts)


def _point(run: RunPoint, *, was_baseline: bool) -> Point:
    return Point(run.evaluation, run.started, run.value, run.low, run.high, run.n, run.comparable, was_baseline, run.result)


def _draft(line: Series, known: Mapping[int, RunPoint], baselines: Sequence[Baseline]) -> _Draft:
    runs = tuple(known[point.result] for point in line.points)
    newest = runs[-1]
    previous = next((run for run in reversed(runs[:-1]) if _is_comparable(run, newest)), None)
    named = next(_blessed(line, known.values(), newest, baselines), None)
    baseline, name = named or (None, "")
    no_baseline = "" if baseline else "no baseline covers this series"
    if baseline is not None and baseline.result == newest.result:
        no_baseline = "the newest run is the baseline"
    elif newest.is_failed:
        no_baseline = FAILED_NOW
    return _Draft(line, runs, previous, _no_previous(runs, previous), baseline, name, no_baseline)


def _is_comparable(run: RunPoint, newest: RunPoint) -> bool:
    return run.value is not None and run.comparable == newest.comparable


def _no_previous(runs: Sequence[RunPoint], previous: RunPoint | None) -> str:
    """Why the newest run has no previous run to compare with; empty if it has one."""
    if runs[-1].is_failed:
        return FAILED_NOW
    if previous is not None:
        return ""
    if len(runs) == 1:
        return "this is the only run"
    if runs[-2].comparable != runs[-1].comparable:
        return "it has other data or other conventions"
    return "no earlier run on these data has a value"


def _blessed(
    line: Series, runs: Iterable[RunPoint], newest: RunPoint, baselines: Sequence[Baseline]
) -> Iterator[tuple[RunPoint, str]]:
    """The baselines that cover a series: those on the same data first, and of these the one that was blessed last."""
    covering = (line.provider, f"{line.benchmark}/{line.provider}", line.benchmark)
    by_evaluation = {run.evaluation: run for run in runs}
    named = [
        (by_evaluation[baseline.evaluation], baseline.name)
        for baseline in baselines
        if baseline.evaluation in by_evaluation and (not baseline.part or baseline.part in covering)
    ]
    return iter(sorted(named, key=lambda pair: pair[0].comparable != newest.comparable))
