"""Answers and routing: the values of each system, risk by coverage, and the choices of the router."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.comparison import UNKNOWN, Figures, Sliced
from assay.evaluation import Result
from assay.metrics import BoundMetric, Point, curve
from assay.reports.layout import needed_width
from assay.reports.rendering import render_sections
from assay.reports.report import Report
from assay.reports.sections.scores import query_table, render_scores, score_sections
from assay.reports.sections.slices import notes_side_by_side, slice_sections
from assay.reports.table import (
    Cell,
    Mark,
    Notes,
    Section,
    Table,
    cells,
    columns,
    table_from_rows,
    table_section,
)
from assay.text import counted

MAX_COLUMNS = 8
"""Experts in a matrix that is still readable."""
MAX_CONFUSED = 10


def render_routing(report: Report, form: str, slices: Sequence[Sliced] = ()) -> str:
    """Render everything about routing in one format."""
    if form == "json":
        more = {"slices": [sliced.to_dict() for sliced in slices]} if slices else {}
        return render_scores(Report(report.results, digits=report.digits, more=more), "json")
    return render_sections(routing_sections(report, form, slices), form, report.style)


def routing_sections(report: Report, form: str, slices: Sequence[Sliced] = ()) -> tuple[Section, ...]:
    """The values of all results, the details of each, and the slices. CSV has only the slices, if there are any."""
    if form == "csv":
        rows = [row for sliced in slices for row in sliced.rows()]
        return (table_section(table_from_rows(rows, digits=report.digits)),) if rows else score_sections(report, "csv")
    of_slices = [section for sliced in slices for section in slice_sections(sliced, Figures(report.digits))]
    return (*_routing_sections(report), *of_slices)


def _routing_sections(report: Report) -> Iterator[Section]:
    yield table_section(metric_table(report, [counted(len(result.query_ids), "query") for result in report.results]))
    if notes := tuple(notes_side_by_side(report.results)):
        yield Section(parts=(Notes(notes),))
    for result in report.results:
        front = f"{result.name}: " if len(report.results) > 1 else ""
        if report.per_query:
            yield table_section(query_table(report, result, f"{front}queries"))
        yield from map(table_section, _picture(result.provenance.get("routing", {}), front, report.width))
        if result.notes:
            yield Section(parts=(Notes(tuple(f"{front}{note}" for note in result.notes)),))


def metric_table(report: Report, sizes: Sequence[str]) -> Table:
    """Metrics as rows, each with its interval if it has one. `sizes` says how much each result is based on."""
    figures = Figures(report.digits)
    names = [report.label(result) for result in report.results]
    rows = [
        (Cell(metric.name), *(cell for result in report.results for cell in _cells(result, metric, figures)))
        for metric in report.shown
    ]
    heads = [head for name, result in zip(names, report.results, strict=True) for head in _heads(name, result)]
    each = [f"{name}: {size}" for name, size in zip(names, sizes, strict=True)]
    title = "; ".join(each) if len(set(sizes)) > 1 else f"{', '.join(names)}: {sizes[0]}"
    return Table(columns("metric", *heads), tuple(rows), title=title)


def _heads(name: str, result: Result) -> list[str]:
    levels = {interval.level for interval in result.intervals.values()}
    return [name, *(f"{100 * level:g} % CI" for level in levels)]


def _cells(result: Result, metric: BoundMetric, figures: Figures) -> list[Cell]:
    value = Cell(figures.value(metric, result[metric.name]))
    if not result.intervals:
        return [value]
    interval = result.intervals.get(metric.name)
    if interval is None or math.isnan(interval.low):
        return [value, Cell("")]
    return [value, Cell(f"[{figures.value(metric, interval.low)}, {figures.value(metric, interval.high)}]")]


def _picture(routing: Mapping[str, Any], front: str, width: int | None) -> Iterator[Table]:
    """Experts, confusion matrix and gate from a result's provenance. A matrix that is too large becomes a list."""
    if experts := routing.get("experts"):
        yield _experts(experts, f"{front}experts")
    if confusion := routing.get("confusion"):
        names = {expert["expert"] for expert in experts or ()}
        table = _confusion(confusion, names, f"{front}right expert (rows) and chosen expert (columns)")
        is_large = len(table.columns) > MAX_COLUMNS + 1 or (width is not None and needed_width(table) > width)
        yield _confusions(confusion, front) if is_large else table
    if gate := routing.get("gate"):
        yield _gate(gate, f"{front}retrieval gate")


def _experts(experts: Sequence[Mapping[str, Any]], title: str) -> Table:
    heads = columns("expert", "chosen", "right", "both", "precision", "recall")
    rows = [
        cells(
            expert["expert"],
            *(f"{expert[name]:,}" for name in ("routed", "optimal", "right")),
            *(UNKNOWN if expert[name] is None else f"{expert[name]:.3f}" for name in ("precision", "recall")),
        )
        for expert in experts
    ]
    return Table(heads, tuple(rows), title=title)


