"""History: a metric over time, with steps, spikes, drifts and baselines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.charts import draw
from assay.comparison import Figures as Digits
from assay.errors import UsageError
from assay.metrics import BoundMetric
from assay.monitoring import Change, Point, Series, change_details, change_head
from assay.reports import (
    TITLE,
    Cell,
    Column,
    Figure,
    Figures,
    Mark,
    Paragraph,
    Section,
    figure,
    number,
    readable_time,
    size_heading,
    words,
)
from assay.text import counted
from assay.web.boards import metrics_of, working
from assay.web.menus import Choices, benchmark_of, named
from assay.web.page import Page, PageRequest, View, address
from assay.web.pages.leaderboard import failed_table, metric_choice
from assay.web.pages.results import menu_names
from assay.web.state import AppState, ListedResult, known_figures
from assay.web.tables import TABLE_PARAMETERS, Plan, SheetColumn, lay_out

MAX_LINES = 8
"""Series in one chart."""
MAX_CHANGES = 20
MAX_FAILED = 5
"""Failed evaluations that are listed with their error."""

Row = tuple[Series, int]
"""A series and a place in it."""


@dataclass(frozen=True)
class Keys:
    """Finds the stored result of a point, because a point names only its evaluation."""

    by_point: Mapping[tuple[str, str, str, int], str]

    @classmethod
    def of(cls, listed: Sequence[ListedResult]) -> Keys:
        """The keys of these results."""
        return cls(
            {
                (result.entry.evaluation, result.entry.benchmark, result.entry.provider, n): result.key
                for result in reversed(listed)
                for n in (result.entry.n_queries, 0)
            }
        )

    def key(self, line: Series, point: Point) -> str:
        """`2026-11-15-rag-template-7f3a/0`: the result with as many queries, or the first one of its provider."""
        about = (point.evaluation, line.benchmark, line.provider)
        return self.by_point.get((*about, point.n)) or self.by_point.get((*about, 0)) or f"{point.evaluation}/0"

    def result(self, line: Series, point: Point) -> str:
        """The address of the result."""
        return f"/result/{self.key(line, point)}"

    def comparison(self, line: Series, change: Change, metric: str) -> str:
        """The address of the comparison of the two results around a change, with the older one as the baseline."""
        old, new = self.key(line, change.earlier), self.key(line, change.point)
        return f"{address('/compare', r=old)}&{address('', r=new, baseline=old, metric=metric)[1:]}"


@dataclass(frozen=True)
class Listed:
    """A change as the page lists it."""

    started: str
    tone: str
    sentence: str
    comparison: str
    result: str
    details: tuple[str, ...]


def show_history(state: AppState, request: PageRequest) -> View:
    """The history of a benchmark and metric, by default those of the newest result; of all providers or of one."""
    index, choices = state.index, Choices(request)
    names = [name for name in index.benchmarks if name]
    benchmark = benchmark_of(request, names, _usual_benchmark(index.results, request.get("provider")))
    on_it = [result for result in index.results if not benchmark or result.entry.benchmark == benchmark]
    providers = sorted({result.entry.provider for result in on_it})
    not_run = f"{named(request.get('provider'))} was not run on {named(benchmark)}: all providers are shown."
    provider = choices.one("provider", providers, "", index.providers, note=not_run, kind="provider in the store")
    chosen = [result for result in on_it if not provider or result.entry.provider == provider]
    metrics = index.orders.get(("metrics", benchmark, provider), lambda: metrics_of(chosen))
    metric = state.store.metric(metric_choice(state, choices, metrics, _usual(chosen), provider or benchmark))
    series = _since(state, choices, metric, benchmark, provider)
    keys, baselines = Keys.of(on_it), state.store.baselines()
    shown = _newest(series)
    focus = _focus(choices, shown)
    plan = _plan(series, metric, baselines, keys, _rows_of(chosen, metric))
    parts = _chart(shown, series, metric, baselines, keys, focus, bool(_failed(chosen)))
    layouts, tables = lay_out([Section("chart", "Over time", tuple(parts)), *_failures(state, chosen)])
    content = {
        "request": choices.request,
        "said": choices.notes,
        "benchmarks": menu_names(names, benchmark),
        "benchmark": benchmark,
        "providers": menu_names(sorted({result.entry.provider for result in working(on_it)}), provider),
        "provider": provider,
        "metrics": metrics or [metric.name],
        "metric": metric.name,
        "since": choices.request.get("since"),
        "bands": menu_names(list(dict.fromkeys(line.provider for line in shown)), focus) if len(shown) > 1 else [],
        "band": focus,
        "sections": layouts[:1],
        "failures": layouts[1:],
        "changes": _changes(series, metric, keys),
        "sheet": plan.sheet(choices.request),
    }
    title = f"{metric.name} of {provider or benchmark} over time" if benchmark else "History"
    return View("history.html.j2", title, content, {**tables, "points": lambda: plan.table(choices.request)})


def _usual_benchmark(results: Sequence[ListedResult], provider: str) -> str:
    """The benchmark of the newest result of the provider, empty for a search log; else that of the newest result."""
    own = [result.entry.benchmark for result in results if provider and result.entry.provider == provider]
    return own[0] if own else next((result.entry.benchmark for result in results if result.entry.benchmark), "")


def _rows_of(listed: Sequence[ListedResult], metric: BoundMetric) -> str:
    """What the values of the metric are based on, as a heading."""
    return size_heading(result.entry for result in listed if metric.name in result.entry.figures)


def _usual(listed: Sequence[ListedResult]) -> str:
    """The first metric of the newest result that has a value."""
    return next((name for result in working(listed) for name in known_figures(result.entry)), "ndcg@10")


def _since(state: AppState, choices: Choices, metric: BoundMetric, benchmark: str, provider: str) -> list[Series]:
    """The series from the chosen time on; if they have no value there, the whole series."""
    since = choices.request.get("since")
    asked = (metric, benchmark or None, provider or None)
    series = state.series(*asked, since or None)
    if not since or any(line.defined for line in series):
        return series
    whole = state.series(*asked, None)
    if last := max((line.defined[-1].started for line in whole if line.defined), default=""):
        note = f"There are no values since {named(since)}: all values are shown. The newest is from {readable_time(last)}."
        choices.instead("since", "", note)
    return whole


def _newest(series: Sequence[Series]) -> list[Series]:
    """The series that are drawn: those with the newest values."""
    having = [line for line in series if line.defined]
    newest = sorted(range(len(having)), key=lambda place: having[place].defined[-1].started, reverse=True)[:MAX_LINES]
    return [having[place] for place in sorted(newest)]


def _focus(choices: Choices, shown: Sequence[Series]) -> str:
    """The provider whose interval is drawn; another than those shown does not matter."""
    names = [line.provider for line in shown]
    chosen = choices.several("band", names)
    newest = max(shown, key=lambda line: line.defined[-1].started, default=None)
    return chosen[0] if chosen else newest.provider if newest else ""


def _chart(
    shown: Sequence[Series],
    series: Sequence[Series],
    metric: BoundMetric,
    baselines: Mapping[str, str],
    keys: Keys,
    focus: str,
    has_failed: bool,
) -> list[Any]:
    """The chart of the newest series; a sentence if there is nothing to draw."""
    if not shown:
        failed = "Every query failed, so there are no values. The errors are below."
        return [Paragraph(failed if has_failed else "There are no values yet.", Mark.MUTED)]
    links = {(line.name, point.evaluation): keys.result(line, point) for line in shown for point in line.points}
    links |= {
        (line.name, change.point.evaluation): keys.comparison(line, change, metric.name)
        for line in shown
        for change in line.changes
    }
    in_focus = next((line.name for line in shown if line.provider == focus), "")
    try:
        drawing = draw("history", series=tuple(shown), baselines=_baseline_names(baselines), focus=in_focus, links=links)
    except UsageError as error:
        return [Paragraph(f"This chart cannot be drawn: {error}.", Mark.MUTED)]
    n = sum(bool(line.defined) for line in series)
    fewer = f"The {len(shown)} series with the newest values, of {n}. Choose a provider to see others."
    return [
        Figures((Figure(drawing, "history", "", metric.name),)),
        *([Paragraph(fewer, Mark.MUTED)] if n > len(shown) else []),
    ]


def _changes(series: Sequence[Series], metric: BoundMetric, keys: Keys) -> list[Listed]:
    """Steps, spikes and drifts, the newest first."""
    changes = [
        Listed(
            change.point.started,
            "" if change.is_only_seen else change.direction,
            f"{line.name}: {change_head(change, metric)} on {readable_time(change.point.started)}",
            keys.comparison(line, change, metric.name),
            keys.result(line, change.point),
            tuple(change_details(change)),
        )
        for line in series
        for change in line.changes
    ]
    return sorted(changes, key=lambda change: change.started, reverse=True)[:MAX_CHANGES]


def _failed(listed: Sequence[ListedResult]) -> list[ListedResult]:
    return [result for result in listed if result.entry.is_failed]


def _failures(state: AppState, listed: Sequence[ListedResult]) -> list[Section]:
    """The newest evaluations in which every query failed, with their error: they have no point in the chart."""
    failed = _failed(listed)
    if not failed:
        return []
    some = f"The newest {MAX_FAILED} of {counted(len(failed), 'result')}" if len(failed) > MAX_FAILED else "Results"
    lead = f"{some} in which every query failed. They have no value and no point in the chart."
    return [Section("failed", "Failed", (failed_table(state, failed[:MAX_FAILED], "Failed results"),), lead)]


def _plan(
    series: Sequence[Series], metric: BoundMetric, baselines: Mapping[str, str], keys: Keys, rows_are: str
) -> Plan[Row]:
    """Every value, the newest first."""
    rows: list[Row] = [(line, place) for line in series for place in range(len(line.points))]
    rows.sort(key=lambda row: _point(row).started, reverse=True)
    changes = {(line.name, change.place): change for line in series for change in line.changes}
    names = _baseline_names(baselines)

    def mark(row: Row) -> Cell:
        change = changes.get((row[0].name, row[1]))
        remarks = _remarks(change, _point(row), names)
        return words(remarks, link=keys.comparison(row[0], change, metric.name) if change else "")

    def when(row: Row) -> Cell:
        point = _point(row)
        text = readable_time(point.started)
        values = ((TITLE, text), ("evaluation", point.evaluation))
        return Cell(text, link=keys.result(row[0], point), note=point.evaluation, values=values)

    columns: tuple[SheetColumn[Row], ...] = (
        SheetColumn(Column("started", "started (UTC)", kind="text"), when, lambda row: _point(row).started),
        SheetColumn(Column("series", kind="text"), lambda row: words(row[0].name), lambda row: row[0].name),
        SheetColumn(Column("value", metric.name), lambda row: _value(_point(row), metric), lambda row: _point(row).value),
        SheetColumn(Column("queries", rows_are), lambda row: number(f"{_point(row).n:,}", _point(row).n)),
        SheetColumn(Column("marks", kind="text"), mark),
    )
    return Plan("Values over time", "points", columns, rows, "points")


def _baseline_names(baselines: Mapping[str, str]) -> dict[str, str]:
    """Evaluation → its names as a baseline."""
    names: dict[str, list[str]] = {}
    for name, reference in baselines.items():
        names.setdefault(reference.partition("#")[0], []).append(name)
    return {evaluation: ", ".join(some) for evaluation, some in names.items()}


def _remarks(change: Change | None, point: Point, names: Mapping[str, str]) -> str:
    """What is marked on a point."""
    remarks = []
    if change:
        remarks.append(f"{change.kind}, {change.direction}{' on these queries' if change.is_only_seen else ''}")
    if blessed := names.get(point.evaluation):
        remarks.append(f"baseline {blessed}")
    elif point.was_baseline:
        remarks.append("was a baseline")
    return " · ".join(remarks)


def _value(point: Point, metric: BoundMetric) -> Cell:
    """The value with its interval; a dash if there is none."""
    if point.value is None:
        return Cell("–", value="")
    ends = [Digits().value(metric, end) for end in (point.low, point.high) if end is not None]
    note = f"[{', '.join(ends)}]" if len(ends) == 2 else ""
    return figure(Digits().value(metric, point.value), point.value, point.low, point.high, note=note)


def _point(row: Row) -> Point:
    return row[0].points[row[1]]


TAKES = ("benchmark", "provider", "since", "metric", "band", *TABLE_PARAMETERS)
PAGE = Page("/history", show_history, "History", TAKES, is_heavy=True, is_live=True)
