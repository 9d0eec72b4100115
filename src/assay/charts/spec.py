"""Pieces of specifications: axes of metrics, colours that everybody can tell apart, themes, and short names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from assay.charts.chart import Row, Spec, harmless
from assay.metrics import BoundMetric
from assay.text import display_width

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH, HEIGHT = 560, 320
MAX_POINTS = 5_000
"""Points that a browser still draws at once; beyond, they are counted in cells, or fewer are drawn."""
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#7f7f7f", "#5b4ea0", "#b2182b")
"""Okabe and Ito's, which colour-blind people can tell apart, and a few more."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross")
DASHES = ([1, 0], [7, 3], [2, 2])
"""For more systems than there are colours."""
BETTER, WORSE, SAME = "#0072b2", "#d55e00", "#8f8f8f"
PALE, DEEP = "#eef4f9", "#08519c"
"""Ends of a scale from worst to best."""
ON_PALE, ON_DEEP = "#1c2025", "#ffffff"
"""Letters on them."""
FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif"
LABEL_POINTS = 310
"""As wide as a name may be."""
LONG_LEGEND = 26
"""Letters of a name from which on the names stand below the plot, not beside it."""
INK = {
    "light": ("#1c2024", "#d8dce0", "#ffffff"),
    "dark": ("#e6e8ea", "#3a4046", "#15181b"),
    "page": ("currentColor", "#8a929a55", None),
}
"""Theme → colours of text, of lines and of the ground; `page` takes the page's own."""
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
    PALE: "#1e2a34",
    DEEP: "#2a72b5",
    ON_PALE: "#e6e8ea",
}
"""Colours that would be too dim on a dark ground, or glare there, and what stands for them."""


def spec(layers: Sequence[Spec] | Spec, rows: Iterable[Row], **more: Any) -> Spec:
    """A specification over rows: one mark, or several in layers."""
    body = {"layer": list(layers)} if isinstance(layers, Sequence) else dict(layers)
    return {"$schema": SCHEMA, "width": WIDTH, "height": HEIGHT, "data": {"values": list(rows)}, **body, **more}


def quantity(field: str, title: str, **more: Any) -> Spec:
    """An axis of numbers."""
    return {"field": field, "type": "quantitative", "title": title, **more}


def category(field: str, title: str | None = None, **more: Any) -> Spec:
    """An axis of names, in the order of the rows."""
    return {"field": field, "type": "nominal", "title": title, "sort": None, **more}


def colour(field: str, names: Sequence[str], title: str | None = None, **more: Any) -> Spec:
    """A colour for each name, the same wherever the names come in the same order."""
    return category(
        field, title, scale=_in_turn(names, [COLOURS[place % len(COLOURS)] for place in range(len(names))]), **more
    )


def distinguishing_channels(field: str, names: Sequence[str], by: str = "shape") -> Spec:
    """The encodings that tell systems apart: colours, and where these run out shapes, or dashes (`strokeDash`), as well."""
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
    """Colours of better, same and worse, or of those of them that are drawn."""
    inks = {"better": BETTER, "same": SAME, "worse": WORSE}
    drawn = words or tuple(inks)
    scale = _in_turn(drawn, [inks[word] for word in drawn])
    return category("outcome", "candidate is", scale=scale, legend={"symbolOpacity": 1})


def _in_turn(names: Sequence[str], values: Sequence[Any]) -> Spec:
    return {"domain": list(names), "range": list(values)}


def metric_title(metric: BoundMetric) -> str:
    """What an axis of the metric says: its name, the unit of times, and which way is better where that is down."""
    return f"{with_unit(metric)}{'' if metric.metric.higher_is_better else ', lower is better'}"


def with_unit(metric: BoundMetric) -> str:
    """The metric's name, and the unit of times."""
    return f"{metric.name} (ms)" if metric.metric.view == "timing" else metric.name


def metric_scale(metric: BoundMetric) -> Spec:
    """From 0 to 1 for a metric that lies there, so that charts can be laid side by side."""
    return {"domain": [0, 1]} if metric.metric.range == (0.0, 1.0) else {"zero": True}


def number_format(metric: BoundMetric) -> str:
    """How a tooltip writes a figure."""
    return ".2f" if metric.metric.view == "timing" else ".4f"


def tooltip(*fields: tuple[str, str] | tuple[str, str, str]) -> list[Spec]:
    """What hovering shows: field, title, and a format for numbers."""
    return [
        {"field": field, "title": title, **({"format": how[0], "type": "quantitative"} if how else {"type": "nominal"})}
        for field, title, *how in fields
    ]


def themed(plain: Spec, theme: str = "light") -> Spec:
    """The specification in the colours of a theme; `page` has no background, and takes the page's colour for text."""
    ink, faint, back = INK[theme]
    lines = {"gridColor": faint, "domainColor": faint, "tickColor": faint}
    words = {"labelColor": ink, "titleColor": ink, "titleFontWeight": "normal", "labelLimit": LABEL_POINTS}
    config: Spec = {
        "aria": False,  # the whole chart has its words; labels of thousands of marks would be read instead
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
    """The same with the colours of a dark ground. Colours are the only texts that are replaced: data are left alone."""
    if isinstance(part, dict):
        return {name: value if name == "data" else _recolour(value) for name, value in part.items()}
    if isinstance(part, list):
        return [_recolour(value) for value in part]
    return ON_DARK.get(part, part) if isinstance(part, str) else part


LONGEST_NAME = 44
"""Columns of a name on an axis."""


def label(name: str, most: int = LONGEST_NAME) -> str:
    """A name as an axis shows it. Of a long one the middle is left out, for names mostly differ at an end."""
    text = harmless(name)
    if display_width(text) <= most:
        return text
    tail = _fitting(text[::-1], most // 3)[::-1]
    return f"{_fitting(text, most - 1 - display_width(tail))}…{tail}"


def labels(names: Sequence[str]) -> list[str]:
    """Names as an axis shows them; those that look alike then get numbers."""
    short = [label(name) for name in names]
    return [
        text if short.count(text) == 1 else f"{label(text, LONGEST_NAME - 5)} ({place})"
        for place, text in enumerate(short, 1)
    ]


def listed(parts: Sequence[str], most: int = 12) -> str:
    """A sentence's list, cut where it grows long."""
    text = "; ".join(parts[:most])
    return text if len(parts) <= most else f"{text}; and {len(parts) - most} more"


def _fitting(text: str, columns: int) -> str:
    """The beginning of a text, as much as fits."""
    end = 0
    while end < len(text) and display_width(text[: end + 1]) <= columns:
        end += 1
    return text[:end]
