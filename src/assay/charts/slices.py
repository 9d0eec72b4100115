"""slices: the figure of each system on queries that share a tag, with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from assay.charts._chart import Chart, Drawing, Spec, Subject
from assay.charts._names import label, labels, listed
from assay.charts._spec import category, metric_scale, metric_title, number_format, quantity, spec, told_apart, tooltip
from assay.comparison import Figures, Part, slice_results
from assay.errors import UsageError
from assay.metrics import BoundMetric

STEP = 15
"""Height for each system inside a slice."""
MOST_SLICES = 40
"""Slices that still fit a page; of more, those with most queries are drawn."""


def slices(subject: Subject) -> Drawing:
    """The figure of each system on queries that share a tag, with its interval.

    Slices stand in their own order (easy, medium, hard), with their number of queries; small ones have wide intervals.
    """
    if not subject.by:
        raise UsageError("slices need a tag, such as by='difficulty'")
    metric = subject.bound
    sliced = slice_results(subject.results, subject.by, metrics=[metric])[0]
    names = labels([result.name or "run" for result in sliced.whole])
    parts = _largest(sliced.parts)
    rows = [row for part in parts for row in _rows(part, names, metric.name)]
    figures = Figures()
    said = [f"{row['slice']}, {row['system']}: {figures.value(metric, row['value'])}" for row in rows]
    lost = len(sliced.parts) - len(parts)
    note = f"The {len(parts)} slices with most queries, of {len(sliced.parts):,}" if lost else ""
    head = sliced.head or subject.by
    title = subject.title or f"{metric.name} by {head}"
    height = {"step": STEP * len(names) + 12, "for": "position"}
    drawn = spec(_layers(metric, names, head), rows, height=height)
    return Drawing(drawn, title, f"{metric.name} by {head}: {listed(said, 20)}.", tuple(rows), note)


def _largest(parts: Sequence[Part]) -> list[Part]:
    """Those with most queries, in the order they had."""
    most = sorted(range(len(parts)), key=lambda place: -parts[place].slice.n)[:MOST_SLICES]
    return [parts[place] for place in sorted(most)]


def _rows(part: Part, names: Sequence[str], metric: str) -> list[dict[str, Any]]:
    """A row for each system; the ends of its interval are nan where it has none."""
    rows = []
    for name, result in zip(names, part.results, strict=True):
        found = result.intervals.get(metric)
        low, high = (found.low, found.high) if found else (math.nan, math.nan)
        head = f"{label(part.slice.value, 32)} ({part.slice.n:,})"
        rows.append({"slice": head, "system": name, "value": result[metric], "low": low, "high": high})
    return rows


def _layers(metric: BoundMetric, names: Sequence[str], head: str) -> list[Spec]:
    """The interval of each system in its slice, and the point on it."""
    title, scale = metric_title(metric), metric_scale(metric)
    place = {
        "y": category("slice", f"{head} (queries)", axis={"grid": True, "tickBand": "extent"}),
        "yOffset": category("system", scale={"domain": list(names)}),
    }
    apart = told_apart("system", names)
    figures = tuple((name, name, number_format(metric)) for name in ("value", "low", "high"))
    hover = tooltip(("slice", "slice (queries)"), ("system", "system"), *figures)
    return [
        {
            "mark": {"type": "rule", "strokeWidth": 1.6},
            "encoding": {
                **place,
                "color": apart["color"],
                "tooltip": hover,
                "x": quantity("low", title, scale=scale),
                "x2": {"field": "high"},
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
            "encoding": {**place, **apart, "x": quantity("value", title, scale=scale), "tooltip": hover},
        },
    ]


CHART = Chart("slices", slices, takes=("metric", "by"))
