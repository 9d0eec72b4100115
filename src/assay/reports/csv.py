"""Comma-separated values with every digit: one row per run, or one per run and query."""

from __future__ import annotations

import csv
import io

from assay.reports._report import Renderer, Report
from assay.text import printable


def render_csv(report: Report) -> str:
    """With queries, the summary of each run follows its queries under the query id `all`."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    metrics = report.metrics if report.per_query else report.shown
    names = [metric.name for metric in metrics]
    writer.writerow(["run", "query", *names] if report.per_query else ["run", *names])
    for result in report.results:
        summary = [report.exact(metric, result.summary.get(metric.name, "")) for metric in metrics]
        if not report.per_query:
            writer.writerow([report.label(result), *summary])
            continue
        columns = [result.table.columns[name].score.tolist() for name in names]
        for query, *values in zip(result.query_ids, *columns, strict=True):
            writer.writerow([report.label(result), printable(query), *map(report.exact, metrics, values)])
        writer.writerow([report.label(result), "all", *summary])
    return target.getvalue()


RENDERER = Renderer("csv", render_csv, "rows for spreadsheets and scripts")
