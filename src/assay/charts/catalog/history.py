"""history: a metric over time, with one line per series; steps, spikes and baselines are marked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any

from assay.charts.chart import Chart, Drawing, Row, Spec, Subject
from assay.charts.periods import by_period, nice_domain, spread, time_of
from assay.charts.spec import (
    BETTER,
    HEIGHT,
    SAME,
    WORSE,
    distinguishing_channels,
    label,
    labels,
    listed,
    metric_title,
    number_format,
    quantity,
    sentence,
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
MAX_SERIES = 30
"""Series in one chart. If there are more, the newest are drawn."""
LONGEST_LABEL = 22
"""The largest width of a name at the end of a line, in columns."""
LABEL_STEP = 14
"""Distance between two such names, in points."""
SHOWN = ("series", "started", "evaluation", "value", "low", "high", "mark", "blessed as")


def history(subject: Subject) -> Drawing:
    """A metric over time, with one line per series; steps, spikes and baselines are marked.

    An evaluation without a value leaves a gap. The axis covers only the range of the values, so small steps are visible.
    The shaded interval and the lines of baselines are those of one series. Series with many values are drawn by week or by
    another period.
    """
    metric = subject.series[0].bound
    lines = _newest(subject.series)
    names = labels(_short_names(lines))
    title = subject.title or f"{metric.name} over time{_on(lines)}"
    focus = next((place for place, line in enumerate(lines) if line.name == subject.focus), _usual_focus(lines))
    all_rows = [
        _rows(name, line, subject, is_focus=place == focus)
        for place, (name, line) in enumerate(zip(names, lines, strict=True))
    ]
    if not any(line.defined for line in lines):
        nothing = f"There are no values of {metric.name} for {listed(names)}."
        return Drawing(sentence(nothing), title, nothing, _table(row for rows in all_rows for row in rows))
    by_line, period = by_period(all_rows)
    drawn = [row for rows in by_line for row in rows]
    alt = f"{metric.name} over time. {_in_words(names, lines, metric)}"
    note = ". ".join(filter(None, (_note(names[focus], drawn, period), _fewer(subject.series, lines))))
    short = dict(zip(names, labels(_short_names(lines), LONGEST_LABEL), strict=True))
    body = spec(_layers(subject, metric, short, drawn, by_line[focus]), drawn, height=_height(names))
    return Drawing(body, title, alt, _table(drawn), note)


def _newest(series: Sequence[Series]) -> Sequence[Series]:
    """The series that are drawn: all, or those with the newest values if there are too many."""
    if len(series) <= MAX_SERIES:
        return series
    order = sorted(range(len(series)), key=lambda place: _last(series[place]), reverse=True)
    return [series[place] for place in sorted(order[:MAX_SERIES])]


def _fewer(series: Sequence[Series], drawn: Sequence[Series]) -> str:
    return f"The {len(drawn)} series with the newest values, of {len(series):,}" if len(drawn) < len(series) else ""


def _last(line: Series) -> str:
    """When the last value was measured; empty if there is none."""
    return line.defined[-1].started if line.defined else ""


def _usual_focus(lines: Sequence[Series]) -> int:
    """The series with the newest value; if several are as new, the first."""
    return max(range(len(lines)), key=lambda place: (_last(lines[place]), -place))


def _short_names(lines: Sequence[Series]) -> list[str]:
    """The names of the series, without the benchmark if all have the same."""
    if len({line.benchmark for line in lines}) > 1:
        return [line.name for line in lines]
    return [" · ".join(filter(None, (line.provider, line.data))) or line.name for line in lines]


def _on(lines: Sequence[Series]) -> str:
    names = {line.benchmark for line in lines}
    return f" on {names.pop()}" if len(names) == 1 and lines[0].benchmark else ""


def _height(names: Collection[str]) -> int:
    return max(HEIGHT, LABEL_STEP * len(names))


def _rows(name: str, series: Series, subject: Subject, *, is_focus: bool) -> list[dict[str, Any]]:
    """A row for each point, with its mark: a change, or a baseline."""
    changes = {change.place: change for change in series.changes}
    rows = []
    for place, point in enumerate(series.points):
        change = changes.get(place)
        blessed = subject.baselines.get(point.evaluation, "") or ("baseline" if point.was_baseline else "")
        mark = (SEEN if change.is_only_seen else change.direction) if change else "baseline" if blessed else ""
        about = {"series": name, "started": point.started, "evaluation": point.evaluation}
        figures = {"value": point.value, "low": point.low, "high": point.high}
        link = subject.links.get((series.name, point.evaluation), "")
        place_of = {"data": point.dataset, "link": link, "is_focus": is_focus, "is_on_line": True}
        rows.append({**about, **figures, "mark": mark, "blessed as": blessed, **place_of})
    return rows


def _table(rows: Any) -> tuple[Row, ...]:
    """The rows for readers, without what only the drawing needs; with the number of evaluations if there are periods."""
    listed_rows = list(rows)
    has_periods = any("evaluations" in row for row in listed_rows)
    counts = [{"evaluations": row.get("evaluations", 1)} if has_periods else {} for row in listed_rows]
    return tuple({**{name: row[name] for name in SHOWN}, **count} for row, count in zip(listed_rows, counts, strict=True))


def _in_words(names: Sequence[str], lines: Sequence[Series], metric: BoundMetric) -> str:
    """The first and the last value of each series, and the changes."""
    ends = [_from_to(name, line, metric) for name, line in zip(names, lines, strict=True) if line.defined]
    changes = [change for name, line in zip(names, lines, strict=True) for change in _changes(name, line, metric)]
    return f"{listed(ends)}. " + (f"Changes: {listed(changes)}." if changes else _unchanged(lines))


def _note(name: str, rows: Sequence[Mapping[str, Any]], period: str) -> str:
    """What the shaded range and the points mean."""
    if period:
        mean = f"Each point is the mean of one {period}" if period.isalpha() else f"Each point is the mean of {period}"
        marked = "; marked evaluations are drawn one by one" if any(row["mark"] for row in rows) else ""
        return f"{mean}; shaded: from the lowest to the highest value of {name}{marked}"
    has_band = any(row["is_focus"] and row["low"] is not None for row in rows)
    return f"Shaded: the confidence interval of {name}" if has_band and len({row["series"] for row in rows}) > 1 else ""


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


def _time_format(rows: Sequence[Mapping[str, Any]]) -> str:
    """Show days; hours if all points are within a few days, and seconds if they are within minutes."""
    times = [time_of(row["started"]) for row in rows]
    known = [time for time in times if time is not None]
    if not known or len(known) < len(times):
        return "%Y-%m-%d"
    span = max(known) - min(known)
    return next((time_format for most, time_format in SPANS.items() if span <= most), "%Y-%m-%d")


def _layers(
    subject: Subject,
    metric: BoundMetric,
    short: Mapping[str, str],
    rows: Sequence[dict[str, Any]],
    focus: Sequence[dict[str, Any]],
) -> list[Spec]:
    """The interval of one series, its baselines, the lines with their points and names, and marks around some points."""
    baselines = [row for row in focus if row["evaluation"] in subject.baselines and row["mark"] and row["value"] is not None]
    ends = [row[end] for row in focus for end in ("low", "high")]
    low, high = nice_domain([*(row["value"] for row in rows), *ends])
    axis = {"format": _time_format(rows), "labelOverlap": True, "labelSeparation": 8, "tickCount": 8}
    x: Spec = {"field": "started", "type": "temporal", "title": None, "axis": axis, "scale": {"type": "utc"}}
    y = quantity("value", metric_title(metric), scale={"domain": [low, high], "nice": False, "zero": False})
    channels = distinguishing_channels("series", list(short), "strokeDash")
    colour = {**channels["color"], "legend": None}
    apart = {name: {**channel, "legend": None} for name, channel in channels.items()}
    on_line = [{"filter": "datum.is_on_line"}]
    hover = _hover(metric, rows)
    place: Spec = {"x": x, "y": y, "tooltip": hover, **({"href": {"field": "link"}} if subject.links else {})}
    marks = [mark for mark in MARKS if any(row["mark"] == mark for row in rows)]
    is_dense = len(rows) > MAX_DOTS
    return [
        {
            "transform": [{"filter": "datum.is_focus && datum.is_on_line"}],
            "mark": {"type": "area", "opacity": 0.16},
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour},
        },
        *_name_layers(_names_at_ends(rows, baselines, (low, high), short), x, y, colour),
        {"transform": on_line, "mark": {"type": "line", "strokeWidth": 1.8}, "encoding": {"x": x, "y": y, **apart}},
        {
            "transform": on_line,
            "mark": {"type": "point", "filled": True, "size": 12 if is_dense else 26, "opacity": 1},
            "encoding": {**place, "color": colour},
        },
        *([_marks(place, marks)] if marks else []),
    ]


MAX_DOTS = 400
"""With more points, each is smaller."""


def _hover(metric: BoundMetric, rows: Sequence[Mapping[str, Any]]) -> list[Spec]:
    counts = [("evaluations", "evaluations")] if any("evaluations" in row for row in rows) else []
    return tooltip(
        *((name, name) for name in ("series", "started", "evaluation")),
        ("value", metric.name, number_format(metric)),
        ("mark", "mark"),
        ("blessed as", "blessed as"),
        *counts,
    )


def _names_at_ends(
    rows: Sequence[Mapping[str, Any]],
    baselines: Sequence[Mapping[str, Any]],
    domain: tuple[float, float],
    short: Mapping[str, str],
) -> list[dict[str, Any]]:
    """The end of each line and of each baseline, and where its name is: moved so that no names overlap."""
    last = {row["series"]: row for row in rows if row["is_on_line"] and row["value"] is not None}
    ends: list[dict[str, Any]] = [
        {"series": name, "started": row["started"], "value": row["value"]} for name, row in last.items()
    ]
    newest = max(end["started"] for end in ends)
    ends += [
        {"series": f"baseline {row['blessed as']}", "started": newest, "value": row["value"], "is_baseline": True}
        for row in baselines
    ]
    for end in ends:
        end["label"] = short.get(end["series"]) or label(end["series"], LONGEST_LABEL)
    low, high = domain
    places = spread([end["value"] for end in ends], (high - low) * LABEL_STEP / _height(short), low, high)
    return [{"is_baseline": False, **end, "at": at} for end, at in zip(ends, places, strict=True)]


def _name_layers(ends: Sequence[Mapping[str, Any]], x: Spec, y: Spec, colour: Spec) -> list[Spec]:
    """The lines of baselines, the names to the right of the plot, and a thin line from each name to its line."""
    data = {"values": list(ends)}
    is_baseline = [{"filter": "datum.is_baseline"}]
    dashed = {"type": "rule", "strokeDash": [5, 4], "strokeWidth": 1.2, "color": SAME}
    lead = {"type": "rule", "strokeWidth": 1.6}
    slope = {"x": x, "x2": {"value": {"expr": "width + 8"}}, "y": y, "y2": {"field": "at"}}
    text = {"type": "text", "align": "left", "dx": 11, "fontSize": 11}
    named = {"x": {"value": "width"}, "y": {**y, "field": "at"}, "text": {"field": "label"}}
    lines: list[Spec] = [
        {"data": data, "transform": is_baseline, "mark": dashed, "encoding": {"y": y}},
        {"data": data, "transform": is_baseline, "mark": {**lead, "color": SAME}, "encoding": slope},
    ]
    return [
        *(lines if any(end["is_baseline"] for end in ends) else []),
        {
            "data": data,
            "transform": [{"filter": "!datum.is_baseline"}],
            "mark": lead,
            "encoding": {**slope, "color": colour},
        },
        {"data": data, "mark": text, "encoding": named},
    ]


def _marks(place: Spec, marks: Sequence[str]) -> Spec:
    """Symbols around the points with a change or a baseline."""
    legend = {"orient": "bottom", "direction": "horizontal", "symbolOpacity": 1}
    marked = {"field": "mark", "type": "nominal", "title": "marked", "legend": legend}
    shapes, inks = ({"domain": list(marks), "range": [MARKS[mark][part] for mark in marks]} for part in (0, 1))
    return {
        "transform": [{"filter": "datum.mark != ''"}],
        "mark": {"type": "point", "filled": False, "size": 170, "strokeWidth": 2.2, "opacity": 1},
        "encoding": {**place, "shape": {**marked, "scale": shapes}, "stroke": {**marked, "scale": inks}},
    }


HISTORY = Chart("history", history, needs_series=True)
