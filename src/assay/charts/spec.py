"""Parts of specifications: axes of metrics, colours that are safe for colour-blind readers, themes, and short names."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from assay.charts.chart import Row, Spec, Subject, harmless
from assay.metrics import BoundMetric
from assay.text import short_names, shorten_middle, wrapped

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH, HEIGHT = 560, 320
MAX_POINTS = 5_000
"""Points that a browser draws without delay. If there are more, they are counted in cells, or fewer are drawn."""
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#7f7f7f", "#5b4ea0", "#b2182b")
"""The palette of Okabe and Ito, which colour-blind people can distinguish, and a few more."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross")
DASHES = ([1, 0], [7, 3], [2, 2])
"""Used if there are more systems than colours."""
BETTER, WORSE, SAME = "#1a7f37", "#d1242f", "#8f8f8f"
PALE, DEEP = "#eef4f9", "#08519c"
"""The ends of a scale from worst to best."""
EQUAL = "#dcdcdc"
"""The colour of values that are all equal: neither good nor bad."""
ON_PALE, ON_DEEP = "#1c2025", "#ffffff"
"""The colours of text on them."""
FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif"
LABEL_POINTS = 310
"""The largest width of a name."""
SENTENCE_WIDTH = 76
"""Characters per line of a sentence in place of a chart."""
LONG_LEGEND = 26
"""If a name has more characters, the names are below the plot, not next to it."""
INK = {
    "light": ("#1c2024", "#d8dce0", "#ffffff"),
    "dark": ("#e6e8ea", "#3a4046", "#15181b"),
    "page": ("currentColor", "#8a929a55", None),
}
"""Theme → colours of text, lines and background; `page` uses the colours of the page."""
ON_DARK = {
    "#0072b2": "#4ba3dc",
    "#d55e00": "#f0812f",
    "#009e73": "#27b88f",
    "#8c6d31": "#b8954f",
    "#7f7f7f": "#a0a0a0",
    "#56b4e9": "#b5e3fb",
    "#e69f00": "#ffd24d",
    "#5b4ea0": "#9a8ee0",
    "#b2182b": "#ea5b68",
    BETTER: "#3fb950",
    WORSE: "#f85149",
    PALE: "#1e2a34",
    EQUAL: "#43474b",
    DEEP: "#2a72b5",
    ON_PALE: "#e6e8ea",
}
"""Colours that would be too dim or too bright on a dark background, and their replacements."""


def spec(layers: Sequence[Spec] | Spec, rows: Iterable[Row], **more: Any) -> Spec:
    """A specification for rows: one mark, or several in layers."""
    body = {"layer": list(layers)} if isinstance(layers, Sequence) else dict(layers)
    return {"$schema": SCHEMA, "width": WIDTH, "height": HEIGHT, "data": {"values": list(rows)}, **body, **more}


def sentence(text: str) -> Spec:
    """A specification that shows a sentence, if there is nothing to draw."""
    mark = {"type": "text", "fontSize": 13, "align": "left", "baseline": "top", "lineBreak": "\n"}
    lines = wrapped(harmless(text), SENTENCE_WIDTH)
    body: Spec = {"mark": mark, "encoding": {"x": {"value": 0}, "y": {"value": 4}, "text": {"field": "text"}}}
    return spec(body, [{"text": lines}], height=18 * (1 + lines.count("\n")) + 6)


def quantity(field: str, title: str, **more: Any) -> Spec:
    """An axis of numbers."""
    return {"field": field, "type": "quantitative", "title": title, **more}


def category(field: str, title: str | None = None, **more: Any) -> Spec:
    """An axis of names, in the order of the rows."""
    return {"field": field, "type": "nominal", "title": title, "sort": None, **more}


def colour(field: str, names: Sequence[str], title: str | None = None, **more: Any) -> Spec:
    """A colour for each name; charts with the same names in the same order use the same colours."""
    return category(
        field, title, scale=_in_turn(names, [COLOURS[place % len(COLOURS)] for place in range(len(names))]), **more
    )


