"""Intervals of summaries, as columns of a table."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

from assay.evaluation.confidence import Confidence
from assay.metrics._metric import BoundMetric
from assay.reports._cells import Cell
from assay.reports._report import Report

HEAD = " % CI"


def confidence_column(report: Report, metric: BoundMetric) -> Iterator[tuple[str, list[Cell]]]:
    """Head and cells of a metric's intervals; nothing where no result has one, as with a single query."""
    found = [result.intervals.get(metric.name) for result in report.results]
    levels = {one.level for one in found if one is not None and not isnan(one.low)}
    if levels:
        yield f"{100 * max(levels):g}{HEAD}", [Cell(_text(report, metric, one)) for one in found]


def is_confidence(head: str) -> bool:
    """Whether a column is one of intervals."""
    return head.endswith(HEAD)


def _text(report: Report, metric: BoundMetric, one: Confidence | None) -> str:
    """Both ends, with a digit less than the figure: they are not known better than that."""
    if one is None or isnan(one.low):
        return "–"
    if metric.metric.view == "timing":
        return " – ".join(report.text(metric, end) for end in (one.low, one.high))
    digits = 3 if report.digits is None else max(report.digits - 1, 0)
    return f"{one.low:.{digits}f} – {one.high:.{digits}f}"
