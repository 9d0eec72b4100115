"""Curves, one line for each system: a metric by cutoff, and precision by recall."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from assay.charts.chart import Chart, Drawing, Spec, Subject
from assay.charts.spec import distinguishing_channels, labels, listed, metric_scale, number_format, quantity, spec, tooltip
from assay.comparison import Figures
from assay.errors import AssayError, UsageError
from assay.evaluation import Result, evaluate_metrics
from assay.metrics import BoundMetric, find_metrics
from assay.model import Qrels

SCORE_TOLERANCE = 1e-9


def rescore(result: Result, metrics: Sequence[str], like: str) -> Result | None:
    """The result's rankings scored by these metrics; None where that cannot be done, or would not be the same evaluation.

    Whether it is the same is seen by a metric that the result has: its figure must come out again.
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
    """One system's figures."""

    system: str
    figures: dict[int, float]
    """Cutoff → figure."""
    is_again: bool
    """Whether rankings were scored again; else the figures are those of the result."""


def by_k(subject: Subject) -> Drawing:
    """A metric at several cutoffs, one line for each system.

    Rankings that were kept are scored again at each cutoff that they reach; else the cutoffs of the result are drawn.
    """
    metric = _with_cutoff(subject)
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
    alt = f"Lines of {family} by cutoff: {listed(descriptions)}."
    return Drawing(
        spec(_by_k_body(metric, rows, known), rows), title, alt, tuple(rows), _note(lines, known, subject.cutoffs)
    )


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
    """The metric that is drawn: the one asked for, or the first that has a cutoff."""
    cutoff_metric = (
        subject.bound if subject.metric else next((metric for metric in subject.shared if _k(metric) is not None), None)
    )
    if cutoff_metric is None or cutoff_metric.metric.at is None or cutoff_metric.metric.at.name != "k":
        names = ", ".join(metric.name for metric in subject.shared if _k(metric) is not None) or "none of them has one"
        raise UsageError(f"by_k needs a metric with a cutoff, such as ndcg@10; of these: {names}")
    return cutoff_metric


def _k(metric: BoundMetric) -> int | None:
    return metric.params.get("k")


def _family(metric: BoundMetric) -> str:
    """The metric without its cutoff."""
    return metric.name.removesuffix(f"@{_k(metric)}")


def _line(name: str, result: Result, metric: BoundMetric, asked: Sequence[int]) -> Line:
    """The figures of one system; cutoffs beyond the longest ranking are left out: nobody knows what would stand there."""
    longest = max(map(len, result.run.values()), default=0)
    reached = [k for k in sorted(set(asked or CUTOFFS)) if k <= longest]
    at = {k: metric.metric.bind(**{**metric.params, "k": k}) for k in reached}
    again = rescore(result, [bound.name for bound in at.values()], metric.name) if at else None
    if again is not None:
        return Line(name, {k: again[bound.name] for k, bound in at.items()}, True)
    own = {int(bound.params["k"]): result[bound.name] for bound in _at_cutoffs(result, metric)}
    return Line(name, {k: own[k] for k in sorted(own) if not asked or k in asked}, False)


def _at_cutoffs(result: Result, metric: BoundMetric) -> list[BoundMetric]:
    """The metrics of a result that are this one at some cutoff."""
    return [
        bound
        for bound in result.metrics
        if bound.metric is metric.metric and _k(bound) is not None and _family(bound) == _family(metric)
    ]


def _note(lines: Sequence[Line], known: Sequence[int], asked: Sequence[int]) -> str:
    """Where the figures are from, and what was asked for in vain."""
    not_rescored = [line.system for line in lines if not line.is_again]
    if not not_rescored:
        source = "Scored again at each cutoff, from the rankings that were kept"
    elif len(not_rescored) == len(lines):
        source = "At the cutoffs that the results have; there are no rankings to score again"
    else:
        source = f"Scored again from rankings that were kept; {listed(not_rescored, 3)}: at the cutoffs that the result has"
    lost = [str(k) for k in sorted(set(asked) - set(known))]
    return f"{source}. Nothing reaches {', '.join(lost)}" if lost else source


def _too_few(metric: BoundMetric, known: Sequence[int], results: Sequence[Result]) -> str:
    """Two cutoffs make a line; what there is, and what to do."""
    family = _family(metric)
    here = f"at {known[0]} only" if known else "at none of these"
    longest = max((len(ranking) for result in results for ranking in result.run.values()), default=0)
    rankings = (
        f"the rankings that were kept end at rank {longest:,}" if longest else "no rankings were kept to be scored again"
    )
    own = sorted({int(bound.params["k"]) for result in results for bound in _at_cutoffs(result, metric)})
    has = f"the results have it at {', '.join(map(str, own))}" if own else "the results have it at none"
    ask = f"--metrics {family}@1 {family}@5 {family}@10"
    known_at = f"a line needs two cutoffs, and {family} is known {here}: {rankings}, and {has}"
    return f"{known_at}. Evaluate with {ask}, or choose other cutoffs"


BY_K = Chart("by_k", by_k, takes=("metric", "cutoffs"))


LEVELS = tuple(level / 10 for level in range(11))
DESCRIBED_LEVELS = (0.0, 0.5, 1.0)
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
    descriptions = [
        f"{name} " + ", ".join(f"{curve[level]:.3f} at {level:.1f}" for level in DESCRIBED_LEVELS)
        for name, curve in curves.items()
    ]
    title = subject.title or "Precision by recall"
    alt = f"Interpolated precision by recall: {listed(descriptions)}."
    return Drawing(spec(_precision_recall_body(systems), rows), title, alt, tuple(rows))


def _curve(name: str, result: Result) -> dict[float, float]:
    """Recall → the best precision at that recall or beyond, the mean over queries."""
    metrics = {level: f"iprec@{level:.1f}" for level in LEVELS}
    for bound in result.metrics:
        if bound.metric.view == "ranking" and math.isfinite(result.summary.get(bound.name, math.nan)):
            again = rescore(result, list(metrics.values()), bound.name)
            if again is not None:
                return {level: again[metric] for level, metric in metrics.items()}
    raise UsageError(
        f"{name}: there is no curve without rankings and the relevant documents of each query, and this result has not kept "
        "them; assay eval keeps them"
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
