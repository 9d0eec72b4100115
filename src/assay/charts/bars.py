"""bars: the figure of each system on one metric, with its interval."""

from __future__ import annotations

import math
from typing import Any

from assay.charts._chart import Chart, Drawing, Spec, Subject
from assay.charts._intervals import intervals_of
from assay.charts._names import labels, listed
from assay.charts._spec import BETTER, category, metric_scale, metric_title, number_format, quantity, spec, tooltip
from assay.comparison import Figures
from assay.metrics import BoundMetric

STEP = 34
"""Height of a bar and the gap to the next."""


def bars(subject: Subject) -> Drawing:
    """The figure of each system on one metric, with its interval.

    Systems stand in the order given. Where an interval is not known, the bar has none.
    """
    metric = subject.bound
    figures = Figures()
    level, intervals = intervals_of(subject.results, metric.name)
    rows: list[dict[str, Any]] = []
    for name, result, (low, high) in zip(labels(subject.names), subject.results, intervals, strict=True):
        value = result[metric.name]
        rows.append({"system": name, "value": value, "low": low, "high": high, "shown": figures.value(metric, value)})
    said = []
    for row in rows:
        ends = [figures.value(metric, row[end]) for end in ("low", "high")]
        said.append(f"{row['system']} {row['shown']}" + ("" if math.isnan(row["low"]) else f" [{', '.join(ends)}]"))
    is_known = not all(math.isnan(row["low"]) for row in rows)
    title = subject.title or metric.name
    alt = f"Bars of {metric.name}: {listed(said)}."
    shown = tuple({name: row[name] for name in ("system", "value", "low", "high")} for row in rows)
    note = f"The lines across the bars are {level} intervals" if is_known else "Without intervals, which are not known"
    return Drawing(spec(_layers(metric), rows, height={"step": STEP}), title, alt, shown, note)


def _layers(metric: BoundMetric) -> list[Spec]:
    """The bar, its interval with both ends, and the figure behind it."""
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


CHART = Chart("bars", bars)
