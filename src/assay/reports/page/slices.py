"""Slices of a page: queries that share a tag, as a table whose colours show where systems are better or worse."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.comparison import Comparison, Pair, SliceComparison, compare_slices, sign_of
from assay.evaluation import QUERY, Result
from assay.metrics import BoundMetric
from assay.model import MEAN, Slice, Tags
from assay.reports.page.charts import draw_charts
from assay.reports.page.subject import BenchmarkReport
from assay.reports.sections.comparison_head import legend
from assay.reports.sections.scores import n_rows
from assay.reports.sections.verdicts import mark, p_short
from assay.reports.table import Cell, Column, Mark, Paragraph, Section, Table, anchor_of, columns, number, words
from assay.text import plural

PALEST = 0.05
"""A difference of this size is pale even if no other is larger, so that noise does not stand out."""
MAX_METRICS = 6
MAX_SLICES = 60


def slices_section(report: BenchmarkReport) -> Section | None:
    """A table for each tag; None if queries have no tags and none was requested."""
    if not report.tags or not report.metrics:
        return None
    tags = Tags.of(report.shown)
    parts: list[Any] = []
    tested = _slice_comparison(report)
    for by in report.tags:
        slices = tags.slices(tags.crossed(by))
        parts.append(_table(report, by, slices, tested))
    if tested is not None:
        signs = _legend(tested) if len(report.results) == 2 else ""  # tables of more systems have no signs
        parts.append(Paragraph(f"{tested.verdict} {signs}".strip(), Mark.MUTED))
    parts += draw_charts(report, "slices", by=report.tags[0]) if len(report.results) <= MAX_METRICS else ()
    than = f"the value over all {plural(report.first.rows_are)}" if report.pair is None else report.names[report.pair[0]]
    lead = f"Colours show the difference: green is better than {than}, red is worse."
    return Section(anchor_of("slices", report.group), "Slices", tuple(parts), lead)


def _slice_comparison(report: BenchmarkReport) -> SliceComparison | None:
    """How two systems compare on the first metric in every slice of every tag, corrected for all slices."""
    comparison = report.comparison
    if comparison is None or report.pair is None:
        return None
    pair = tuple(comparison.aligned.results[place] for place in report.pair)
    aligned = replace(comparison.aligned, results=pair, metrics=comparison.metrics[:1])
    how = replace(comparison.how, baseline=None)
    return compare_slices(Comparison(aligned, how, ()), report.tags)


def _table(report: BenchmarkReport, by: str, slices: Sequence[Slice], tested: SliceComparison | None) -> Table:
    """Slices as rows; if there are too many, only the largest."""
    largest = slices if len(slices) <= MAX_SLICES else sorted(slices, key=lambda part: -part.n)[:MAX_SLICES]
    left = (f"The {MAX_SLICES} largest of {len(slices):,} slices.",) if len(largest) < len(slices) else ()
    if report.comparison is None:
        return _single_system_table(report, by, largest, left)
    pairs = (
        {}
        if tested is None
        else {tested_slice: part.pairs[0] for tested_slice, part in zip(tested.slices, tested.parts, strict=True)}
    )
    if len(report.results) > 2:
        return _multi_system_table(report, by, largest, left)
    return _of_two(report, by, largest, pairs, left)


def _legend(tested: SliceComparison) -> str:
    """What the signs in all slices mean."""
    pairs = tuple(pair for part in tested.parts for pair in part.pairs)
    return legend(replace(tested.parts[0], pairs=pairs)) if pairs else ""


def _single_system_table(report: BenchmarkReport, by: str, slices: Sequence[Slice], notes: tuple[str, ...]) -> Table:
    """One system: each metric in each slice, coloured by its distance from the value over all queries."""
    metrics = report.metrics[:MAX_METRICS]
    result = report.shown[0]
    values = {metric.name: _figures(result, metric, slices) for metric in metrics}
    rows = []
    for place, part in enumerate(slices):
        fields = [_tinted(report, metric, values[metric.name], place, result.summary[metric.name]) for metric in metrics]
        rows.append((words(part.value, link=report.slice_link(by, part.value)), _size(result, part), *fields))
    units = plural(result.rows_are)
    heads: list[str | Column] = [by, units, *(Column(metric.name, help=metric.metric.meaning) for metric in metrics)]
    return Table(columns(*heads), tuple(rows), f"By {by}", title=f"By {by}", notes=notes)


def _size(result: Result, part: Slice) -> Cell:
    """How many queries, or users, a slice has."""
    n = part.n if result.rows_are == QUERY else n_rows(result.subset(queries=part.queries))
    return number(f"{n:,}", n)


def _of_two(
    report: BenchmarkReport, by: str, slices: Sequence[Slice], pairs: dict[Slice, Pair], notes: tuple[str, ...]
) -> Table:
    """Two systems: both values on the first metric, then the coloured differences on all metrics."""
    metrics = report.metrics[:MAX_METRICS]
    before_result, after_result = report.looked_at
    before = {metric.name: _figures(before_result, metric, slices) for metric in metrics}
    after = {metric.name: _figures(after_result, metric, slices) for metric in metrics}
    rows = []
    for place, part in enumerate(slices):
        pair = pairs.get(part)
        sign = mark(pair) if pair is not None else ""
        first = metrics[0]
        sides = [(values[first.name][place]) for values in (before, after)]
        figures = [number(report.figures.value(first, value), value) for value in sides]
        changes = [_change(report, metric, before, after, place) for metric in metrics]
        changes[0] = replace(changes[0], sign=sign)
        p = number(p_short(pair.p_corrected, pair.draws), pair.p_corrected) if pair is not None else Cell("–", value="")
        rows.append(
            (
                words(part.value, link=report.slice_link(by, part.value)),
                number(f"{part.n:,}", part.n),
                *figures,
                changes[0],
                p,
                *changes[1:],
            )
        )
    names = [result.name for result in (before_result, after_result)]
    first_head, *more = (Column(f"Δ {metric.name}", help=metric.metric.meaning) for metric in metrics)
    heads: list[str | Column] = [
        by,
        "queries",
        *names,
        first_head,
        Column("p", help="corrected for all slices in this section"),
        *more,
    ]
    return Table(columns(*heads), tuple(rows), f"By {by}", title=f"By {by}", notes=notes)


def _multi_system_table(report: BenchmarkReport, by: str, slices: Sequence[Slice], notes: tuple[str, ...]) -> Table:
    """Many systems: the first metric, coloured by each system's distance from the reference."""
    metric = report.metrics[0]
    reference = report.pair[0] if report.pair is not None else 0
    values = [_figures(result, metric, slices) for result in report.shown]
    strongest = _strongest([value - base for some in values for value, base in zip(some, values[reference], strict=True)])
    rows = []
    for place, part in enumerate(slices):
        fields = [
            number(
                report.figures.value(metric, some[place]),
                some[place],
                tint=_tint(sign_of(metric) * (some[place] - values[reference][place]), strongest),
            )
            for some in values
        ]
        rows.append((words(part.value, link=report.slice_link(by, part.value)), number(f"{part.n:,}", part.n), *fields))
    title = f"{metric.name} by {by}"
    heads = columns(by, "queries", *report.names)
    return Table(heads, tuple(rows), title, title=title, notes=notes)


