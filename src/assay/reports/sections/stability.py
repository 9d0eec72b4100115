"""Stability of a comparison: variance components, and how often other queries would keep the order of the systems."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.comparison import UNKNOWN, SystemStability
from assay.reports.table import Section, Table, cells, columns, table_section
from assay.text import percent

ABOUT_VARIANCE = (
    "queries, systems, rest: shares of the variance of scores. Queries: some are harder for all systems; systems: some are "
    "better on all queries; rest: which system is better depends on the query, or on chance."
)
ABOUT_ORDER = (
    "same order, tau, best stays: how often other queries of the same kind would order the systems in the same way, how "
    "similar the orders are (1: the same), and how often the best system stays the best (bootstrap over queries)."
)


def stability_sections(stability: Sequence[SystemStability]) -> list[Section]:
    """One table with a row for each metric; none if no metric is a mean over queries."""
    if not stability:
        return []
    rows = tuple(
        cells(
            metric.metric,
            *map(_share, metric.components.shares),
            _share(metric.order.same_order),
            UNKNOWN if math.isnan(metric.order.tau) else f"{metric.order.tau:.2f}",
            _share(metric.order.best_stays),
        )
        for metric in stability
    )
    heads = columns("metric", "queries", "systems", "rest", "same order", "tau", "best stays")
    title = "variance of scores, and the order of systems on other queries"
    return [table_section(Table(heads, rows, title=title, notes=(ABOUT_VARIANCE, ABOUT_ORDER)))]


def _share(share: float) -> str:
    return UNKNOWN if math.isnan(share) else percent(share)
