"""history: a metric over time, with one line per series; steps, spikes and baselines are marked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from assay.charts.chart import Chart, Drawing, Spec, Subject
from assay.charts.spec import (
    BETTER,
    MAX_POINTS,
    SAME,
    WORSE,
    distinguishing_channels,
    labels,
    listed,
    metric_title,
    number_format,
    quantity,
    spec,
    tooltip,
)
from assay.comparison import Figures
from assay.metrics import BoundMetric
from assay.monitoring import Change, Series
from assay.text import counted

SPANS = {timedelta(minutes=10): "%m-%d %H:%M:%S", timedelta(days=3): "%m-%d %H:%M"}
"""Up to these time spans, the axis shows more than days."""
SEEN = "on these queries only"
MARKS = {
    "better": ("triangle-up", BETTER),
    "worse": ("triangle-down", WORSE),
    SEEN: ("diamond", SAME),
    "baseline": ("square", SAME),
}


def history(subject: Subject) -> Drawing:
    """A metric over time, with one line per series; steps, spikes and baselines are marked.

    An evaluation without a value leaves a gap. The axis covers only the range of the values, so small steps are visible.
    """
    metric = subject.series[0].bound
    names = labels([series.name for series in subject.series])
    rows = [
        row for name, series in zip(names, subject.series, strict=True) for row in _rows(name, series, subject.baselines)
    ]
    drawn = _thinned(rows)
    ends = [_from_to(name, series, metric) for name, series in zip(names, subject.series, strict=True) if series.defined]
    changes = [
        change for name, series in zip(names, subject.series, strict=True) for change in _changes(name, series, metric)
    ]
    changed = f"Changes: {listed(changes)}." if changes else _unchanged(subject.series)
    note = (
        "" if len(drawn) == len(rows) else f"{len(drawn):,} of {len(rows):,} points are drawn, including all marked points"
    )
    title = subject.title or f"{metric.name} over time"
    body = spec(_layers(metric, names, drawn), drawn)
    return Drawing(body, title, f"{metric.name} over time. {listed(ends)}. {changed}", tuple(drawn), note)


def _rows(name: str, series: Series, baselines: Any) -> list[dict[str, Any]]:
    """A row for each point, with its mark: a change, or a baseline."""
    changes = {change.place: change for change in series.changes}
    rows = []
    for place, point in enumerate(series.points):
        change = changes.get(place)
        blessed = baselines.get(point.evaluation, "") or ("baseline" if point.was_baseline else "")
        mark = (SEEN if change.is_only_seen else change.direction) if change else "baseline" if blessed else ""
        about = {"series": name, "started": point.started, "evaluation": point.evaluation}
        figures = {"value": point.value, "low": point.low, "high": point.high}
        rows.append({**about, **figures, "mark": mark, "blessed as": blessed})
    return rows


def _changes(name: str, series: Series, metric: BoundMetric) -> list[str]:
    """Steps and spikes in words."""
    figures = Figures()
    return [
        f"{name} {_moved(change)} on {change.point.started[:10]}, "
        f"from {figures.value(metric, change.before)} to {figures.value(metric, change.after)}"
        for change in series.changes
    ]


def _moved(change: Change) -> str:
    return f"was {change.direction} on these queries" if change.is_only_seen else f"got {change.direction}"


def _from_to(name: str, series: Series, metric: BoundMetric) -> str:
    """The first and the last value, or the only value if there is one evaluation."""
    n, figures = len(series.defined), Figures()
    values = [figures.value(metric, float(series.defined[end].value or 0)) for end in ((0, -1) if n > 1 else (0,))]
    value = f"first {values[0]}, last {values[-1]}," if n > 1 else values[0]
    return f"{name}: {value} in {counted(n, 'evaluation')}"


def _unchanged(series: Sequence[Series]) -> str:
    """The text if there are no changes; with one value per series, none can be detected."""
    if all(len(line.defined) < 2 for line in series):
        return "Changes can be detected from the second evaluation on."
    return "No changes were detected."


def _thinned(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every second, third … point if there are too many; all marked points and the last point stay."""
    step = -(-len(rows) // MAX_POINTS)
    last = len(rows) - 1
    return [row for place, row in enumerate(rows) if place % step == 0 or row["mark"] or place == last]


def _time_format(rows: Sequence[dict[str, Any]]) -> str:
    """Show days; hours if all points are within a few days, and seconds if they are within minutes."""
    try:
        times = [datetime.fromisoformat(row["started"]) for row in rows]
        span = max(times) - min(times)
    except (ValueError, TypeError):  # times written by hand, or some with and some without a time zone
        return "%Y-%m-%d"
    return next((time_format for most, time_format in SPANS.items() if span <= most), "%Y-%m-%d")


def _layers(metric: BoundMetric, names: Sequence[str], rows: Sequence[dict[str, Any]]) -> list[Spec]:
    """Intervals, the line, its points, and the marks around some points."""
    title = metric_title(metric)
    marks = [mark for mark in MARKS if any(row["mark"] == mark for row in rows)]
    axis = {"format": _time_format(rows), "labelOverlap": True, "labelSeparation": 8, "tickCount": 8}
    x: Spec = {"field": "started", "type": "temporal", "title": None, "axis": axis, "scale": {"type": "utc"}}
    y = quantity("value", title, scale={"zero": False, "nice": True})
    line = {"x": x, "y": y, **distinguishing_channels("series", names, "strokeDash")}
    band = {**line, "y": {**y, "field": "low"}, "y2": {"field": "high"}}
    band.pop("strokeDash", None)
    hover = tooltip(
        *((name, name) for name in ("series", "started", "evaluation")),
        ("value", metric.name, number_format(metric)),
        ("mark", "mark"),
        ("blessed as", "blessed as"),
    )
    return [
        {"mark": {"type": "area", "opacity": 0.13}, "encoding": band},
        {"mark": {"type": "line", "strokeWidth": 1.8}, "encoding": line},
        {
            "mark": {"type": "point", "filled": True, "size": 26, "opacity": 1},
            "encoding": {"x": x, "y": y, "color": line["color"], "tooltip": hover},
        },
        *([_marks({"x": x, "y": y, "tooltip": hover}, marks)] if marks else []),
    ]


def _marks(place: Spec, marks: Sequence[str]) -> Spec:
    """Symbols around the points with a change or a baseline."""
    marked = {"field": "mark", "type": "nominal", "title": "mark"}
    shapes, inks = ({"domain": list(marks), "range": [MARKS[mark][part] for mark in marks]} for part in (0, 1))
    return {
        "transform": [{"filter": "datum.mark != ''"}],
        "mark": {"type": "point", "filled": False, "size": 170, "strokeWidth": 2.2, "opacity": 1},
        "encoding": {**place, "shape": {**marked, "scale": shapes}, "stroke": {**marked, "scale": inks}},
    }


HISTORY = Chart("history", history, needs_series=True)
