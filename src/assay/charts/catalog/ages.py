"""Ages: quality over the age of the documents that queries look for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from assay.charts.chart import Chart, Drawing, Spec, Subject
from assay.charts.spec import (
    best_of,
    category,
    distinguishing_channels,
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
from assay.metrics import BoundMetric
from assay.model import NONE, RELEVANT_AGE, Tags
from assay.text import counted

MAX_AGED_SYSTEMS = 6
"""Systems that fit side by side at each age."""
WIDTH_PER_SYSTEM = 22


def by_age(subject: Subject) -> Drawing:
    """A metric by the age of the document that a query looks for, with confidence intervals.

    This is the youngest of the best relevant documents. The ages are those when the query was asked. Queries without a time,
    or without relevant documents with times, are left out. Few queries have wide intervals.
    """
    metric = subject.bound
    subject, fewer = best_of(subject, metric, MAX_AGED_SYSTEMS)
    if RELEVANT_AGE not in Tags.of(subject.results).names:
        raise UsageError(
            "by_age needs the ages of relevant documents, which these results do not have. Evaluate a benchmark whose "
            "queries and documents have times, with assay eval or assay score --dataset"
        )
    sliced = slice_results(subject.results, RELEVANT_AGE, metrics=[metric])[0]
    parts, names = sliced.parts, labels([result.name or "run" for result in sliced.whole])
    aged = [part for part in parts if part.slice.values[-1] != NONE]
    rows = [row for part in aged for row in _rows(part, names, metric.name)]
    left_out = sum(part.slice.n for part in parts) - sum(part.slice.n for part in aged)
    undated = f"{counted(left_out, 'query')} without a known age {'is' if left_out == 1 else 'are'} left out"
    figures = Figures()
    words = [f"{row['age']}, {row['system']}: {figures.value(metric, row['value'])}" for row in rows]
    title = subject.title or f"{metric.name} by the age of the relevant document"
    alt = f"{metric.name} by the age of the relevant document: {listed(words, 20)}."
    note = ". ".join(filter(None, (undated if left_out else "", fewer)))
    width = {"step": WIDTH_PER_SYSTEM * max(len(names), 4), "for": "position"}
    return Drawing(
        spec(_layers(metric, names, list(dict.fromkeys(row["age"] for row in rows))), rows, width=width),
        title,
        alt,
        tuple(rows),
        note,
    )


def _rows(part: Part, names: Sequence[str], metric: str) -> list[dict[str, Any]]:
    """A row for each system; the ends of its interval are nan if it has none."""
    rows = []
    for name, result in zip(names, part.results, strict=True):
        interval = result.intervals.get(metric)
        low, high = (interval.low, interval.high) if interval else (math.nan, math.nan)
        head = f"{part.slice.values[-1]} ({part.slice.n:,})"
        rows.append({"age": head, "system": name, "value": result[metric], "low": low, "high": high})
    return rows


def _layers(metric: BoundMetric, names: Sequence[str], ages: Sequence[str]) -> list[Spec]:
    """The interval of each system at each age, and the point on it."""
    title, scale, across = metric_title(metric), metric_scale(metric), {"labelAngle": 0}
    place = {
        "x": category("age", "age of the relevant document, at most (queries)", axis=across, scale={"domain": list(ages)}),
        "xOffset": category("system", scale={"domain": list(names)}),
    }
    apart = distinguishing_channels("system", names)
    figures = tuple((name, name, number_format(metric)) for name in ("value", "low", "high"))
    hover = tooltip(("age", "age (queries)"), ("system", "system"), *figures)
    rule = {
        **place,
        "color": apart["color"],
        "tooltip": hover,
        "y": quantity("low", title, scale=scale),
        "y2": {"field": "high"},
    }
    point = {**place, **apart, "y": quantity("value", title, scale=scale), "tooltip": hover}
    return [
        {"mark": {"type": "rule", "strokeWidth": 1.6}, "encoding": rule},
        {"mark": {"type": "point", "filled": True, "size": 60, "opacity": 1}, "encoding": point},
    ]


BY_AGE = Chart("by_age", by_age)
