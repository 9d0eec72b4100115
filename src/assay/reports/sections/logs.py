"""Logs: the metrics of a search log with intervals, its sizes, and its slices."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from assay.comparison import Figures, Sliced
from assay.evaluation import Result
from assay.logs import MODELS, ClickJudgments, DocumentClicks, LogCheck, LogFinding
from assay.metrics import BoundMetric
from assay.reports.rendering import render_sections
from assay.reports.report import Report
from assay.reports.sections.answers import metric_table
from assay.reports.sections.experiments import outcome_sections, with_note_on_plain_values
from assay.reports.sections.scores import n_rows, render_scores, score_sections, size_of
from assay.reports.table import Cell, Mark, Notes, Paragraph, Section, Table, cells, columns, table_from_rows, table_section
from assay.text import counted, plural

MOST_LISTED = 10
MOST_COLUMNS = 4
"""With more slices than this, each slice is a row, and each metric is a column."""


def render_log(report: Report, form: str, slices: Sequence[Sliced] = ()) -> str:
    """Render the result of a log in one format. CSV has the slices, if there are any."""
    if form == "json":
        more = {"slices": [sliced.to_dict() for sliced in slices]} if slices else {}
        return render_scores(Report(report.results, digits=report.digits, more=more), "json")
    return render_sections(tuple(_sections(report, form, slices)), form, report.style)


def _sections(report: Report, form: str, slices: Sequence[Sliced]) -> Iterator[Section]:
    if form == "csv":
        rows = [row for sliced in slices for row in sliced.rows()]
        yield from (table_section(table_from_rows(rows, digits=report.digits)),) if rows else score_sections(report, "csv")
        return
    yield from log_sections(report, slices)


def log_sections(report: Report, slices: Sequence[Sliced] = ()) -> Iterator[Section]:
    """The values of a log with its sizes, its slices, and notes; first the outcome, if it belongs to an experiment."""
    outcome = outcome_sections(report.results)
    yield from outcome
    table = metric_table(report, [size_of(result) for result in report.results])
    yield table_section(with_note_on_plain_values(table, report.results))
    for sliced in slices:
        yield table_section(_slices(report.results[0], sliced, Figures(report.digits)))
    for result in () if outcome else report.results:
        if result.notes:
            yield Section(parts=(Notes(result.notes),))


def _slices(whole: Result, sliced: Sliced, figures: Figures) -> Table:
    """The values of each slice with their intervals. There are no means over slices, because their users may be the same."""
    noun = whole.rows_are
    sizes = [counted(n_rows(part.results[0]), noun) for part in sliced.parts]
    names = [part.slice.value for part in sliced.parts]
    texts = [[_text(part.results[0], metric, figures) for metric in sliced.metrics] for part in sliced.parts]
    title = f"{whole.name} by {sliced.head}"
    if len(names) > MOST_COLUMNS:
        heads = columns(sliced.head, plural(noun), *(metric.name for metric in sliced.metrics))
        counts = [f"{n_rows(part.results[0]):,}" for part in sliced.parts]
        rows = [cells(name, count, *row) for name, count, row in zip(names, counts, texts, strict=True)]
        return Table(heads, tuple(rows), title=title)
    rows = [(Cell(metric.name), *(Cell(row[place]) for row in texts)) for place, metric in enumerate(sliced.metrics)]
    heads = columns("metric", *names)
    each = "; ".join(f"{name}: {size}" for name, size in zip(names, sizes, strict=True))
    return Table(heads, tuple(rows), title=f"{title} ({each})")


def _text(result: Result, metric: BoundMetric, figures: Figures) -> str:
    """`0.210 [0.204, 0.217]`."""
    value, interval = figures.value(metric, result[metric.name]), result.intervals.get(metric.name)
    if interval is None or math.isnan(interval.low):
        return value
    return f"{value} [{figures.value(metric, interval.low)}, {figures.value(metric, interval.high)}]"


def log_check_sections(check: LogCheck) -> tuple[Section, ...]:
    """The verdict, then each finding with its first cases and what to do."""
    n_errors = sum(finding.severity == "error" for finding in check.findings)
    counts = [(n_errors, "error"), (len(check.findings) - n_errors, "warning")]
    verdict = ", ".join(counted(n, kind) for n, kind in counts if n) or "No problems found"
    totals = check.totals
    sizes = ((totals.searches, "search"), (totals.shown, "shown document"), (totals.clicked, "click"))
    size = ", ".join(counted(n, noun) for n, noun in sizes)
    return (Section(parts=(Paragraph(f"{verdict} in {check.name} ({size}).", Mark.BEST), *map(_finding, check.findings))),)


def _finding(finding: LogFinding) -> Notes:
    first = ", ".join(finding.cases)
    more = " …" if finding.count > len(finding.cases) else ""
    cases = (f"  {first}{more}",) if first else ()
    return Notes((f"{finding.severity}: {finding.message} ({finding.code})", *cases, f"  {finding.advice}."))


def click_judgment_sections(judged: ClickJudgments) -> tuple[Section, ...]:
    """How many judgments of each grade there are, the position bias, and how sure the grades are."""
    about = judged.to_dict()
    size = f"{counted(len(judged), 'judgment')} for {counted(len(judged.qrels), 'query')}"
    evidence = f"{about['impressions']:,} impressions with {counted(about['clicks'], 'click')}"
    head = Paragraph(f"{size}, from {evidence}, by {judged.model} ({MODELS[judged.model]}).", Mark.BEST)
    parts: list[Any] = [head]
    if isinstance(steps := about["grades_from"], list):
        bounds = ["0", *(f"{step:g}" for step in steps)]
        rows = [
            cells(grade, f"from {bounds[int(grade)]}" if int(grade) else f"below {steps[0]:g}", f"{n:,}")
            for grade, n in about["grades"].items()
        ]
        parts.append(Table(columns("grade", "estimate", "judgments", n_words=2), tuple(rows), title="grades"))
    if judged.model == "pbm":
        bias = [cells(rank, f"{value:.3f}") for rank, value in list(about["bias"].items())[:10]]
        parts.append(Table(columns("rank", "probability"), tuple(bias), title="how likely users look at a rank"))
    if (persistence := judged.estimates.persistence) is not None:
        how = "users who are not satisfied look at the next document with the probability"
        parts.append(Notes((f"Persistence: {how} {persistence:.3f}.",)))
    if judged.notes:
        parts.append(Notes(judged.notes))
    return (Section(parts=tuple(parts)),)


def popularity_sections(counts: DocumentClicks) -> tuple[Section, ...]:
    """The documents with most clicks."""
    size = f"{counted(len(counts.documents), 'document')} with {counted(sum(counts.clicks), 'click')}"
    rows = [
        cells(name, f"{clicks:,}", f"{shown:,}") for name, clicks, shown in list(zip(*counts, strict=True))[:MOST_LISTED]
    ]
    table = Table(columns("document", "clicks", "shown"), tuple(rows), title="most clicks")
    return (Section(parts=(Paragraph(f"{size}.", Mark.BEST), table)),)
