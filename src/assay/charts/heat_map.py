"""heat_map: systems by metrics, the better the stronger the colour."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from assay.charts._chart import Chart, Drawing, Spec, Subject
from assay.charts._names import labels, listed
from assay.charts._spec import DEEP, ON_DEEP, ON_PALE, PALE, category, quantity, spec, tooltip
from assay.comparison import Figures
from assay.errors import UsageError
from assay.metrics import BoundMetric
from assay.text import counted

STEP = {"width": {"step": 78}, "height": {"step": 32}}
DARK = 0.5
"""Share of the range from which on a cell is so dark that figures are written in white."""


def heat_map(subject: Subject) -> Drawing:
    """Systems by metrics, the better the stronger the colour.

    Each metric has a scale of its own, from its worst system to its best; where all are equal, all are pale.
    """
    metrics = _columns(subject)
    names = labels(subject.names)
    rows = [row for metric in metrics for row in _rows(metric, names, [result[metric.name] for result in subject.results])]
    place = {"x": category("metric", axis={"orient": "top", "labelAngle": -30}), "y": category("system")}
    fill = quantity("share", "", scale={"domain": [0, 1], "range": [PALE, DEEP]}, legend=None)
    ink = {"condition": {"test": f"datum.share > {DARK}", "value": ON_DEEP}, "value": ON_PALE}
    hover = tooltip(("system", "system"), ("metric", "metric"), ("shown", "figure"))
    layers: list[Spec] = [
        {"mark": "rect", "encoding": {**place, "color": fill, "tooltip": hover}},
        {"mark": {"type": "text", "fontSize": 11}, "encoding": {**place, "text": {"field": "shown"}, "color": ink}},
    ]
    best = [f"{metric.name}: {_best(rows, metric.name)}" for metric in metrics]
    alt = (
        f"Heat map of {counted(len(names), 'system')} by {counted(len(metrics), 'metric')}. "
        f"Best on {listed(best, len(best))}."
    )
    note = "Colours compare the systems of one metric: the strongest is its best" if len(names) > 1 else ""
    shown = tuple({name: row[name] for name in ("system", "metric", "value")} for row in rows)
    return Drawing(spec(layers, rows, **STEP), subject.title or "Systems by metrics", alt, shown, note)


def _columns(subject: Subject) -> list[BoundMetric]:
    """Those asked for; else all that the results share and somebody wanted to see."""
    if subject.metrics:
        return list({bound.name: bound for bound in map(subject.find, subject.metrics)}.values())
    found = [metric for metric in subject.shared if metric.name not in subject.results[0].beside] or subject.shared
    if not found:
        raise UsageError("the results have no metric with figures in common")
    return found


def _rows(metric: BoundMetric, names: Sequence[str], values: Sequence[float]) -> list[dict[str, Any]]:
    """A cell for each system, with its share of the way from the worst to the best."""
    figures = Figures()
    known = [value for value in values if math.isfinite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    best, worst = (high, low) if metric.metric.higher_is_better else (low, high)
    return [
        {
            "system": name,
            "metric": metric.name,
            "value": value,
            "shown": figures.value(metric, value),
            "share": (value - worst) / (best - worst) if high > low and math.isfinite(value) else 0.0,
        }
        for name, value in zip(names, values, strict=True)
    ]


def _best(rows: Sequence[dict[str, Any]], metric: str) -> str:
    """The best system and its figure; none of those that have no figure."""
    known = [row for row in rows if row["metric"] == metric and math.isfinite(row["value"])]
    best = max(known, key=lambda row: row["share"])
    return f"{best['system']} {best['shown']}"


CHART = Chart("heat_map", heat_map, takes=("metrics",))
