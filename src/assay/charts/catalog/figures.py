"""Values of systems: as bars, by slices of the queries, and as a heat map of several metrics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from assay.charts.chart import Chart, Drawing, Spec, Subject
from assay.charts.spec import (
    BETTER,
    DEEP,
    EQUAL,
    ON_DEEP,
    ON_PALE,
    PALE,
    best_of,
    category,
    distinguishing_channels,
    label,
    labels,
    listed,
    metric_scale,
    metric_title,
    number_format,
    quantity,
    spec,
    tooltip,
)
from assay.comparison import Figures, Part, slice_results
from assay.errors import UsageError
from assay.evaluation import Result, with_intervals
from assay.metrics import BoundMetric
from assay.text import counted

MAX_SLICED_SYSTEMS = 12
"""Systems that fit into each slice."""
SLICE_STEP = 15
"""Height of each system inside a slice."""
MAX_SLICES = 40
"""Slices that fit on a page. If there are more, those with the most queries are drawn."""


def slices(subject: Subject) -> Drawing:
    """The value of each system on each slice of the queries, with its confidence interval.

    Slices are in their natural order (easy, medium, hard), with their number of queries. Small slices have wide intervals.
    """
    if not subject.by:
        raise UsageError("the chart slices needs a tag, such as by='difficulty'")
    metric = subject.bound
    subject, fewer = best_of(subject, metric, MAX_SLICED_SYSTEMS)
    sliced = slice_results(subject.results, subject.by, metrics=[metric])[0]
    names = labels([result.name or "run" for result in sliced.whole])
    parts = _largest(sliced.parts)
    rows = [row for part in parts for row in _slice_rows(part, names, metric.name)]
    figures = Figures()
    descriptions = [f"{row['slice']}, {row['system']}: {figures.value(metric, row['value'])}" for row in rows]
    lost = len(sliced.parts) - len(parts)
    note = f"The {len(parts)} slices with the most queries, of {len(sliced.parts):,}" if lost else ""
    note = ". ".join(filter(None, (note, fewer)))
    head = sliced.head or subject.by
    title = subject.title or f"{metric.name} by {head}"
    height = {"step": SLICE_STEP * len(names) + 12, "for": "position"}
    drawn = spec(_slice_layers(metric, names, head), rows, height=height)
    return Drawing(drawn, title, f"{metric.name} by {head}: {listed(descriptions, 20)}.", tuple(rows), note)


def _largest(parts: Sequence[Part]) -> list[Part]:
    """The slices with the most queries, in their original order."""
    most = sorted(range(len(parts)), key=lambda place: -parts[place].slice.n)[:MAX_SLICES]
    return [parts[place] for place in sorted(most)]


def _slice_rows(part: Part, names: Sequence[str], metric: str) -> list[dict[str, Any]]:
    """A row for each system; the ends of its interval are nan if it has none."""
    rows = []
    for name, result in zip(names, part.results, strict=True):
        interval = result.intervals.get(metric)
        low, high = (interval.low, interval.high) if interval else (math.nan, math.nan)
        head = f"{label(part.slice.value, 32)} ({part.slice.n:,})"
        rows.append({"slice": head, "system": name, "value": result[metric], "low": low, "high": high})
    return rows


def _slice_layers(metric: BoundMetric, names: Sequence[str], head: str) -> list[Spec]:
    """The interval of each system in its slice, and the point on it."""
    title, scale = metric_title(metric), metric_scale(metric)
    place = {
        "y": category("slice", f"{head} (queries)", axis={"grid": True, "tickBand": "extent"}),
        "yOffset": category("system", scale={"domain": list(names)}),
    }
    apart = distinguishing_channels("system", names)
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


SLICES = Chart("slices", slices, takes=("metric", "by"))


def intervals_of(results: Sequence[Result], metric: str) -> tuple[str, list[tuple[float, float]]]:
    """The level as text, and the ends of each result's interval (nan if it has none).

    If all results have intervals at the same level, these are used. Otherwise 95 % intervals are computed.
    """
    intervals = [result.intervals.get(metric) for result in results]
    if None in intervals or len({interval.level for interval in intervals if interval}) != 1:
        intervals = [with_intervals(result, metrics=[metric]).intervals.get(metric) for result in results]
    level = next((interval.level for interval in intervals if interval), 0.95)
    return f"{100 * level:g} %", [
        (interval.low, interval.high) if interval else (math.nan, math.nan) for interval in intervals
    ]


BAR_STEP = 34
"""Height of a bar and the gap to the next."""


def bars(subject: Subject) -> Drawing:
    """The value of each system on one metric, with its confidence interval.

    Systems are in the order given. If an interval is unknown, the bar has none.
    """
    metric = subject.bound
    subject, fewer = best_of(subject, metric)
    figures = Figures()
    level, intervals = intervals_of(subject.results, metric.name)
    rows: list[dict[str, Any]] = []
    for name, result, (low, high) in zip(labels(subject.names), subject.results, intervals, strict=True):
        value = result[metric.name]
        rows.append({"system": name, "value": value, "low": low, "high": high, "shown": figures.value(metric, value)})
    descriptions = []
    for row in rows:
        ends = [figures.value(metric, row[end]) for end in ("low", "high")]
        descriptions.append(f"{row['system']} {row['shown']}" + ("" if math.isnan(row["low"]) else f" [{', '.join(ends)}]"))
    is_known = not all(math.isnan(row["low"]) for row in rows)
    title = subject.title or metric.name
    alt = f"Bar chart of {metric.name}: {listed(descriptions)}."
    table_rows = tuple({name: row[name] for name in ("system", "value", "low", "high")} for row in rows)
    note = (
        f"The lines on the bars are {level} confidence intervals" if is_known else "Confidence intervals are not available"
    )
    note = ". ".join(filter(None, (note, fewer)))
    return Drawing(spec(_bar_layers(metric), rows, height={"step": BAR_STEP}), title, alt, table_rows, note)


def _bar_layers(metric: BoundMetric) -> list[Spec]:
    """The bar, its interval with both ends, and the value after it."""
    title = metric_title(metric)
    hover = tooltip(("system", "system"), *((name, name, number_format(metric)) for name in ("value", "low", "high")))
    layers: list[Spec] = [
        {
            "mark": {"type": "bar", "color": BETTER, "height": {"band": 0.62}},
            "encoding": {"x": quantity("value", title, scale=metric_scale(metric))},
        },
        {
            "mark": {"type": "rule", "strokeWidth": 1.6},
            "encoding": {"x": quantity("low", title), "x2": {"field": "high"}},
        },
        *(
            {"mark": {"type": "tick", "size": 9, "thickness": 1.6}, "encoding": {"x": quantity(end, title)}}
            for end in ("low", "high")
        ),
        {
            "transform": [{"calculate": "max(datum.value, datum.high)", "as": "end"}],
            "mark": {"type": "text", "align": "left", "dx": 7, "fontSize": 11},
            "encoding": {"x": quantity("end", title), "text": {"field": "shown"}},
        },
    ]
    for layer in layers:
        layer["encoding"] |= {"y": category("system"), "tooltip": hover}
    return layers


BARS = Chart("bars", bars)


CELL_STEP = {"width": {"step": 78}, "height": {"step": 32}}
ROUNDING = 1e-12
"""A smaller difference is a rounding error of floats."""
DARK = 0.5
"""Cells above this share of the range are so dark that their values are written in white."""


def heat_map(subject: Subject) -> Drawing:
    """Systems by metrics; a stronger colour is better.

    Each metric has its own scale, from its worst system to its best. If all systems are equal, all cells are grey.
    """
    metrics = _columns(subject)
    subject, fewer = best_of(subject, metrics[0])
    names = labels(subject.names)
    rows = [
        row
        for metric in metrics
        for row in _heat_map_rows(metric, names, [result[metric.name] for result in subject.results])
    ]
    place = {"x": category("metric", axis={"orient": "top", "labelAngle": -30}), "y": category("system")}
    fill = quantity("share", "", scale={"domain": [0, 1], "range": [PALE, DEEP]}, legend=None)
    fill["condition"] = {"test": "datum.is_grey", "value": EQUAL}
    ink = {"condition": {"test": f"datum.share > {DARK}", "value": ON_DEEP}, "value": ON_PALE}
    hover = tooltip(("system", "system"), ("metric", "metric"), ("shown", "value"))
    layers: list[Spec] = [
        {"mark": "rect", "encoding": {**place, "color": fill, "tooltip": hover}},
        {"mark": {"type": "text", "fontSize": 11}, "encoding": {**place, "text": {"field": "shown"}, "color": ink}},
    ]
    best = [f"{metric.name}: {_best(rows, metric.name)}" for metric in metrics]
    alt = (
        f"Heat map of {counted(len(names), 'system')} by {counted(len(metrics), 'metric')}. "
        f"Best on {listed(best, len(best))}."
    )
    note = "Each metric has its own colours; the strongest colour marks the best system" if len(names) > 1 else ""
    if len(names) > 1 and any(row["is_grey"] for row in rows):
        note += ". Grey: no value, or no difference between the systems"
    note = ". ".join(filter(None, (note, fewer)))
    table_rows = tuple({name: row[name] for name in ("system", "metric", "value")} for row in rows)
    return Drawing(spec(layers, rows, **CELL_STEP), subject.title or "Systems by metrics", alt, table_rows, note)


def _columns(subject: Subject) -> list[BoundMetric]:
    """The metrics in the request; otherwise all requested metrics that the results share."""
    if subject.metrics:
        return list({bound.name: bound for bound in map(subject.find, subject.metrics)}.values())
    metrics = [metric for metric in subject.shared if metric.name not in subject.results[0].beside] or subject.shared
    if not metrics:
        raise UsageError("the results have no metric with values in common")
    return metrics


def _heat_map_rows(metric: BoundMetric, names: Sequence[str], values: Sequence[float]) -> list[dict[str, Any]]:
    """A cell for each system, with its position between the worst (0) and the best (1); grey if there is no order."""
    figures = Figures()
    known = [value for value in values if math.isfinite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    has_order = high - low > ROUNDING
    best, worst = (high, low) if metric.metric.higher_is_better else (low, high)
    return [
        {
            "system": name,
            "metric": metric.name,
            "value": value,
            "shown": figures.value(metric, value),
            "share": (value - worst) / (best - worst) if has_order and math.isfinite(value) else 0.0,
            "is_grey": not has_order or not math.isfinite(value),
        }
        for name, value in zip(names, values, strict=True)
    ]


def _best(rows: Sequence[dict[str, Any]], metric: str) -> str:
    """The best system and its value, if the systems differ; systems without a value are left out."""
    known = [row for row in rows if row["metric"] == metric and math.isfinite(row["value"])]
    if len(known) > 1 and known[0]["is_grey"]:
        return f"all equal {known[0]['shown']}"
    best = max(known, key=lambda row: row["share"])
    return f"{best['system']} {best['shown']}"


HEAT_MAP = Chart("heat_map", heat_map, takes=("metrics",))
