"""Intervals of summaries, as columns of a table."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

import numpy as np

from assay.evaluation import Confidence
from assay.metrics import BoundMetric
from assay.reports._cells import Cell
from assay.reports._report import Report
from assay.text import with_minus

HEAD = " % CI"


def confidence_column(report: Report, metric: BoundMetric) -> Iterator[tuple[str, list[Cell]]]:
    """Head and cells of a metric's intervals; nothing where no result has one, as with a single query."""
    found = [result.intervals.get(metric.name) for result in report.results]
    levels = {one.level for one in found if one is not None and not isnan(one.low)}
    if levels:
        yield f"{100 * max(levels):g}{HEAD}", [Cell(_text(report, metric, one)) for one in found]


def confidence_notes(report: Report) -> list[str]:
    """Why there is no interval where one was to be: a single query says nothing about how far figures scatter."""
    alone = [metric.name for metric in report.shown if _rests_on_one(report, metric.name)]
    return (
        [f"no interval of {', '.join(alone)}: one query cannot show how far figures scatter; two or more do."]
        if alone
        else []
    )


def _rests_on_one(report: Report, metric: str) -> bool:
    found = [result for result in report.results if metric in result.intervals]
    counts = [int((~np.isnan(result.array(metric))).sum()) for result in found]
    return bool(counts) and max(counts) == 1 and all(isnan(result.intervals[metric].low) for result in found)


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
    return " – ".join(with_minus(f"{end:.{digits}f}") for end in (one.low, one.high))
