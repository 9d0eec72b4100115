"""Table: cells ready to be set as text, Markdown or LaTeX; and the sentences that belong beside it."""

from __future__ import annotations

from dataclasses import dataclass

from assay.evaluation.result import Result
from assay.reports._report import Report
from assay.text import counted, printable, some_of

WIDE = 8
"""More metrics than this are set one per row instead of one per column."""


@dataclass(frozen=True)
class Cell:
    """One field of a table."""

    text: str
    is_best: bool = False


@dataclass(frozen=True)
class Table:
    """A head and rows of cells."""

    head: list[str]
    rows: list[list[Cell]]


def summary_table(report: Report, *, one_metric_per_row: bool | None = None) -> Table:
    """Runs × metrics, or metrics × runs when asked for; unless told, when there are many metrics."""
    metrics = report.shown
    best = {metric.name: report.best(metric) for metric in metrics}
    cells = [
        [Cell(report.text(metric, result.summary[metric.name]), number in best[metric.name]) for metric in metrics]
        for number, result in enumerate(report.results)
    ]
    names = [report.label(result) for result in report.results]
    if len(metrics) > WIDE if one_metric_per_row is None else one_metric_per_row:
        columns = zip(metrics, *cells, strict=True)
        return Table(["metric", *names], [[Cell(metric.name), *row] for metric, *row in columns])
    rows = [[Cell(name), *row] for name, row in zip(names, cells, strict=True)]
    return Table(["run", *(metric.name for metric in metrics)], rows)


def query_table(report: Report, result: Result) -> Table:
    """The queries of one run × metrics."""
    columns = [result.table.columns[metric.name].score.tolist() for metric in report.metrics]
    rows = [
        [
            Cell(printable(query)),
            *(Cell(report.text(metric, value)) for metric, value in zip(report.metrics, values, strict=True)),
        ]
        for query, *values in zip(result.query_ids, *columns, strict=True)
    ]
    return Table(["query", *(metric.name for metric in report.metrics)], rows)


def coverage(report: Report) -> str:
    """One line: how many queries the figures rest on, and the conventions they follow."""
    first = report.results[0]
    policy = first.policy
    parts = [
        counted(first.counts["judged"], "judged query"),
        "level: grade > 0" if policy.rel is None else f"level: grade ≥ {policy.rel:g}",
        f"ties: {policy.ties}",
    ]
    if policy.judged_only:
        parts.append("unjudged documents dropped")
    return " · ".join(parts)


def notes(report: Report) -> list[str]:
    """What a careful reader should be told about each run."""
    return [
        f"{report.label(result)}: {printable(note)}"
        for result in report.results
        for note in (*_coverage_notes(result), *result.notes)
    ]


def _coverage_notes(result: Result) -> list[str]:
    counts, found = result.counts, []
    if counts["scored"] != counts["judged"]:
        found.append(f"{counts['scored']:,} of {counts['judged']:,} judged queries are scored.")
    if counts["missing"]:
        fate = "left out" if result.policy.missing == "skip" else "scored as an empty ranking"
        found.append(f"{counted(counts['missing'], 'query')} missing from the run, {fate} ({some_of(result.missing)}).")
    if counts["without_relevant"]:
        fate = "left out" if result.policy.no_relevant == "skip" else "which binary metrics score 0"
        found.append(f"{counted(counts['without_relevant'], 'query')} without a relevant document, {fate}.")
    if counts["extra"]:
        found.append(f"{counted(counts['extra'], 'query')} of the run without judgments, left out.")
    return found
