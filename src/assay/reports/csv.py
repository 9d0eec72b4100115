"""Comma-separated values with every digit: one row per run, or one per run and query."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from assay.evaluation import Result
from assay.metrics import BoundMetric
from assay.reports._bands import KINDS, Kind, band_scores
from assay.reports._csv_rows import as_csv
from assay.reports._report import Renderer, Report

ENDS = ("low", "high")
BandColumn = tuple[BoundMetric, Kind, str]


def render_csv(report: Report) -> str:
    """With queries, the summary of each run follows its queries under the query id `all`; else it counts them."""
    metrics = report.metrics if report.per_query else report.shown
    bands = list(_bands(report))
    sure = [metric.name for metric in metrics if any(metric.name in result.intervals for result in report.results)]
    heads = [*(metric.name for metric in metrics), *(f"{metric.name} {kind.name} {word}" for metric, kind, word in bands)]
    heads += [f"{name}_{end}" for name in sure for end in ENDS]
    has_benchmarks = any(result.benchmark for result in report.results)
    first = ["benchmark", "run"] if has_benchmarks else ["run"]
    rows: list[Sequence[str]] = [[*first, "query" if report.per_query else "queries", *heads]]
    for result in report.results:
        label = [result.benchmark, report.label(result)] if has_benchmarks else [report.label(result)]
        if report.per_query:
            empty = [""] * (len(ENDS) * len(sure))
            rows += ([*label, *row, *empty] for row in _query_rows(report, result, bands))
        summary = [report.exact(metric, result.summary.get(metric.name, "")) for metric in metrics]
        ends = [report.exact(metric, kind.of(result)[metric.name].columns[word].summary()) for metric, kind, word in bands]
        intervals = [_end(result, name, end, report.digits) for name in sure for end in ENDS]
        rows.append([*label, "all" if report.per_query else str(len(result.query_ids)), *summary, *ends, *intervals])
    return as_csv(rows)


def _end(result: Result, metric: str, end: str, digits: int | None) -> str:
    """One end of an interval, with every digit unless fewer were asked for; empty where nobody knows it."""
    one = result.intervals.get(metric)
    value = math.nan if one is None else getattr(one, end)
    return "" if math.isnan(value) else str(value) if digits is None else f"{value:.{digits}f}"


def _query_rows(report: Report, result: Result, bands: Sequence[BandColumn]) -> Iterator[list[str]]:
    """Each query, its scores, and those of its bands; empty where it does not count for a metric."""
    columns = [result.table.columns[metric.name].score.tolist() for metric in report.metrics]
    ends = [(metric, band_scores(result, metric.name, kind.of(result)[metric.name])[word]) for metric, kind, word in bands]
    for query, *values in zip(result.query_ids, *columns, strict=True):
        cells = [report.exact(metric, scores.get(query, "")) for metric, scores in ends]
        yield [query, *map(report.exact, report.metrics, values), *cells]


def _bands(report: Report) -> Iterator[BandColumn]:
    """Metric, kind of band, and which figure of it: a column each."""
    for kind in KINDS:
        for metric in report.shown:
            if metric.name in kind.of(report.results[0]):
                yield from ((metric, kind, word) for word in kind.words)


RENDERER = Renderer("csv", render_csv, "rows for spreadsheets and scripts")
