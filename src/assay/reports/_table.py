"""Table: cells ready to be set as text, Markdown or LaTeX; and the sentences that belong beside it."""

from __future__ import annotations

from dataclasses import dataclass

from assay.evaluation.result import Result
from assay.reports._report import Report

WIDE = 8
"""More metrics than this are set one per row instead of one per column."""


@dataclass(frozen=True)
class Cell:
    """One field of a table."""

    text: str
    is_best: bool = False
    is_number: bool = True


@dataclass(frozen=True)
class Table:
    """A head and rows of cells."""

    head: list[str]
    rows: list[list[Cell]]


def summary_table(report: Report) -> Table:
    """Runs × metrics, or metrics × runs when there are many metrics."""
    metrics = report.shown
    best = {metric.name: report.best(metric) for metric in metrics}
    cells = [
        [Cell(report.text(metric, result.summary[metric.name]), number in best[metric.name]) for metric in metrics]
        for number, result in enumerate(report.results)
    ]
    names = [result.name for result in report.results]
    if len(metrics) > WIDE:
        columns = zip(metrics, *cells, strict=True)
        return Table(["metric", *names], [[Cell(metric.name, is_number=False), *row] for metric, *row in columns])
    rows = [[Cell(name, is_number=False), *row] for name, row in zip(names, cells, strict=True)]
    return Table(["run", *(metric.name for metric in metrics)], rows)


def query_table(report: Report, result: Result) -> Table:
    """The queries of one run × metrics."""
    columns = [result.table.columns[metric.name].score.tolist() for metric in report.metrics]
    rows = [
        [
            Cell(query, is_number=False),
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
        f"{first.counts['judged']:,} judged {plural('query', first.counts['judged'])}",
        "level: grade > 0" if policy.rel is None else f"level: grade ≥ {policy.rel:g}",
        f"ties: {policy.ties}",
    ]
    if policy.judged_only:
        parts.append("unjudged documents dropped")
    return " · ".join(parts)


def notes(report: Report) -> list[str]:
    """What a careful reader should be told about each run."""
    return [f"{result.name}: {note}" for result in report.results for note in (*_coverage_notes(result), *result.notes)]


def _coverage_notes(result: Result) -> list[str]:
    counts, found = result.counts, []
    if counts["scored"] != counts["judged"]:
        found.append(f"{counts['scored']:,} of {counts['judged']:,} judged queries are scored.")
    if counts["missing"]:
        fate = "left out" if result.policy.missing == "skip" else "scored as an empty ranking"
        found.append(f"{_queries(counts['missing'])} missing from the run, {fate} ({_some(result.missing)}).")
    if counts["without_relevant"]:
        fate = "left out" if result.policy.no_relevant == "skip" else "counted as 0"
        found.append(f"{_queries(counts['without_relevant'])} without a relevant document, {fate}.")
    if counts["extra"]:
        found.append(f"{_queries(counts['extra'])} of the run without judgments, left out.")
    return found


def plural(noun: str, count: int) -> str:
    """Query or queries."""
    return noun if count == 1 else f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def _queries(count: int) -> str:
    return f"{count:,} {plural('query', count)}"


def _some(names: tuple[str, ...], most: int = 5) -> str:
    return " ".join(names[:most]) + (" …" if len(names) > most else "")
