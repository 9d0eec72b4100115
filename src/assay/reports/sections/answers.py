"""Answers and routing: the figures of each system, how risk grows with coverage, and what routing chose."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.comparison import UNKNOWN, Figures, Sliced
from assay.evaluation import Result
from assay.metrics import BoundMetric, Point, curve
from assay.reports.markup import Sheet, csv_from_rows, render_sheets
from assay.reports.report import Report, find_renderer
from assay.reports.sections.scores import query_table
from assay.reports.sections.slices import notes_side_by_side, render_slices, slice_sheets
from assay.reports.table import Cell, Table
from assay.reports.text_layout import Style, needed_width
from assay.text import counted, printable

FORMATS = ("table", "json", "csv", "markdown", "latex")
MAX_COLUMNS = 8
"""Experts of a matrix that people still read."""
MAX_CONFUSED = 10


def render_routing(report: Report, form: str, slices: Sequence[Sliced] = ()) -> str:
    """Everything there is to say about routes, in one format. CSV has the slices, where there are any."""
    if form == "json":
        more = {"slices": [sliced.to_dict() for sliced in slices]} if slices else {}
        return find_renderer("json").render(Report(report.results, digits=report.digits, more=more))
    if form == "csv":
        rows = [row for sliced in slices for row in sliced.rows()]
        return csv_from_rows(rows, report.digits) if rows else find_renderer("csv").render(report)
    sheets = [*_sheets(report), *(sheet for sliced in slices for sheet in slice_sheets(sliced, Figures(report.digits)))]
    return render_sheets(sheets, form, Style(report.width, report.colour))


def _sheets(report: Report) -> Iterator[Sheet]:
    """The figures of all, then the picture of each."""
    yield _figures(report)
    if notes := tuple(notes_side_by_side(report.results)):
        yield Sheet("", Table([], []), notes)
    for result in report.results:
        front = f"{result.name}: " if len(report.results) > 1 else ""
        if report.per_query:
            yield Sheet(f"{front}queries", query_table(report, result))
        yield from _picture(result.provenance.get("routing", {}), front, report.width)
        if result.notes:
            yield Sheet("", Table([], []), tuple(f"{front}{note}" for note in result.notes))


def _figures(report: Report) -> Sheet:
    """Metrics as rows, each with its interval where there is one."""
    figures = Figures(report.digits)
    names = [report.label(result) for result in report.results]
    rows = [
        [Cell(metric.name), *(cell for result in report.results for cell in _cells(result, metric, figures))]
        for metric in report.shown
    ]
    heads = [head for name, result in zip(names, report.results, strict=True) for head in _heads(name, result)]
    sizes = [counted(len(result.query_ids), "query") for result in report.results]
    each = [f"{name}: {size}" for name, size in zip(names, sizes, strict=True)]
    title = "; ".join(each) if len(set(sizes)) > 1 else f"{', '.join(names)}: {sizes[0]}"
    return Sheet(title, Table(["metric", *heads], rows))


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


def _picture(routing: Mapping[str, Any], front: str, width: int | None) -> Iterator[Sheet]:
    """Experts, confusion and gate, as a result's provenance has them. A matrix that is too large becomes a list."""
    if experts := routing.get("experts"):
        yield Sheet(f"{front}experts", _experts(experts))
    if confusion := routing.get("confusion"):
        names = {expert["expert"] for expert in experts or ()}
        table = _confusion(confusion, names)
        is_large = len(table.head) > MAX_COLUMNS + 1 or (width is not None and needed_width(table) > width)
        what = "where queries belonged (rows) and were sent (columns)"
        yield _confusions(confusion, front) if is_large else Sheet(f"{front}{what}", table)
    if gate := routing.get("gate"):
        yield Sheet(f"{front}the retrieval gate", _gate(gate))


def _experts(experts: Sequence[Mapping[str, Any]]) -> Table:
    heads = ["expert", "sent there", "belonged there", "both", "precision", "recall"]
    rows = [
        [
            Cell(printable(expert["expert"])),
            *(Cell(f"{expert[name]:,}") for name in ("routed", "optimal", "right")),
            *(Cell(UNKNOWN if expert[name] is None else f"{expert[name]:.3f}") for name in ("precision", "recall")),
        ]
        for expert in experts
    ]
    return Table(heads, rows)


