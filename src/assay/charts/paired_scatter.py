"""paired_scatter: each query as a point, the baseline's score across, the candidate's up; above the line it got higher."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from assay.charts._chart import Chart, Drawing, Spec, Subject
from assay.charts._spec import MOST_POINTS, SAME, number_format, outcome_colour, quantity, spec, tooltip, with_unit
from assay.charts._two import Two, two_of

SIDE = 380
CELLS = 40
"""Cells to a side where there are too many queries for points."""
CROWD = 500
"""Queries from which on points are fainter, as many lie on each other."""


def paired_scatter(subject: Subject) -> Drawing:
    """Each query as a point, the baseline's score across, the candidate's up; above the line it got higher.

    Beyond 5,000 queries they are counted in cells instead of drawn one by one.
    """
    two = two_of(subject)
    ends = _ends(two)
    is_counted = len(two.rows) > MOST_POINTS
    rows = _cells(two, *ends) if is_counted else two.rows
    note = two.said()
    if is_counted:
        note += f". Drawn as counts in {CELLS} × {CELLS} cells"
    alt = f"{_each(len(two.rows))} by its {two.metric.name}, {two.names[0]} across and {two.names[1]} up."
    title = subject.title or f"{two.metric.name}, query by query"
    layers = [_diagonal(two, ends), _counts(two, ends) if is_counted else _points(two, ends)]
    return Drawing(spec(layers, rows, width=SIDE, height=SIDE), title, alt, tuple(rows), note)


def _each(n: int) -> str:
    return f"Each of {n:,} queries" if n > 1 else "The only query"


def _ends(two: Two) -> tuple[float, float]:
    """Both axes are the same: from 0 to 1 for a metric that lies there, else as far as the scores reach."""
    if two.metric.metric.range == (0.0, 1.0):
        return 0.0, 1.0
    scores = [row[name] for row in two.rows for name in ("a", "b")]
    low, high = min(0.0, *scores), max(0.0, *scores)
    return low, high if high > low else low + 1.0


def _axes(two: Two, ends: Sequence[float], names: tuple[str, str] = ("a", "b")) -> Spec:
    scale = {"domain": list(ends), "nice": False}
    titles = [f"{name}: {with_unit(two.metric)}" for name in two.names]
    return {axis: quantity(name, title, scale=scale) for axis, name, title in zip("xy", names, titles, strict=True)}


def _diagonal(two: Two, ends: Sequence[float]) -> Spec:
    return {
        "data": {"values": [{"x": end, "y": end} for end in ends]},
        "mark": {"type": "line", "strokeDash": [4, 4], "color": SAME},
        "encoding": _axes(two, ends, ("x", "y")),
    }


def _points(two: Two, ends: Sequence[float]) -> Spec:
    how = number_format(two.metric)
    hover = tooltip(("query", "query"), ("text", "text"), ("a", two.names[0], how), ("b", two.names[1], how))
    return {
        "mark": {"type": "point", "filled": True, "opacity": 0.7 if len(two.rows) <= CROWD else 0.4, "size": 44},
        "params": [{"name": "chosen", "select": {"type": "point", "fields": ["query"]}}],
        "encoding": {**_axes(two, ends), "color": outcome_colour(), "tooltip": hover},
    }


def _counts(two: Two, ends: Sequence[float]) -> Spec:
    how = number_format(two.metric)
    hover = tooltip(("queries", "queries", ",d"), ("a", f"{two.names[0]}, about", how), ("b", f"{two.names[1]}, about", how))
    legend = {"symbolFillColor": SAME, "symbolStrokeColor": SAME, "tickCount": 4, "format": ",d"}
    size = quantity("queries", "queries", scale={"range": [10, 380]}, legend=legend)
    encoding = {**_axes(two, ends), "size": size, "color": outcome_colour(), "tooltip": hover}
    return {"mark": {"type": "point", "filled": True, "opacity": 0.8}, "encoding": encoding}


def _cells(two: Two, low: float, high: float) -> list[dict[str, Any]]:
    """Queries counted by where they fall, with better, same and worse apart."""
    side = (high - low) / CELLS
    counts = Counter((round((row["a"] - low) / side), round((row["b"] - low) / side), row["outcome"]) for row in two.rows)
    return [
        {"a": low + a * side, "b": low + b * side, "outcome": outcome, "queries": n}
        for (a, b, outcome), n in sorted(counts.items())
    ]


CHART = Chart("paired_scatter", paired_scatter, n_results=(2, 2))
