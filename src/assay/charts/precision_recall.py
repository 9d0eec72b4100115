"""precision_recall: interpolated precision at eleven levels of recall, one line for each system."""

from __future__ import annotations

import math

from assay.charts._again import scored_again
from assay.charts._chart import Chart, Drawing, Spec, Subject
from assay.charts._names import labels, listed
from assay.charts._spec import quantity, spec, told_apart, tooltip
from assay.errors import UsageError
from assay.evaluation import Result

LEVELS = tuple(level / 10 for level in range(11))
SAID = (0.0, 0.5, 1.0)
"""Levels of recall that are told in words."""


def precision_recall(subject: Subject) -> Drawing:
    """Interpolated precision at eleven levels of recall, one line for each system.

    Rankings and judgments that a result keeps are scored again; a result without them cannot be drawn.
    """
    systems = labels(subject.names)
    curves = {name: _curve(name, result) for name, result in zip(systems, subject.results, strict=True)}
    rows = [
        {"system": name, "recall": level, "precision": precision}
        for name, curve in curves.items()
        for level, precision in curve.items()
    ]
    said = [f"{name} " + ", ".join(f"{curve[level]:.3f} at {level:.1f}" for level in SAID) for name, curve in curves.items()]
    title = subject.title or "Precision by recall"
    alt = f"Interpolated precision by recall: {listed(said)}."
    return Drawing(spec(_body(systems), rows), title, alt, tuple(rows))


def _curve(name: str, result: Result) -> dict[float, float]:
    """Recall → the best precision at that recall or beyond, the mean over queries."""
    metrics = {level: f"iprec@{level:.1f}" for level in LEVELS}
    for one in result.metrics:
        if one.metric.view == "ranking" and math.isfinite(result.summary.get(one.name, math.nan)):
            again = scored_again(result, list(metrics.values()), one.name)
            if again is not None:
                return {level: again[metric] for level, metric in metrics.items()}
    raise UsageError(
        f"{name}: there is no curve without rankings and the relevant documents of each query, and this result has not kept "
        "them; assay eval keeps them"
    )


def _body(systems: list[str]) -> Spec:
    scale = {"domain": [0, 1]}
    return {
        "mark": {"type": "line", "point": {"filled": True, "size": 40}, "strokeWidth": 2},
        "encoding": {
            "x": quantity("recall", "recall", scale=scale),
            "y": quantity("precision", "interpolated precision", scale=scale),
            **told_apart("system", systems, "strokeDash"),
            "tooltip": tooltip(("system", "system"), ("recall", "recall", ".1f"), ("precision", "precision", ".4f")),
        },
    }


CHART = Chart("precision_recall", precision_recall, takes=())
