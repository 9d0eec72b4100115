"""Several systems at once: which of them differ significantly, and which are best in quality and latency."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.charts.chart import Chart, Drawing, Row, Spec, Subject
from assay.charts.spec import (
    BETTER,
    MAX_SYSTEMS,
    SAME,
    WORSE,
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
from assay.comparison import Figures, align, p_text
from assay.errors import UsageError
from assay.metrics import BoundMetric
from assay.stats import Field, chance_of_range, parse_test
from assay.text import counted, milliseconds

ALPHA = 0.05
STEP = 30
GAP = 0.45
"""Distance between bars, as a share of the step."""
HALVINGS = 60


def critical_difference(subject: Subject) -> Drawing:
    """Mean ranks of several systems over queries; a bar joins systems that Friedman's and Nemenyi's tests do not separate.

    These tests are about ranks, so they can disagree with a comparison of means; `groups` shows the decisions of that.
    Systems are ranked on each query, and equal scores share a rank. Two systems differ at 5 % if their mean ranks differ by
    more than the critical difference (Demšar 2006, Statistical Comparisons of Classifiers over Multiple Data Sets, JMLR 7,
    figure 1).
    """
    metric = subject.bound
    scores = align(subject.results, [metric]).scores(metric.name)
    scores = scores[~np.isnan(scores).any(axis=1)]
    n, m = scores.shape
    if n < 2:
        scored = f"{counted(n, 'query')} {'has' if n == 1 else 'have'} a score for {metric.name} in all systems"
        raise UsageError(f"critical_difference needs at least 2 queries, but {scored}")
    test = parse_test("friedman").compare_many(Field(scores))
    means = (m + 1) / 2 - test.standing * (1 if metric.metric.higher_is_better else -1)
    order = np.argsort(means, kind="stable").tolist()
    names, reach = labels(subject.names), critical_distance(n, m)
    fewer = f". The {MAX_SYSTEMS} systems with the best mean ranks, of {m:,}" if m > MAX_SYSTEMS else ""
    order = order[:MAX_SYSTEMS]
    rows: list[Row] = [
        {"system": names[place], "rank": float(means[place]), "line": line} for line, place in enumerate(order)
    ]
    joined = cliques(test.pairwise[np.ix_(order, order)] > ALPHA)
    title = subject.title or f"Mean ranks on {metric.name}"
    note = f"Critical difference {reach:.2f} over {counted(n, 'query')} (Nemenyi, 5 %); Friedman {p_text(test.p)}{fewer}"
    descriptions = [f"{row['system']} {row['rank']:.2f}" for row in rows]
    alt = f"Mean ranks on {metric.name}, 1 is best: {listed(descriptions, 20)}. {_together(rows, joined)}"
    table_rows = tuple({"system": row["system"], "mean rank": row["rank"]} for row in rows)
    return Drawing(_spec(rows, joined, metric.name), title, alt, table_rows, note)


def critical_distance(n: int, m: int) -> float:
    """The smallest significant difference between mean ranks of m systems over n queries (Nemenyi 1963)."""
    low, high = 0.0, 100.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_likely = float(chance_of_range(np.array([middle]), m)[0]) > ALPHA
        low, high = (middle, high) if is_likely else (low, middle)
    return high / math.sqrt(2) * math.sqrt(m * (m + 1) / (6 * n))


def cliques(alike: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The first and last system of each largest group of neighbours that do not differ; systems are in order of rank."""
    groups: list[tuple[int, int]] = []
    for first, row in enumerate(alike):
        last = first + int(np.argmin(np.append(row[first:], False))) - 1
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return groups


def _together(rows: Sequence[Row], joined: Sequence[tuple[int, int]]) -> str:
    """Which systems do not differ significantly, as text."""
    if not joined:
        return "All systems differ significantly from each other."
    names = [str(row["system"]) for row in rows]
    groups = [f"{', '.join(names[first:last])} and {names[last]}" for first, last in joined]
    return f"Not significantly different from each other: {listed(groups)}."