def distinguishing_channels(field: str, names: Sequence[str], by: str = "shape") -> Spec:
    """The encodings that distinguish systems: colours, and if these run out also shapes or dashes (`strokeDash`)."""
    how: Spec = {"symbolOpacity": 1, **({"symbolType": "stroke"} if by == "strokeDash" else {})}
    if max(map(len, names), default=0) > LONG_LEGEND:
        how |= {"orient": "bottom", "columns": 1, "direction": "vertical"}
    channels = {"color": colour(field, names, legend=how)}
    if len(names) > len(COLOURS):
        others: Sequence[Any] = SHAPES if by == "shape" else DASHES
        turns = [others[place // len(COLOURS) % len(others)] for place in range(len(names))]
        channels[by] = category(field, scale=_in_turn(names, turns), legend=how)
    return channels


def outcome_colour(*words: str) -> Spec:
    """The colours of better, same and worse, or only of those that are drawn."""
    inks = {"better": BETTER, "same": SAME, "worse": WORSE}
    drawn = words or tuple(inks)
    scale = _in_turn(drawn, [inks[word] for word in drawn])
    return category("outcome", "candidate is", scale=scale, legend={"symbolOpacity": 1})


def _in_turn(names: Sequence[str], values: Sequence[Any]) -> Spec:
    return {"domain": list(names), "range": list(values)}


def metric_title(metric: BoundMetric) -> str:
    """The title of a metric's axis: its name, the unit of times, and "lower is better" if that is so."""
    return f"{with_unit(metric)}{'' if metric.metric.higher_is_better else ', lower is better'}"


def with_unit(metric: BoundMetric) -> str:
    """The metric's name, with the unit of times."""
    return f"{metric.name} (ms)" if metric.metric.view == "timing" else metric.name


def metric_scale(metric: BoundMetric) -> Spec:
    """From 0 to 1 if that is the range of the metric, so that charts can be compared side by side."""
    return {"domain": [0, 1]} if metric.metric.range == (0.0, 1.0) else {"zero": True}


def number_format(metric: BoundMetric) -> str:
    """How a tooltip formats a value."""
    return ".2f" if metric.metric.view == "timing" else ".4f"


def tooltip(*fields: tuple[str, str] | tuple[str, str, str]) -> list[Spec]:
    """The tooltip: field, title, and a format for numbers."""
    return [
        {"field": field, "title": title, **({"format": how[0], "type": "quantitative"} if how else {"type": "nominal"})}
        for field, title, *how in fields
    ]


def themed(plain: Spec, theme: str = "light") -> Spec:
    """The specification in the colours of a theme; `page` has no background and uses the page's text colour."""
    ink, faint, back = INK[theme]
    lines = {"gridColor": faint, "domainColor": faint, "tickColor": faint}
    words = {"labelColor": ink, "titleColor": ink, "titleFontWeight": "normal", "labelLimit": LABEL_POINTS}
    config: Spec = {
        "aria": False,  # the chart has one description; a screen reader would read the labels of thousands of marks instead
        "background": back,
        "font": FONT,
        "axis": {**lines, **words, "labelFlush": False, "labelFontSize": 11, "titleFontSize": 12},
        "legend": {**words, "symbolStrokeWidth": 2},
        "title": {
            "color": ink,
            "anchor": "start",
            "fontSize": 14,
            "fontWeight": 600,
            "offset": 12,
            "subtitleColor": ink,
            "subtitleFontSize": 11,
            "subtitlePadding": 5,
        },
        "text": {"color": ink},
        "rule": {"color": ink},
        "tick": {"color": ink},
        "view": {"stroke": None},
    }
    drawn = {name: part if name == "data" else _recolour(part) for name, part in plain.items()} if theme == "dark" else plain
    own = plain.get("config", {})
    return {**drawn, "config": {**config, **{name: {**config[name], **part} for name, part in own.items()}}}


def _recolour(part: Any) -> Any:
    """The same with the colours for a dark background. Only colours are replaced, never data."""
    if isinstance(part, dict):
        return {name: value if name == "data" else _recolour(value) for name, value in part.items()}
    if isinstance(part, list):
        return [_recolour(value) for value in part]
    return ON_DARK.get(part, part) if isinstance(part, str) else part


LONGEST_NAME = 44
"""The largest width of a name on an axis, in columns."""


def label(name: str, most: int = LONGEST_NAME) -> str:
    """A name as an axis shows it. The middle of a long name is left out, because names mostly differ at the ends."""
    return shorten_middle(harmless(name), most)


def labels(names: Sequence[str], most: int = LONGEST_NAME) -> list[str]:
    """Names as an axis shows them; names that then look the same get numbers."""
    short = short_names([harmless(name) for name in names], most)
    counts = Counter(short)
    return [
        text if counts[text] == 1 else f"{shorten_middle(text, most - 5)} ({place})" for place, text in enumerate(short, 1)
    ]


MAX_SYSTEMS = 40
"""Systems in one chart. If there are more, the best are drawn."""


def best_of(subject: Subject, metric: BoundMetric, most: int = MAX_SYSTEMS) -> tuple[Subject, str]:
    """The subject with its best systems in their order, and a sentence that says so; the same if there are few."""
    n = len(subject.results)
    if n <= most:
        return subject, ""
    sign = -1 if metric.metric.higher_is_better else 1
    values = [result[metric.name] for result in subject.results]
    order = sorted(range(n), key=lambda place: (math.isnan(values[place]), sign * values[place], place))
    best = tuple(subject.results[place] for place in sorted(order[:most]))
    return replace(subject, results=best), f"The {most} systems with the best {metric.name}, of {n:,}"


def listed(parts: Sequence[str], most: int = 12) -> str:
    """A list for a sentence, cut if it is long."""
    text = "; ".join(parts[:most])
    return text if len(parts) <= most else f"{text}; and {len(parts) - most} more"
