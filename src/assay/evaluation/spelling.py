"""Spelling: a metric as it must be written so that a profile leaves alone what was set, and sets what was not."""

from __future__ import annotations

from typing import Any

from assay.grammar import show
from assay.metrics import BoundMetric, recorded_metric


def spelled(metric: BoundMetric) -> str:
    """The name with every parameter that was given and no other: `rbp` stays `rbp`, though it is `rbp(p=0.8)`."""
    if recorded_metric(metric.name).given == metric.given:
        return metric.name
    at = metric.metric.at
    inside = ", ".join(f"{name}={show(metric.params[name])}" for name in sorted(metric.given) if not at or name != at.name)
    cutoff = f"@{show(metric.params[at.name])}" if at and metric.params[at.name] is not None else ""
    return f"{metric.metric.name}({inside}){cutoff}" if inside else f"{metric.metric.name}{cutoff}"


def with_settings(metric: BoundMetric, **settings: Any) -> BoundMetric:
    """The metric with some parameters set otherwise; what is None cannot be spelled out, so it is left open."""
    given = {name: metric.params[name] for name in metric.given} | settings
    return metric.metric.bind(**{name: value for name, value in given.items() if value is not None})