def _spec(rows: Sequence[Row], joined: Sequence[tuple[int, int]], metric: str) -> Spec:
    """The systems in rows, each with a thin line down to the bars that join it to others."""
    m, n_bars = len(rows), max(len(joined), 1)
    last = max([m, *(math.ceil(row["rank"]) for row in rows)])
    scale = {"domain": [1, last], "nice": False}
    across = quantity("rank", f"mean rank on {metric} (1 is best)", scale=scale, axis={"orient": "top", "tickMinStep": 1})
    down = quantity("line", "", axis=None, scale={"reverse": True, "domain": [-0.6, m + GAP * n_bars + 0.2]})
    place = {"x": across, "y": down}
    systems: list[Spec] = [
        {
            "mark": {"type": "point", "filled": True, "size": 90, "color": BETTER, "opacity": 1},
            "encoding": {**place, "tooltip": tooltip(("system", "system"), ("rank", "mean rank", ".3f"))},
        },
        {
            "mark": {"type": "text", "align": "left", "dx": 9, "fontSize": 12},
            "encoding": {**place, "text": {"field": "system"}},
        },
    ]
    threads, bars = _bars(rows, joined, place)
    return spec([threads, *systems, bars], rows, height=STEP * m + 16 * n_bars + 24)


def _bars(rows: Sequence[Row], joined: Sequence[tuple[int, int]], place: Spec) -> tuple[Spec, Spec]:
    """The lines down from the joined systems, and the bars that join them."""
    bars: list[Row] = []
    ends: dict[str, float] = {}
    for number, (first, last) in enumerate(joined):
        group = rows[first : last + 1]
        line = len(rows) + 0.1 + GAP * number
        ends |= {row["system"]: line for row in group}
        names = listed([row["system"] for row in group], len(group))
        bars.append({"from": group[0]["rank"], "to": group[-1]["rank"], "line": line, "group": names})
    threads = [{**row, "end": ends[row["system"]]} for row in rows if row["system"] in ends]
    return (
        {
            "data": {"values": threads},
            "mark": {"type": "rule", "strokeWidth": 1, "color": SAME, "opacity": 0.6},
            "encoding": {**place, "y2": {"field": "end"}},
        },
        {
            "data": {"values": bars},
            "mark": {"type": "rule", "strokeWidth": 5, "strokeCap": "round", "color": WORSE},
            "encoding": {
                "x": {**place["x"], "field": "from"},
                "x2": {"field": "to"},
                "y": place["y"],
                "tooltip": tooltip(("group", "not significantly different")),
            },
        },
    )


CRITICAL_DIFFERENCE = Chart("critical_difference", critical_difference, n_results=(3, None))


LATENCY = "latency"
MAX_COLOURED = 20
"""Systems up to which each has its own colour in the legend."""
MAX_OPAQUE, MAX_DRAWN = 300, 1_000
"""With more systems that another beats, their points are fainter; beyond the second number, only some are drawn."""


def pareto(subject: Subject) -> Drawing:
    """Quality against latency; the line joins the systems that no other system beats in both.

    The latency is the mean per query. Do not compare times from different machines.
    """
    metric = _quality(subject)
    if lacking := [name for name, result in zip(subject.names, subject.results, strict=True) if LATENCY not in result]:
        raise UsageError(f"{', '.join(lacking)}: no latency was measured. assay eval measures it; runs from files have none")
    named = list(zip(labels(subject.names), subject.results, strict=True))
    rows: list[dict[str, Any]] = [
        {"system": name, "latency": result[LATENCY], "value": result[metric.name]} for name, result in named
    ]
    rows = _with_unbeaten([row for row in rows if not math.isnan(row["latency"] + row["value"])], metric)
    if not rows:
        raise UsageError(f"none of the systems has both a latency and a value for {metric.name}")
    figures = Figures()
    descriptions = [
        f"{row['system']} {figures.value(metric, row['value'])} at {milliseconds(row['latency'])}"
        + (" (Pareto-optimal)" if row["unbeaten"] else "")
        for row in rows
    ]
    drawn = {row["system"] for row in rows}
    lost = [name for name, _ in named if name not in drawn]
    notes = [f"Left out because a value is missing: {listed(lost, 3)}"] if lost else []
    if len(rows) > MAX_COLOURED:
        descriptions = [text for text, row in zip(descriptions, rows, strict=True) if row["unbeaten"]]
        notes.append("Only Pareto-optimal systems have names")
    drawn_rows = _sampled(rows)
    if len(drawn_rows) < len(rows):
        notes.append(f"{len(drawn_rows):,} of {len(rows):,} systems are drawn, including all that are Pareto-optimal")
    title = subject.title or f"{metric.name} against latency"
    alt = f"{metric.name} against mean latency: {listed(descriptions)}."
    return Drawing(spec(_layers(metric, drawn_rows), drawn_rows), title, alt, tuple(drawn_rows), ". ".join(notes))


