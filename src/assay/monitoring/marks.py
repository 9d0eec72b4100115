"""marks: a change of a series in words, the same in the terminal, on web pages and in alerts."""

from __future__ import annotations

import math

from assay.comparison import p_text
from assay.metrics import BoundMetric
from assay.monitoring.finding import figure_shape, unit_of
from assay.monitoring.points import Change
from assay.monitoring.steps import DRIFT, SPIKE
from assay.text import counted, printable

MAX_CAUSES = 4
"""Recorded differences that are named; further ones are counted."""


def change_head(change: Change, metric: BoundMetric) -> str:
    """`step 0.732 → 0.592 (worse)`; `(lower)` if it was only seen on these queries."""
    return f"{change.kind} {change_values(change, metric)} ({change.direction})"


def change_values(change: Change, metric: BoundMetric) -> str:
    """`0.732 → 0.592`, with the unit of the metric."""
    shape = figure_shape(metric.metric.range[1], [change.before, change.after])
    return f"{change.before:{shape}} → {change.after:{shape}}{unit_of(metric)}"


def change_details(change: Change) -> list[str]:
    """What is known about a change: the queries, what was changed, and whether it holds beyond these queries."""
    details = [_queries(change), change_causes(change), _claim(change)]
    if change.kind == SPIKE:
        details.append("the next evaluation was as before")
    if change.kind == DRIFT:
        details.append("a slow drift: compared with the mean since the last step")
    return [detail for detail in details if detail]


def _queries(change: Change) -> str:
    if not change.n_worse and not change.n_better:
        return ""
    names = ", ".join(map(printable, change.worse)) + (" …" if change.n_worse > len(change.worse) else "")
    worse = f"worse on {counted(change.n_worse, 'query')}: {names}" if change.n_worse else ""
    better = f"better on {counted(change.n_better, 'query')}" if change.n_better else ""
    return "; ".join(filter(None, (worse, better)))


def change_causes(change: Change) -> str:
    """What is recorded as different between the two evaluations of a change."""
    if not change.changed:
        same = f"version, configuration and data are the same as in {change.earlier.evaluation}, as far as recorded"
        return same if change.n_worse or change.n_better else ""
    causes = [changed.text for changed in change.changed]
    more = f"; and {len(causes) - MAX_CAUSES} more" if len(causes) > MAX_CAUSES else ""
    return f"changed since {change.earlier.evaluation}: {'; '.join(causes[:MAX_CAUSES])}{more}"


def _claim(change: Change) -> str:
    if math.isnan(change.p):
        return (
            "seen on these queries only: this metric is not a mean over queries, so there is no test"
            if change.is_only_seen
            else ""
        )
    claim = "shown beyond these queries" if change.is_shown else "seen on these queries only"
    return f"{claim} ({p_text(change.p)}, corrected for repeated looks)"
