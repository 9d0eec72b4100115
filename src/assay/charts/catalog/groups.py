"""groups: several systems by value, and which of them the comparison does not tell apart."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.charts.chart import Chart, Drawing, Row, Spec, Subject
from assay.charts.spec import (
    BETTER,
    MAX_SYSTEMS,
    SAME,
    WORSE,
    labels,
    listed,
    metric_scale,
    metric_title,
    number_format,
    quantity,
    spec,
    tooltip,
)
from assay.comparison import Comparison, Figures, Pair, by_value, compare_results, undistinguished
from assay.errors import UsageError
from assay.metrics import BoundMetric

STEP = 30
GAP = 0.45
"""Distance between lines, as a share of the step."""


def groups(subject: Subject) -> Drawing:
    """Several systems by value, the best first; a line joins systems that the comparison does not tell apart.

    The decisions are those of `assay compare`, with its correction. With a baseline, only pairs with it are compared, so
    each line joins the baseline and one system. The dots on a line are its systems.
    """
    metric = subject.bound
    comparison = subject.comparison or compare_results(subject.results, metrics=[metric], intersect=True)
    pairs = _decisions(comparison, metric)
    order = [name for name in by_value(comparison, metric.name) if any(name in (pair.a, pair.b) for pair in pairs)]
    n_compared, order = len(order), order[:MAX_SYSTEMS]
    pairs_shown = [pair for pair in pairs if pair.a in order and pair.b in order]
    shown = dict(zip(order, labels(order), strict=True))
    rows: list[Row] = [
        {"system": shown[name], "value": comparison.value(name, metric.name), "line": line}
        for line, name in enumerate(order)
    ]
    joined = undistinguished(order, [(pair.a, pair.b) for pair in pairs_shown if pair.better is None])
    named = [[shown[name] for name in group] for group in joined]
    figures = Figures()
    values = listed([f"{row['system']} {figures.value(metric, row['value'])}" for row in rows], 20)
    together = listed([f"{', '.join(names[:-1])} and {names[-1]}" for names in named], 20)
    alt = f"{metric.name}, best first: {values}. " + (
        f"Not distinguished: {together}." if named else "All compared systems are distinguished."
    )
    table = tuple({"system": row["system"], metric.name: row["value"]} for row in rows)
    title = subject.title or f"{metric.name}: which systems are distinguished"
    fewer = f". The {MAX_SYSTEMS} best systems of {n_compared:,}" if n_compared > MAX_SYSTEMS else ""
    return Drawing(_spec(rows, named, metric), title, alt, table, _note(comparison, pairs) + fewer)


def _decisions(comparison: Comparison, metric: BoundMetric) -> list[Pair]:
    """The pairs that the comparison decided on the metric."""
    pairs = [
        pair for pair in comparison.pairs if pair.metric == metric.name and pair.is_in_family and not math.isnan(pair.p)
    ]
    if not pairs:
        raise UsageError(f"groups needs a comparison, but {metric.name} was not tested")
    if pairs[0].claim != "differs":
        raise UsageError("groups needs a test of whether systems differ")
    return pairs


def _note(comparison: Comparison, pairs: Sequence[Pair]) -> str:
    """What a line means."""
    how = comparison.how
    is_plain = len(pairs) < 2 or how.correcting.name == "none" or how.bound_test.test.is_for_many
    corrected = "" if is_plain else f" after correction ({how.correcting.title})"
    against = f"; each system is compared with {how.baseline} only" if how.baseline is not None else ""
    return f"A line joins systems that the comparison does not tell apart: p > {how.alpha:g}{corrected}{against}"


def _spec(rows: Sequence[Row], joined: Sequence[Sequence[str]], metric: BoundMetric) -> Spec:
    """The systems in rows, and below them a line with dots for each group."""
    n, n_lines = len(rows), max(len(joined), 1)
    scale = {**metric_scale(metric), "zero": False, "nice": True}
    scale.pop("domain", None)
    across = quantity("value", metric_title(metric), scale=scale, axis={"orient": "top"})
    down = quantity("line", "", axis=None, scale={"reverse": True, "domain": [-0.6, n + GAP * n_lines + 0.2]})
    place = {"x": across, "y": down}
    hover = tooltip(("system", "system"), ("value", metric.name, number_format(metric)))
    by_name = {row["system"]: row for row in rows}
    dots = [
        {**by_name[name], "line": n + 0.1 + GAP * number, "group": ", ".join(group)}
        for number, group in enumerate(joined)
        for name in group
    ]
    bars = {(dot["line"], dot["group"]): [other["value"] for other in dots if other["line"] == dot["line"]] for dot in dots}
    lines = [{"line": line, "group": group, "from": min(v), "to": max(v)} for (line, group), v in bars.items()]
    label = tooltip(("group", "not distinguished"))
    point = {"type": "point", "filled": True, "opacity": 1}
    ends = {"x": {**across, "field": "from"}, "x2": {"field": "to"}, "y": down, "tooltip": label}
    layers: list[Spec] = [
        {"mark": {**point, "size": 90, "color": BETTER}, "encoding": {**place, "tooltip": hover}},
        {
            "mark": {"type": "text", "align": "left", "dx": 9, "fontSize": 12},
            "encoding": {**place, "text": {"field": "system"}},
        },
        {"data": {"values": lines}, "mark": {"type": "rule", "strokeWidth": 3, "color": SAME}, "encoding": ends},
        {"data": {"values": dots}, "mark": {**point, "size": 50, "color": WORSE}, "encoding": {**place, "tooltip": label}},
    ]
    return spec(layers, rows, height=STEP * n + 16 * n_lines + 24)


GROUPS = Chart("groups", groups, n_results=(3, None))