def _sampled(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All Pareto-optimal systems, and every second, third … of the others if there are too many."""
    others = [number for number, row in enumerate(rows) if not row["unbeaten"]]
    chosen = set(others[:: -(-len(others) // MAX_DRAWN)] if others else ())
    return [row for number, row in enumerate(rows) if row["unbeaten"] or number in chosen]


def _quality(subject: Subject) -> BoundMetric:
    """The metric in the request, or the first that is not a time."""
    metric = (
        subject.bound
        if subject.metric
        else next((shared_metric for shared_metric in subject.shared if not _is_time(shared_metric)), None)
    )
    if metric is None or _is_time(metric):
        problem = f"not {metric.name}" if metric else "but the results have none in common"
        raise UsageError(f"pareto needs a quality metric, such as ndcg@10, {problem}")
    return metric


def _is_time(metric: BoundMetric) -> bool:
    return metric.metric.view == "timing"


def _with_unbeaten(rows: list[dict[str, Any]], metric: BoundMetric) -> list[dict[str, Any]]:
    """The rows, each with whether no other system is at least as fast and as good, and better in one of the two."""
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
    """A point for each system, and a step line with the best value up to each latency."""
    scale = {"type": "log"} if all(row["latency"] > 0 for row in rows) else {"zero": True}
    place = {
        "x": quantity("latency", "mean latency per query (ms)", scale=scale),
        "y": quantity("value", metric_title(metric), scale=metric_scale(metric)),
    }
    hover = tooltip(("system", "system"), ("latency", "latency (ms)", ".2f"), ("value", metric.name, number_format(metric)))
    border: Spec = {
        "transform": [{"filter": "datum.unbeaten"}],
        "mark": {"type": "line", "color": SAME, "strokeDash": [4, 4], "interpolate": "step-after"},
        "encoding": place,
    }
    if len(rows) > MAX_COLOURED:
        return [_many_points({**place, "tooltip": hover}, len(rows)), border, _optimal_points(place, hover, rows)]
    point = {"type": "point", "filled": True, "size": 110, "opacity": 1}
    apart = distinguishing_channels("system", [row["system"] for row in rows])
    return [border, {"mark": point, "encoding": {**place, **apart, "tooltip": hover}}]


def _many_points(place: Spec, n: int) -> Spec:
    """The systems that another beats, small and without names."""
    mark = {"type": "point", "filled": True, "size": 24, "color": SAME, "opacity": 0.6 if n <= MAX_OPAQUE else 0.3}
    return {"transform": [{"filter": "!datum.unbeaten"}], "mark": mark, "encoding": place}


def _optimal_points(place: Spec, hover: list[Spec], rows: Sequence[dict[str, Any]]) -> Spec:
    """The Pareto-optimal systems; if they are few, with their names in the legend."""
    names = [row["system"] for row in rows if row["unbeaten"]]
    point = {"type": "point", "filled": True, "size": 90, "color": BETTER, "opacity": 1}
    apart = distinguishing_channels("system", names) if len(names) <= MAX_COLOURED else {}
    encoding = {**place, **apart, "tooltip": hover}
    return {"transform": [{"filter": "datum.unbeaten"}], "mark": point, "encoding": encoding}


PARETO = Chart("pareto", pareto)
