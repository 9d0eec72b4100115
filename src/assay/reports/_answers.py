"""What `assay answers` prints: the figures of each system, and how risk grows with coverage."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from assay.comparison import Sliced
from assay.evaluation import Result
from assay.metrics import Point, curve
from assay.reports._cells import Cell, Table
from assay.reports._layout import Style
from assay.reports._report import Report, find_renderer
from assay.reports._sheets import Sheet, render_sheets
from assay.reports._slices import render_slices
from assay.text import printable

AREA = "aurc"
FOR_PEOPLE = ("table", "markdown", "latex")
STEPS = 10
"""Rows of the curve that people are shown, at most."""


def render_answers(report: Report, form: str, slices: Sequence[Sliced] = ()) -> str:
    """The report; for people with the curve and the slices below, in JSON with both beside the results."""
    curves = {result.name: found for result in report.results if (found := risk_coverage(result))}
    if form == "json":
        more: dict[str, Any] = {"risk_coverage": {name: [one._asdict() for one in found] for name, found in curves.items()}}
        more |= {"slices": [sliced.to_dict() for sliced in slices]} if slices else {}
        report = replace(report, more={name: value for name, value in more.items() if value})
    parts = [find_renderer(form).render(report)]
    style = Style(report.width, report.colour)
    if form in FOR_PEOPLE and curves:
        parts.append(render_sheets([_sheet(name, found) for name, found in curves.items()], form, style))
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


def _sheet(name: str, found: Sequence[Point]) -> Sheet:
    """The curve at about every tenth of the queries."""
    wanted = [step / STEPS for step in range(1, STEPS + 1)]
    covered = [one.coverage + 1e-9 for one in found]
    places = dict.fromkeys(bisect_left(covered, least) for least in wanted)
    rows = [
        [
            Cell(f"{100 * found[place].coverage:.0f} %"),
            Cell(f"{found[place].risk:.4f}"),
            Cell(_sure(found[place])),
        ]
        for place in places
    ]
    note = "risk: mean loss of the answers given, if only those of that confidence and above were given."
    return Sheet(f"{printable(name)}: risk by coverage", Table(["coverage", "risk", "confidence ≥"], rows), (note,))


def _sure(point: Point) -> str:
    """The confidence; or that there is none, for want of an answer or of the figure."""
    if point.confidence is None:
        return "left open" if point.is_open else "not said"
    return f"{point.confidence:g}"