def _change(
    report: BenchmarkReport, metric: BoundMetric, before: dict[str, list[float]], after: dict[str, list[float]], place: int
) -> Cell:
    """The difference in a slice, with both values in its tooltip."""
    changes = [b - a for a, b in zip(before[metric.name], after[metric.name], strict=True)]
    change = changes[place]
    sides = (report.figures.value(metric, values[metric.name][place]) for values in (before, after))
    return number(
        report.figures.change(metric, change),
        change,
        tint=_tint(sign_of(metric) * change, _strongest(changes)),
        help=" → ".join(sides),
    )


def _tinted(report: BenchmarkReport, metric: BoundMetric, values: list[float], place: int, whole: float) -> Cell:
    strongest = _strongest([value - whole for value in values])
    value = values[place]
    return number(report.figures.value(metric, value), value, tint=_tint(sign_of(metric) * (value - whole), strongest))


def _tint(change: float, strongest: float) -> float | None:
    """The strength of the colour: green above 0, red below, strongest for the largest change."""
    return change / strongest if math.isfinite(change) else None


def _strongest(changes: Sequence[float]) -> float:
    return max([PALEST, *(abs(change) for change in changes if math.isfinite(change))])


def _figures(result: Result, metric: BoundMetric, slices: Sequence[Slice]) -> list[float]:
    """The value of each slice."""
    places = {query: place for place, query in enumerate(result.query_ids)}
    column = result.table.columns[metric.name]
    values = []
    for part in slices:
        inside = np.array([places[query] for query in part.queries if query in places], dtype=np.int64)
        if metric.metric.aggregation == MEAN:
            scores = column.score[inside]
            scores = scores[~np.isnan(scores)]
            values.append(float(scores.mean()) if len(scores) else math.nan)
        else:
            values.append(float(result.table.take(inside).summary()[metric.name]))
    return values
