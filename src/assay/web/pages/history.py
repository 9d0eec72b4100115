"""History: a metric over time, with steps, spikes, drifts and baselines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.charts import draw
from assay.comparison import Figures as Digits
from assay.errors import UsageError
from assay.metrics import BoundMetric
from assay.monitoring import Point, Series, change_details, change_head
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
    words,
)
from assay.web.page import Page, PageRequest, View
from assay.web.pages.results import menu_names
from assay.web.state import AppState, known_figures
from assay.web.tables import TABLE_PARAMETERS, Plan, SheetColumn, lay_out

MAX_LINES = 8
"""Series in one chart."""
MAX_POINTS = 300
"""Points of all series in one chart; the newest are drawn."""

Row = tuple[Series, int]
"""A series and a place in it."""


def show_history(state: AppState, request: PageRequest) -> View:
    """The history of a benchmark and metric, by default those of the newest result; of all providers or of one."""
    index = state.index
    newest = next((result.entry for result in index.results if result.entry.benchmark), None)
    benchmark = request.get("benchmark", newest.benchmark if newest else "")
    provider, since = request.get("provider"), request.get("since")
    usual = next(iter(known_figures(newest)), "ndcg@10") if newest else "ndcg@10"
    metric = state.store.metric(request.get("metric", usual))
    series = state.series(metric, benchmark or None, provider or None, since or None)
    plan = _plan(series, metric, state.store.baselines())
    layouts, tables = lay_out([Section("chart", "Over time", tuple(_chart(series, metric, state.store.baselines())))])
    on_it = [result.entry for result in index.results if result.entry.benchmark == benchmark]
    content = {
        "benchmarks": menu_names(index.benchmarks, benchmark),
        "benchmark": benchmark,
        "providers": menu_names(sorted({entry.provider for entry in on_it}), provider),
        "provider": provider,
        "metrics": list(dict.fromkeys(name for entry in on_it[:200] for name in known_figures(entry))) or [metric.name],
        "metric": metric.name,
        "since": since,
        "sections": layouts,
        "changes": _changes(series, metric),
        "sheet": plan.sheet(request),
    }
    title = f"{metric.name} of {provider or benchmark} over time" if benchmark else "History"
    return View("history.html.j2", title, content, {**tables, "points": lambda: plan.table(request)})


def _chart(series: Sequence[Series], metric: BoundMetric, baselines: Mapping[str, str]) -> list[Any]:
    """The newest series; a sentence if there is nothing to draw."""
    having = [line for line in series if line.defined]
    newest = sorted(having, key=lambda line: line.points[-1].started, reverse=True)[:MAX_LINES]
    if not newest:
        return [Paragraph("There are no values yet.", Mark.MUTED)]
    most = max(2, MAX_POINTS // len(newest))
    cut = [line.part(max(0, len(line.points) - most)) for line in newest]
    names = {reference.partition("#")[0]: name for name, reference in baselines.items()}
    try:
        drawing = draw("history", series=tuple(cut), baselines=names)
    except UsageError as error:
        return [Paragraph(f"This chart cannot be drawn: {error}.", Mark.MUTED)]
    notes = []
    if len(having) > len(newest):
        notes.append(
            Paragraph(f"The newest {len(newest)} of {len(having)} series. Choose a provider to see others.", Mark.MUTED)
        )
    if any(len(line.points) > most for line in newest):
        notes.append(Paragraph(f"The newest {most:,} values of each series. The table has all values.", Mark.MUTED))
    return [Figures((Figure(drawing, "history", "", metric.name),)), *notes]


def _changes(series: Sequence[Series], metric: BoundMetric) -> list[tuple[str, str, str, list[str]]]:
    """Steps, spikes and drifts, the newest first: tone, sentence, address, and what is known about it."""
    changes = []
    for line in series:
        for change in line.changes:
            tone = "" if change.is_only_seen else change.direction
            sentence = f"{line.name}: {change_head(change, metric)} on {readable_time(change.point.started)}"
            address = f"/result/{change.point.evaluation}"
            changes.append((change.point.started, (tone, sentence, address, change_details(change))))
    return [change for _, change in sorted(changes, reverse=True)[:20]]


def _plan(series: Sequence[Series], metric: BoundMetric, baselines: Mapping[str, str]) -> Plan[Row]:
    """Every value, the newest first."""
    rows: list[Row] = [(line, place) for line in series for place in range(len(line.points))]
    rows.sort(key=lambda row: _point(row).started, reverse=True)
    marks = {(line.name, change.place): change for line in series for change in line.changes}
    names: dict[str, list[str]] = {}
    for name, reference in baselines.items():
        names.setdefault(reference.partition("#")[0], []).append(name)

    def mark(row: Row) -> Cell:
        remarks = []
        if change := marks.get((row[0].name, row[1])):
            remarks.append(f"{change.kind}, {change.direction}{' on these queries' if change.is_only_seen else ''}")
        blessed = names.get(_point(row).evaluation)
        if blessed:
            remarks.append(f"baseline {', '.join(blessed)}")
        elif _point(row).was_baseline:
            remarks.append("was a baseline")
        return words(" · ".join(remarks))

    def value(row: Row) -> Cell:
        point = _point(row)
        if point.value is None:
            return Cell("–", value="")
        ends = [Digits().value(metric, end) for end in (point.low, point.high) if end is not None]
        note = f"[{', '.join(ends)}]" if len(ends) == 2 else ""
        return figure(Digits().value(metric, point.value), point.value, point.low, point.high, note=note)

    columns: tuple[SheetColumn[Row], ...] = (
        SheetColumn(Column("started", "started (UTC)", kind="text"), _when, lambda row: _point(row).started),
        SheetColumn(Column("series", kind="text"), lambda row: words(row[0].name), lambda row: row[0].name),
        SheetColumn(Column("value", metric.name), value, lambda row: _point(row).value),
        SheetColumn(Column("queries"), lambda row: number(f"{_point(row).n:,}", _point(row).n)),
        SheetColumn(Column("marks", kind="text"), mark),
    )
    return Plan("Values over time", "points", columns, rows, "points")


def _point(row: Row) -> Point:
    return row[0].points[row[1]]


def _when(row: Row) -> Cell:
    point = _point(row)
    when = readable_time(point.started)
    values = ((TITLE, when), ("evaluation", point.evaluation))
    return Cell(when, link=f"/result/{point.evaluation}", note=point.evaluation, values=values)


TAKES = ("benchmark", "provider", "since", "metric", *TABLE_PARAMETERS)
PAGE = Page("/history", show_history, "History", TAKES, is_heavy=True)
