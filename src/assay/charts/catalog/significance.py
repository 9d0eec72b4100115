"""Significance levels: which metric tells most pairs of systems apart."""

from __future__ import annotations

from assay.charts.chart import Chart, Drawing, Row, Spec, Subject
from assay.charts.spec import SAME, distinguishing_channels, labels, listed, quantity, spec, tooltip
from assay.comparison import Discriminations, discriminative_power
from assay.text import counted, percent

MAX_TICKS = 20
MAX_POINTS = 60
"""Pairs up to which each is marked by a point."""


def asl(subject: Subject) -> Drawing:
    """Achieved significance level (p) of every pair of systems, one curve for each metric; lower curves are better.

    Pairs are sorted by p, the largest first. A metric tells those pairs apart that lie on or below the dashed line at 5 %
    (Sakai 2006, Evaluating Evaluation Metrics Based on the Bootstrap, SIGIR).
    """
    asked = [subject.find(metric) for metric in subject.metrics]
    return draw_discriminations(discriminative_power(subject.results, asked or None), subject.title)


def draw_discriminations(measured: Discriminations, title: str = "") -> Drawing:
    """The chart of metrics whose discriminative power is known already."""
    names = labels([metric.metric for metric in measured.metrics])
    rows: list[Row] = [
        {"metric": name, "place": place, "pair": f"{pair.a} and {pair.b}", "p": pair.p}
        for name, metric in zip(names, measured.metrics, strict=True)
        for place, pair in enumerate(metric.pairs, 1)
    ]
    shares = [f"{name} {percent(metric.share)}" for name, metric in zip(names, measured.metrics, strict=True)]
    pairs = counted(len(measured.metrics[0].pairs), "pair")
    systems = f"{counted(len(measured.systems), 'system')} ({listed(labels(measured.systems))})"
    alt = f"Pairs of systems that each metric tells apart, of {pairs} of {systems}: {listed(shares, 20)}."
    note = f"{measured.test}, alpha {measured.alpha:g}, {counted(measured.n_queries, 'query')}"
    return Drawing(
        _spec(rows, names, measured.alpha), title or "Significance of system pairs by metric", alt, tuple(rows), note
    )


def _spec(rows: list[Row], names: list[str], alpha: float) -> Spec:
    n = max(int(row["place"]) for row in rows)
    ticks = {"values": list(range(1, n + 1))} if n <= MAX_TICKS else {}
    across = quantity("place", "pairs of systems, the largest p first", axis={"format": "d", **ticks})
    up = quantity("p", "achieved significance level (p)", scale={"domain": [0, 1]})
    line: Spec = {
        "mark": {"type": "line", "point": n <= MAX_POINTS, "interpolate": "linear"},
        "encoding": {
            "x": across,
            "y": up,
            **distinguishing_channels("metric", names, "strokeDash"),
            "tooltip": tooltip(("metric", "metric"), ("pair", "pair"), ("p", "p", ".4f")),
        },
    }
    limit: Spec = {
        "mark": {"type": "rule", "strokeDash": [4, 4], "color": SAME},
        "data": {"values": [{"alpha": alpha}]},
        "encoding": {"y": {"field": "alpha", "type": "quantitative"}},
    }
    return spec([line, limit], rows)


ASL = Chart("asl", asl, n_results=(3, None), takes=("metrics",))
