"""Two systems query by query: a scatter of their scores, and a histogram of the differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from assay.charts.chart import Chart, Drawing, Spec, Subject
from assay.charts.spec import (
    SAME,
    label,
    labels,
    number_format,
    outcome_colour,
    quantity,
    sentence,
    spec,
    tooltip,
    with_unit,
)
from assay.comparison import Figures, align
from assay.errors import UsageError
from assay.metrics import BoundMetric
from assay.stats import Pairs
from assay.text import counted

LONGEST_TEXT = 120
OUTCOMES = ("worse", "same", "better")


class ScorePairs(NamedTuple):
    """A baseline, a candidate, and every query for which both have a score."""

    metric: BoundMetric
    names: tuple[str, str]
    rows: list[dict[str, Any]]
    """The query, its text, the scores a and b, the difference, and whether b is better, the same or worse."""

    @property
    def counts(self) -> Counter[str]:
        """How many queries are better, the same or worse."""
        return Counter(row["outcome"] for row in self.rows)

    def summary(self, about_same: str = "") -> str:
        """The counts as text."""
        n = self.counts
        better = f"{self.names[1]} is better on {counted(n['better'], 'query')}"
        return f"{better}, the same on {n['same']:,}{about_same}, and worse on {n['worse']:,}"


def pair_scores(subject: Subject) -> ScorePairs:
    """Pair the scores by query; the first result is the baseline.

    Scores that differ only by rounding count as the same, as in a comparison.
    """
    metric = subject.bound
    aligned = align(subject.results, [metric])
    scores = aligned.scores(metric.name)
    places = np.flatnonzero(~np.isnan(scores).any(axis=1)).tolist()
    if not places:
        raise UsageError(f"none of the queries has a score for {metric.name} in both systems")
    known = scores[places]
    change = Pairs(known[:, [0]], known[:, [1]]).differences[:, 0]
    better = np.sign(change) * (1 if metric.metric.higher_is_better else -1)
    queries = aligned.results[0].queries
    rows = []
    for number, place in enumerate(places):
        query = aligned.query_ids[place]
        row = {"query": query, "text": label(queries[query].text, LONGEST_TEXT) if query in queries else ""}
        a, b = known[number].tolist()
        rows.append({**row, "a": a, "b": b, "change": float(change[number]), "outcome": OUTCOMES[int(better[number]) + 1]})
    first, second = labels(subject.names)
    return ScorePairs(metric, (first, second), rows)


SIDE = 380
CELLS = 40
"""Cells per side if there are too many queries to draw as points."""
MAX_POINTS = 1_000
"""With more queries, points would hide each other, so they are counted in cells."""
MAX_OPAQUE_POINTS = 200
"""With more queries, points are fainter because many overlap."""


def paired_scatter(subject: Subject) -> Drawing:
    """One point per query: x is the baseline's score, y the candidate's; above the line, the candidate scores higher.

    More than 1,000 queries are counted in cells instead of drawn one by one.
    """
    pairs = pair_scores(subject)
    ends = _ends(pairs)
    is_counted = len(pairs.rows) > MAX_POINTS
    rows = _cells(pairs, *ends) if is_counted else pairs.rows
    note = pairs.summary()
    if is_counted:
        note += f". Drawn as counts in {CELLS} × {CELLS} cells: the larger a point, the more queries"
    alt = (
        f"Scatter plot of {pairs.metric.name} on {counted(len(pairs.rows), 'query')}: "
        f"{pairs.names[0]} (a) on the x axis, {pairs.names[1]} (b) on the y axis."
    )
    title = subject.title or f"{pairs.metric.name}, query by query"
    layers = [_diagonal(pairs, ends), _counts(pairs, ends) if is_counted else _points(pairs, ends)]
    return Drawing(spec(layers, rows, width=SIDE, height=SIDE), title, alt, tuple(rows), note)


def _ends(pairs: ScorePairs) -> tuple[float, float]:
    """The ends of both axes: 0 and 1 if that is the range of the metric, otherwise the range of the scores."""
    if pairs.metric.metric.range == (0.0, 1.0):
        return 0.0, 1.0
    scores = [row[name] for row in pairs.rows for name in ("a", "b")]
    low, high = min(0.0, *scores), max(0.0, *scores)
    return low, high if high > low else low + 1.0


def _axes(pairs: ScorePairs, ends: Sequence[float], names: tuple[str, str] = ("a", "b")) -> Spec:
    scale = {"domain": list(ends), "nice": False}
    titles = [f"{name}: {with_unit(pairs.metric)}" for name in pairs.names]
    return {axis: quantity(name, title, scale=scale) for axis, name, title in zip("xy", names, titles, strict=True)}


def _diagonal(pairs: ScorePairs, ends: Sequence[float]) -> Spec:
    return {
        "data": {"values": [{"x": end, "y": end} for end in ends]},
        "mark": {"type": "line", "strokeDash": [4, 4], "color": SAME},
        "encoding": _axes(pairs, ends, ("x", "y")),
    }


def _points(pairs: ScorePairs, ends: Sequence[float]) -> Spec:
    how = number_format(pairs.metric)
    hover = tooltip(("query", "query"), ("text", "text"), ("a", pairs.names[0], how), ("b", pairs.names[1], how))
    return {
        "mark": {
            "type": "point",
            "filled": True,
            "opacity": 0.7 if len(pairs.rows) <= MAX_OPAQUE_POINTS else 0.4,
            "size": 44,
        },
        "params": [{"name": "chosen", "select": {"type": "point", "fields": ["query"]}}],
        "encoding": {**_axes(pairs, ends), "color": outcome_colour(), "tooltip": hover},
    }


def _counts(pairs: ScorePairs, ends: Sequence[float]) -> Spec:
    how = number_format(pairs.metric)
    hover = tooltip(
        ("queries", "queries", ",d"), ("a", f"{pairs.names[0]}, about", how), ("b", f"{pairs.names[1]}, about", how)
    )
    legend = {"symbolFillColor": SAME, "symbolStrokeColor": SAME, "tickCount": 4, "format": ",d"}
    size = quantity("queries", "queries", scale={"range": [10, 380]}, legend=legend)
    encoding = {**_axes(pairs, ends), "size": size, "color": outcome_colour(), "tooltip": hover}
    return {"mark": {"type": "point", "filled": True, "opacity": 0.8}, "encoding": encoding}


def _cells(pairs: ScorePairs, low: float, high: float) -> list[dict[str, Any]]:
    """Count the queries in each cell, separately for better, same and worse."""
    side = (high - low) / CELLS
    counts = Counter((round((row["a"] - low) / side), round((row["b"] - low) / side), row["outcome"]) for row in pairs.rows)
    return [
        {"a": low + a * side, "b": low + b * side, "outcome": outcome, "queries": n}
        for (a, b, outcome), n in sorted(counts.items())
    ]


PAIRED_SCATTER = Chart("paired_scatter", paired_scatter, n_results=(2, 2))


BINS = 20
"""Bins on the longer side of 0."""
MAX_COUNT_WITH_ALL_TICKS = 8
"""Up to this many queries, the axis has a tick for each."""


def difference_histogram(subject: Subject) -> Drawing:
    """How many queries got better or worse, and by how much.

    Queries that did not change are counted, but have no bar, because this bar would often be much higher than all others.
    If no query changed, a sentence says so.
    """
    pairs = pair_scores(subject)
    change = np.array([row["change"] for row in pairs.rows])
    rows = _bins(pairs, change)
    figures = Figures()
    ends = " to ".join(figures.change(pairs.metric, float(end)) for end in (change.min(), change.max()))
    alt = (
        f"Histogram of differences in {pairs.metric.name}, {pairs.names[1]} minus {pairs.names[0]}, "
        f"on {counted(len(change), 'query')}: from {ends}, mean {figures.change(pairs.metric, float(change.mean()))}."
    )
    note = pairs.summary(" (not drawn)")
    title = subject.title or f"Differences in {pairs.metric.name}"
    if not pairs.counts["better"] and not pairs.counts["worse"]:
        same = f"No query changed: {pairs.names[0]} and {pairs.names[1]} have the same {pairs.metric.name}"
        same += f" on {'all ' if len(change) > 1 else ''}{counted(len(change), 'query')}."
        return Drawing(sentence(same), title, same, tuple(rows))
    return Drawing(spec(_histogram_body(pairs, rows), rows), title, alt, tuple(rows), note)


def _bins(pairs: ScorePairs, change: Any) -> list[dict[str, Any]]:
    """The ends of each bin and its number of queries. Bins start at 0 on both sides, so none mixes better and worse."""
    step = (float(np.abs(change).max()) or 1.0) / BINS
    places = np.sign(change) * np.ceil(np.round(np.abs(change) / step, 9))
    sign = 1 if pairs.metric.metric.higher_is_better else -1
    return [
        {
            "from": min(place, place - side) * step,
            "to": max(place, place - side) * step,
            "queries": int((places == place).sum()),
            "outcome": "same" if place == 0 else "better" if place * sign > 0 else "worse",
        }
        for place, side in ((value, (value > 0) - (value < 0)) for value in np.unique(places).tolist())
    ]


def _histogram_body(pairs: ScorePairs, rows: Sequence[dict[str, Any]]) -> Spec:
    """Bars on an axis that includes 0, even if nothing changed."""
    how = f"+{number_format(pairs.metric)}"
    across = [min(0.0, *(row["from"] for row in rows)), max(0.0, *(row["to"] for row in rows))]
    across = across if across[1] > across[0] else [-1.0, 1.0]
    most = max((row["queries"] for row in rows if row["outcome"] != "same"), default=1)
    ticks = {"format": ",d", **({"values": list(range(most + 1))} if most <= MAX_COUNT_WITH_ALL_TICKS else {})}
    axis = f"{pairs.names[1]} − {pairs.names[0]}: {with_unit(pairs.metric)}"
    return {
        "transform": [{"filter": "datum.outcome != 'same'"}],
        "mark": {"type": "bar", "binSpacing": 1},
        "encoding": {
            "x": quantity(
                "from", axis, bin={"binned": True}, axis={"tickCount": 10}, scale={"domain": across, "nice": False}
            ),
            "x2": {"field": "to"},
            "y": quantity("queries", "queries", axis=ticks, scale={"domain": [0, most]}),
            "color": outcome_colour("better", "worse"),
            "tooltip": tooltip(("from", "from", how), ("to", "to", how), ("queries", "queries", ",d")),
        },
    }


DIFFERENCE_HISTOGRAM = Chart("difference_histogram", difference_histogram, n_results=(2, 2))
