"""figures: how figures of a metric are written, with the digits that matter and their unit."""

from __future__ import annotations

import math

from assay.metrics import BoundMetric
from assay.monitoring.finding import digits_for


def unit_of(metric: BoundMetric) -> str:
    """What figures are counted in: times in milliseconds, all others in nothing."""
    return " ms" if metric.metric.view == "timing" else ""


def figure_text(metric: BoundMetric, value: float) -> str:
    """A figure of a metric by itself, with its unit."""
    return f"{value:{figure_shape(metric.metric.range[1], [value])}}{unit_of(metric)}"


def figure_shape(highest: float, values: list[float]) -> str:
    """Three decimals, or as many as tell these figures apart; one where figures are large."""
    known = [value for value in values if math.isfinite(value)]
    large = highest > 1 and max(map(abs, known), default=0.0) >= 10
    return f",.{digits_for(known, 1 if large else 3)}f"


def signed(value: float, shape: str) -> str:
    """With a plus or a real minus."""
    return f"{value:+{shape}}".replace("-", "−")