def _confusion(confusion: Mapping[str, Mapping[str, int]], experts: Collection[str]) -> Table:
    """Every expert that occurs has a column, those that nothing belongs to as well; what is none of them comes last."""
    sent = sorted(
        {name for row in confusion.values() for name in row} | set(confusion), key=lambda name: (name not in experts, name)
    )
    rows = [
        [Cell(printable(name)), *(Cell(f"{row.get(other, 0):,}", other == name) for other in sent)]
        for name, row in confusion.items()
    ]
    return Table(["", *map(printable, sent)], rows)


def _confusions(confusion: Mapping[str, Mapping[str, int]], front: str) -> Sheet:
    """The experts that are most often taken for each other, the largest numbers first."""
    wrong = [(n, right, sent) for right, row in confusion.items() for sent, n in row.items() if sent != right]
    wrong.sort(key=lambda count_and_experts: (-count_and_experts[0], *count_and_experts[1:]))
    rows = [[Cell(printable(right)), Cell(printable(sent)), Cell(f"{n:,}")] for n, right, sent in wrong[:MAX_CONFUSED]]
    n_more = sum(n for n, *_ in wrong[MAX_CONFUSED:])
    more = (f"{counted(n_more, 'query')} more went astray; --format json has all of them.",) if n_more else ()
    if not rows:
        return Sheet("", Table([], []), (f"{front}no query was sent to another expert than its own.",))
    return Sheet(
        f"{front}where queries belonged and were sent instead",
        Table(["belonged to", "sent to", "queries"], rows, frozenset({0, 1})),
        more,
    )


def _gate(gate: Mapping[str, int]) -> Table:
    lines = {"skipped": ("saved", "wrongly_skipped"), "retrieved": ("wasted", "retrieved")}
    rows = [[Cell(name), *(Cell(f"{gate[way]:,}") for way in ways)] for name, ways in lines.items()]
    return Table(["retrieval", "not needed", "needed"], rows)


AREA = "aurc"
FOR_PEOPLE = ("table", "markdown", "latex")
STEPS = 10
"""Rows of the curve that people are shown, at most."""


def render_answers(report: Report, form: str, slices: Sequence[Sliced] = ()) -> str:
    """The report; for people with the curve and the slices below, in JSON with both beside the results."""
    curves = {result.name: curve for result in report.results if (curve := risk_coverage(result))}
    if form == "json":
        more: dict[str, Any] = {
            "risk_coverage": {name: [point._asdict() for point in curve] for name, curve in curves.items()}
        }
        more |= {"slices": [sliced.to_dict() for sliced in slices]} if slices else {}
        report = replace(report, more={name: value for name, value in more.items() if value})
    parts = [find_renderer(form).render(report)]
    style = Style(report.width, report.colour)
    if form in FOR_PEOPLE and curves:
        parts.append(render_sheets([_sheet(name, curve) for name, curve in curves.items()], form, style))
    if form in FOR_PEOPLE and slices:
        parts.append(render_slices(slices, form, style, report.digits))
    return "\n".join(parts)


def risk_coverage(result: Result) -> list[Point]:
    """The curve of a result whose area was measured; nothing for one that tells nothing of confidence."""
    metric = next((metric.name for metric in result.metrics if metric.metric.name == AREA), None)
    if metric is None:
        return []
    column = result.table.columns[metric]
    return curve(column.score[column.counts], column.weight[column.counts]) if column.is_composed else []


def _sheet(name: str, curve: Sequence[Point]) -> Sheet:
    """The curve at about every tenth of the queries."""
    coverages = [step / STEPS for step in range(1, STEPS + 1)]
    covered = [point.coverage + 1e-9 for point in curve]
    places = dict.fromkeys(bisect_left(covered, least) for least in coverages)
    rows = [
        [
            Cell(f"{100 * curve[place].coverage:.0f} %"),
            Cell(f"{curve[place].risk:.4f}"),
            Cell(_confidence_text(curve[place])),
        ]
        for place in places
    ]
    note = "risk: mean loss of the answers given, if only those of that confidence and above were given."
    return Sheet(f"{printable(name)}: risk by coverage", Table(["coverage", "risk", "confidence ≥"], rows), (note,))


def _confidence_text(point: Point) -> str:
    """The confidence; or that there is none, for want of an answer or of the figure."""
    if point.confidence is None:
        return "left open" if point.is_open else "not said"
    return f"{point.confidence:g}"
