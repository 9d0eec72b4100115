"""A comparison for programs: CSV with a row for each pair and metric, JSON with everything."""

from __future__ import annotations

from typing import Any

from assay.comparison import Comparison
from assay.evaluation import with_intervals
from assay.reports._comparison_movers import all_movers
from assay.reports._comparison_report import ComparisonReport
from assay.reports._csv_rows import csv_of
from assay.reports.json import written
from assay.text import printable

SCHEMA = "assay.comparison/1"


def render_csv(report: ComparisonReport) -> str:
    """Every figure of every pair; empty where one is not defined."""
    fronts = [name for name in ("benchmark", "slice") if any(_front(one)[name] for one in report.comparisons)]
    rows = [
        {**{name: _front(comparison)[name] for name in fronts}, **row}
        for comparison in report.comparisons
        for row in comparison.table()
    ]
    return csv_of(rows, report.digits)


def _front(comparison: Comparison) -> dict[str, str]:
    return {"benchmark": printable(comparison.results[0].benchmark), "slice": printable(comparison.part)}


def render_json(report: ComparisonReport) -> str:
    """All of each comparison. Later versions add keys; these stay."""
    return written({"schema": SCHEMA, "comparisons": [whole(one, report) for one in report.comparisons]})


def whole(comparison: Comparison, report: ComparisonReport) -> dict[str, Any]:
    """One comparison: figures, intervals, every query, and the queries that moved, as far as they are asked for."""
    plain = comparison.to_dict()
    how = comparison.how
    about = {"benchmark": comparison.results[0].benchmark} if comparison.results[0].benchmark else {}
    plain["intervals"] = {
        result.name: {
            name: one.to_dict() for name, one in with_intervals(result, level=how.level, seed=how.seed).intervals.items()
        }
        for result in comparison.results
    }
    plain["per_query"] = {metric.name: comparison.per_query(metric.name) for metric in comparison.metrics}
    if report.worst or report.best:
        plain["movers"] = [
            mover.to_dict() for _, movers in all_movers(comparison, report.worst, report.best) for mover in movers
        ]
    return {**about, **rounded(plain, report.digits)}


def rounded(value: Any, digits: int | None) -> Any:
    """The value, or all numbers in it, with that many decimals; as it is where nobody asked."""
    if digits is None:
        return value
    if isinstance(value, dict):
        return {name: rounded(inner, digits) for name, inner in value.items()}
    if isinstance(value, list):
        return [rounded(inner, digits) for inner in value]
    return round(value, digits) if isinstance(value, float) else value
