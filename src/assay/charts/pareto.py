"""pareto: quality against latency; systems on the line are beaten by no other in both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from assay.charts._chart import Chart, Drawing, Spec, Subject
from assay.charts._names import labels, listed
from assay.charts._spec import SAME, metric_scale, metric_title, number_format, quantity, spec, told_apart, tooltip
from assay.comparison import Figures
from assay.errors import UsageError
from assay.metrics import BoundMetric
from assay.text import milliseconds

LATENCY = "latency"


def pareto(subject: Subject) -> Drawing:
    """Quality against latency; systems on the line are beaten by no other in both.

    The latency is the mean per query; times of different machines should not be laid side by side.
    """
    metric = _quality(subject)
    if lacking := [name for name, result in zip(subject.names, subject.results, strict=True) if LATENCY not in result]:
        raise UsageError(f"{', '.join(lacking)}: no times were taken; assay eval takes them, runs from files have none")
    named = list(zip(labels(subject.names), subject.results, strict=True))
    rows: list[dict[str, Any]] = [
        {"system": name, "latency": result[LATENCY], "value": result[metric.name]} for name, result in named
    ]
    rows = _with_unbeaten([row for row in rows if not math.isnan(row["latency"] + row["value"])], metric)
    if not rows:
        raise UsageError(f"no system has both a latency and {metric.name}")
    figures = Figures()
    said = [
        f"{row['system']} {figures.value(metric, row['value'])} at {milliseconds(row['latency'])}"
        + (", beaten by none in both" if row["unbeaten"] else "")
        for row in rows
    ]
    drawn = {row["system"] for row in rows}
    lost = [name for name, _ in named if name not in drawn]
    note = f"Left out, for want of a figure: {listed(lost, 3)}" if lost else ""
    title = subject.title or f"{metric.name} against latency"
    alt = f"{metric.name} against mean latency: {listed(said)}."
    return Drawing(spec(_layers(metric, rows), rows), title, alt, tuple(rows), note)


def _quality(subject: Subject) -> BoundMetric:
    """The metric asked for, or the first that is no time."""
    found = subject.bound if subject.metric else next((one for one in subject.shared if not _is_time(one)), None)
    if found is None or _is_time(found):
        raise UsageError(f"{found.name if found else 'a time'} against latency says nothing; name a metric of quality")
    return found


def _is_time(metric: BoundMetric) -> bool:
    return metric.metric.view == "timing"


def _with_unbeaten(rows: list[dict[str, Any]], metric: BoundMetric) -> list[dict[str, Any]]:
    """The rows, and of each whether nobody is as fast and as good, and better in one of them."""
    sign = 1 if metric.metric.higher_is_better else -1

    def is_beaten(row: dict[str, Any]) -> bool:
        return any(
            other["latency"] <= row["latency"]
            and sign * other["value"] >= sign * row["value"]
            and (other["latency"], other["value"]) != (row["latency"], row["value"])
            for other in rows
        )

    return [{**row, "unbeaten": not is_beaten(row)} for row in rows]


def _layers(metric: BoundMetric, rows: Sequence[dict[str, Any]]) -> list[Spec]:
    """A point for each system, and in steps the best that can be had within a time."""
    scale = {"type": "log"} if all(row["latency"] > 0 for row in rows) else {"zero": True}
    place = {
        "x": quantity("latency", "mean latency per query (ms)", scale=scale),
        "y": quantity("value", metric_title(metric), scale=metric_scale(metric)),
    }
    hover = tooltip(("system", "system"), ("latency", "latency (ms)", ".2f"), ("value", metric.name, number_format(metric)))
    return [
        {
            "transform": [{"filter": "datum.unbeaten"}],
            "mark": {"type": "line", "color": SAME, "strokeDash": [4, 4], "interpolate": "step-after"},
            "encoding": place,
        },
        {
            "mark": {"type": "point", "filled": True, "size": 110, "opacity": 1},
            "encoding": {**place, **told_apart("system", [row["system"] for row in rows]), "tooltip": hover},
        },
    ]


CHART = Chart("pareto", pareto)
