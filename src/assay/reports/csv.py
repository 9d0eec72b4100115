"""Comma-separated values with every digit: one row per run, or one per run and query."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping

from assay.evaluation.bands import Band
from assay.evaluation.result import Result
from assay.metrics._metric import BoundMetric
from assay.reports._report import Renderer, Report
from assay.text import printable


def render_csv(report: Report) -> str:
    """With queries, the summary of each run follows its queries under the query id `all`."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    metrics = report.metrics if report.per_query else report.shown
    names = [metric.name for metric in metrics]
    bands = list(_bands(report))
    heads = [*names, *(f"{metric.name} {kind} {end}" for metric, kind, end in bands)]
    writer.writerow(["run", "query", *heads] if report.per_query else ["run", *heads])
    for result in report.results:
        summary = [report.exact(metric, result.summary.get(metric.name, "")) for metric in metrics]
        ends = [report.exact(metric, KINDS[kind](result)[metric.name].summary()[end]) for metric, kind, end in bands]
        if not report.per_query:
            writer.writerow([report.label(result), *summary, *ends])
            continue
        columns = [result.table.columns[name].score.tolist() for name in names]
        for query, *values in zip(result.query_ids, *columns, strict=True):
            empty = [""] * len(bands)
            writer.writerow([report.label(result), printable(query), *map(report.exact, metrics, values), *empty])
        writer.writerow([report.label(result), "all", *summary, *ends])
    return target.getvalue()


def _bands(report: Report) -> Iterator[tuple[BoundMetric, str, str]]:
    """Metric, kind of band, and which figure of it: a column each."""
    for kind, ends in (("ties", ("low", "expected", "high")), ("unjudged", ("low", "high"))):
        for metric in report.shown:
            if metric.name in KINDS[kind](report.results[0]):
                yield from ((metric, kind, end) for end in ends)


KINDS: dict[str, Callable[[Result], Mapping[str, Band]]] = {
    "ties": lambda result: result.tie_bands,
    "unjudged": lambda result: result.residuals,
}


RENDERER = Renderer("csv", render_csv, "rows for spreadsheets and scripts")