def _confusion(confusion: Mapping[str, Mapping[str, int]], experts: Collection[str], title: str) -> Table:
    """A column for every expert that occurs, even if it is never the right one; other names come last."""
    sent = sorted(
        {name for row in confusion.values() for name in row} | set(confusion), key=lambda name: (name not in experts, name)
    )
    rows = [
        (
            Cell(name),
            *(Cell(f"{row.get(other, 0):,}", mark=Mark.BEST if other == name else Mark.NONE) for other in sent),
        )
        for name, row in confusion.items()
    ]
    return Table(columns("", *sent), tuple(rows), title=title)


def _confusions(confusion: Mapping[str, Mapping[str, int]], front: str) -> Table:
    """The experts that are confused most often, the largest numbers first."""
    wrong = [(n, right, sent) for right, row in confusion.items() for sent, n in row.items() if sent != right]
    wrong.sort(key=lambda count_and_experts: (-count_and_experts[0], *count_and_experts[1:]))
    rows = tuple(cells(right, sent, f"{n:,}") for n, right, sent in wrong[:MAX_CONFUSED])
    n_more = sum(n for n, *_ in wrong[MAX_CONFUSED:])
    more = (f"… and {counted(n_more, 'more query')}. Use --format json to see all.",) if n_more else ()
    if not rows:
        return Table(notes=(f"{front}every query was sent to the right expert.",))
    heads = columns("right", "chosen", "queries", n_words=2)
    return Table(heads, rows, title=f"{front}queries sent to the wrong expert", notes=more)


def _gate(gate: Mapping[str, int], title: str) -> Table:
    lines = {"skipped": ("saved", "wrongly_skipped"), "retrieved": ("wasted", "retrieved")}
    rows = tuple(cells(name, *(f"{gate[way]:,}" for way in ways)) for name, ways in lines.items())
    return Table(columns("retrieval", "not needed", "needed"), rows, title=title)


AREA = "aurc"
STEPS = 10
"""The most rows of the curve that a table shows."""


def render_answers(report: Report, form: str, slices: Sequence[Sliced] = ()) -> str:
    """Render the report, with the curve and the slices below the results; in JSON they are keys of their own."""
    if form != "json":
        return render_sections(answer_sections(report, form, slices), form, report.style)
    more: dict[str, Any] = {"risk_coverage": {name: [point._asdict() for point in some] for name, some in _curves(report)}}
    more |= {"slices": [sliced.to_dict() for sliced in slices]}
    return render_scores(replace(report, more={name: value for name, value in more.items() if value}), "json")


def answer_sections(report: Report, form: str, slices: Sequence[Sliced] = ()) -> tuple[Section, ...]:
    """The scores, risk by coverage, and the slices; CSV has only the scores."""
    scores = score_sections(report, form)
    if form == "csv":
        return scores
    of_slices = [section for sliced in slices for section in slice_sections(sliced, Figures(report.digits))]
    return (*scores, *(table_section(_curve_table(name, some)) for name, some in _curves(report)), *of_slices)


def _curves(report: Report) -> list[tuple[str, list[Point]]]:
    return [(result.name, points) for result in report.results if (points := risk_coverage(result))]


def risk_coverage(result: Result) -> list[Point]:
    """The risk-coverage curve of a result that has the metric `aurc`; empty if its answers have no confidence."""
    metric = next((metric.name for metric in result.metrics if metric.metric.name == AREA), None)
    if metric is None:
        return []
    column = result.table.columns[metric]
    return curve(column.score[column.counts], column.weight[column.counts]) if column.is_composed else []


def _curve_table(name: str, points: Sequence[Point]) -> Table:
    """The curve at about every tenth of the queries."""
    coverages = [step / STEPS for step in range(1, STEPS + 1)]
    covered = [point.coverage + 1e-9 for point in points]
    shown = [points[place] for place in dict.fromkeys(bisect_left(covered, least) for least in coverages)]
    rows = [cells(f"{100 * point.coverage:.0f} %", f"{point.risk:.4f}", _confidence_text(point)) for point in shown]
    note = "risk: mean loss of the answers with at least this confidence."
    heads = columns("coverage", "risk", "confidence ≥")
    return Table(heads, tuple(rows), title=f"{name}: risk by coverage", notes=(note,))


def _confidence_text(point: Point) -> str:
    """The confidence; or why there is none: no answer, or an answer without a confidence."""
    if point.confidence is None:
        return "abstained" if point.is_open else "not given"
    return f"{point.confidence:g}"
