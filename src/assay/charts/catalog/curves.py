"""Curves with one line per system: a metric by cutoff, and precision by recall."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from assay.charts.chart import Chart, Drawing, Spec, Subject
from assay.charts.spec import (
    best_of,
    distinguishing_channels,
    labels,
    listed,
    metric_scale,
    number_format,
    quantity,
    spec,
    tooltip,
)
from assay.comparison import Figures
from assay.errors import AssayError, UsageError
from assay.evaluation import Result, evaluate_metrics
from assay.metrics import BoundMetric, find_metrics
from assay.model import Qrels

SCORE_TOLERANCE = 1e-9
MAX_LINES = 20
"""Lines that can still be told apart."""


def rescore(result: Result, metrics: Sequence[str], like: str) -> Result | None:
    """Score the result's rankings with these metrics; None if that is impossible or would not be the same evaluation.

    As a check, the metric `like` is scored too: its value must be the one in the result.
    """
    if not result.run or not result.relevant or not math.isfinite(result[like]):
        return None
    judged = Qrels({query: dict(result.relevant.get(query, {})) for query in result.query_ids})
    how = {"profile": result.profile} if result.profile else {"policy": result.policy}
    try:
        asked_metrics = find_metrics([like, *metrics], result.profile)
        again = evaluate_metrics(judged, dict(result.run), asked_metrics, **how)
        return again if math.isclose(again[like], result[like], abs_tol=SCORE_TOLERANCE) else None
    except AssayError:
        return None


CUTOFFS = (1, 3, 5, 10, 20, 50, 100)


class Line(NamedTuple):
    """The values of one system."""

    system: str
    figures: dict[int, float]
    """Cutoff → value."""
    is_again: bool
    """Whether the values were computed from the rankings; otherwise they are the values in the result."""


def by_k(subject: Subject) -> Drawing:
    """A metric at several cutoffs, with one line per system.

    If a result contains rankings, they are scored at each cutoff that they reach. Otherwise its own cutoffs are drawn.
    """
    metric = _with_cutoff(subject)
    subject, fewer = best_of(subject, metric, MAX_LINES)
    lines = [
        _line(name, result, metric, subject.cutoffs)
        for name, result in zip(labels(subject.names), subject.results, strict=True)
    ]
    known = sorted({k for line in lines for k in line.figures})
    if len(known) < 2:
        raise UsageError(_too_few(metric, known, subject.results))
    rows = [{"system": line.system, "k": k, "value": value} for line in lines for k, value in line.figures.items()]
    family, figures = _family(metric), Figures()
    descriptions = [
        f"{line.system} " + ", ".join(f"{figures.value(metric, value)} at {k}" for k, value in line.figures.items())
        for line in lines
        if line.figures
    ]
    title = subject.title or f"{family} by cutoff"
    alt = f"Line chart of {family} by cutoff: {listed(descriptions)}."
    note = ". ".join(filter(None, (_note(lines, known, subject.cutoffs), fewer)))
    return Drawing(spec(_by_k_body(metric, rows, known), rows), title, alt, tuple(rows), note)


def _by_k_body(metric: BoundMetric, rows: Sequence[dict[str, Any]], known: Sequence[int]) -> Spec:
    family = _family(metric)
    across = quantity(
        "k",
        "cutoff k",
        scale={"type": "log", "nice": False, "domain": [known[0], known[-1]]},
        axis={"values": list(known), "grid": False, "format": "d"},
    )
    return {
        "mark": {"type": "line", "point": {"filled": True, "size": 50}, "strokeWidth": 2},
        "encoding": {
            "x": across,
            "y": quantity("value", family, scale=metric_scale(metric)),
            **distinguishing_channels("system", list(dict.fromkeys(row["system"] for row in rows)), "strokeDash"),
            "tooltip": tooltip(("system", "system"), ("k", "k"), ("value", family, number_format(metric))),
        },
    }


def _with_cutoff(subject: Subject) -> BoundMetric:
    """The metric to draw: the one in the request, or the first that has a cutoff."""
    cutoff_metric = (
        subject.bound if subject.metric else next((metric for metric in subject.shared if _k(metric) is not None), None)
    )
    if cutoff_metric is None or cutoff_metric.metric.at is None or cutoff_metric.metric.at.name != "k":
        names = ", ".join(metric.name for metric in subject.shared if _k(metric) is not None)
        choices = f"choose from {names}" if names else "the results have none"
        raise UsageError(f"by_k needs a metric with a cutoff, such as ndcg@10   ({choices})")
    return cutoff_metric


def _k(metric: BoundMetric) -> int | None:
    return metric.params.get("k")


def _family(metric: BoundMetric) -> str:
    """The metric without its cutoff."""
    return metric.name.removesuffix(f"@{_k(metric)}")


def _line(name: str, result: Result, metric: BoundMetric, asked: Sequence[int]) -> Line:
    """The values of one system, without cutoffs beyond its longest ranking, where the documents are unknown."""
    longest = max(map(len, result.run.values()), default=0)
    reached = [k for k in sorted(set(asked or CUTOFFS)) if k <= longest]
    at = {k: metric.metric.bind(**{**metric.params, "k": k}) for k in reached}
    again = rescore(result, [bound.name for bound in at.values()], metric.name) if at else None
    if again is not None:
        return Line(name, {k: again[bound.name] for k, bound in at.items()}, True)
    own = {int(bound.params["k"]): result[bound.name] for bound in _at_cutoffs(result, metric)}
    return Line(name, {k: own[k] for k in sorted(own) if not asked or k in asked}, False)


def _at_cutoffs(result: Result, metric: BoundMetric) -> list[BoundMetric]:
    """The metrics of a result that are this metric at any cutoff."""
    return [
        bound
        for bound in result.metrics
        if bound.metric is metric.metric and _k(bound) is not None and _family(bound) == _family(metric)
    ]


def _note(lines: Sequence[Line], known: Sequence[int], asked: Sequence[int]) -> str:
    """Where the values come from, and the requested cutoffs that no system has."""
    not_rescored = [line.system for line in lines if not line.is_again]
    if not not_rescored:
        source = "Computed at each cutoff from the rankings in the results"
    elif len(not_rescored) == len(lines):
        source = "Only the cutoffs in the results are shown, because the results do not allow computing others"
    else:
        exceptions = f"For {listed(not_rescored, 3)}, only the cutoffs in the result are shown"
        source = f"Computed from the rankings in the results. {exceptions}"
    lost = [str(k) for k in sorted(set(asked) - set(known))]
    return f"{source}. No system has a value at {', '.join(lost)}" if lost else source


def _too_few(metric: BoundMetric, known: Sequence[int], results: Sequence[Result]) -> str:
    """The error if there are fewer than two cutoffs: what is known, and what to do."""
    family = _family(metric)
    cutoffs = f"only {known[0]}" if known else "none"
    longest = max((len(ranking) for result in results for ranking in result.run.values()), default=0)
    rankings = f"the rankings end at rank {longest:,}" if longest else "they contain no rankings"
    own = sorted({int(bound.params["k"]) for result in results for bound in _at_cutoffs(result, metric)})
    has = f"{family} was scored only at {', '.join(map(str, own))}" if own else f"{family} was scored without a cutoff"
    reasons = rankings if own and own == list(known) else f"{rankings}, and {has}"
    ask = f"--metrics {family}@1 {family}@5 {family}@10"
    needed = f"a chart by cutoff needs {family} at two or more cutoffs, but the results allow {cutoffs}, because {reasons}"
    return f"{needed}. Evaluate with {ask}{', or choose other cutoffs' if longest else ''}"


BY_K = Chart("by_k", by_k, takes=("metric", "cutoffs"))


LEVELS = tuple(level / 10 for level in range(11))
DESCRIBED_LEVELS = (0.0, 0.5, 1.0)
"""Levels of recall in the description."""


def precision_recall(subject: Subject) -> Drawing:
    """Interpolated precision at eleven levels of recall, with one line per system.

    It is computed from the rankings and judgments in a result. A result without them cannot be drawn.
    """
    fewer = ""
    if subject.shared:
        subject, fewer = best_of(subject, subject.shared[0], MAX_LINES)
    systems = labels(subject.names)
    curves = {name: _curve(name, result) for name, result in zip(systems, subject.results, strict=True)}
    rows = [
        {"system": name, "recall": level, "precision": precision}
        for name, curve in curves.items()
        for level, precision in curve.items()
    ]
    descriptions = [
        f"{name} " + ", ".join(f"{curve[level]:.3f} at {level:.1f}" for level in DESCRIBED_LEVELS)
        for name, curve in curves.items()
    ]
    title = subject.title or "Precision by recall"
    alt = f"Interpolated precision by recall: {listed(descriptions)}."
    return Drawing(spec(_precision_recall_body(systems), rows), title, alt, tuple(rows), fewer)


def _curve(name: str, result: Result) -> dict[float, float]:
    """Recall → the best precision at that recall or above, averaged over queries."""
    metrics = {level: f"iprec@{level:.1f}" for level in LEVELS}
    for bound in result.metrics:
        if bound.metric.view == "ranking" and math.isfinite(result.summary.get(bound.name, math.nan)):
            again = rescore(result, list(metrics.values()), bound.name)
            if again is not None:
                return {level: again[metric] for level, metric in metrics.items()}
    raise UsageError(
        f"{name}: a precision-recall curve needs the rankings and the relevant documents of each query, but this result "
        "does not contain them. assay eval stores them"
    )


def _precision_recall_body(systems: list[str]) -> Spec:
    scale = {"domain": [0, 1]}
    return {
        "mark": {"type": "line", "point": {"filled": True, "size": 40}, "strokeWidth": 2},
        "encoding": {
            "x": quantity("recall", "recall", scale=scale),
            "y": quantity("precision", "interpolated precision", scale=scale),
            **distinguishing_channels("system", systems, "strokeDash"),
            "tooltip": tooltip(("system", "system"), ("recall", "recall", ".1f"), ("precision", "precision", ".4f")),
        },
    }


PRECISION_RECALL = Chart("precision_recall", precision_recall, takes=())
