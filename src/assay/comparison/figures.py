"""figures: figures of metrics as people read them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.comparison.pair import Pair
from assay.metrics import BoundMetric
from assay.text import decimals, milliseconds, with_minus

UNKNOWN = "–"
ROUNDING = 1e-12
"""A difference below this is what is left of 0 when floats are added up, and no figure."""


@dataclass(frozen=True)
class Figures:
    """Figures with few digits. None leaves their number to us: three decimals, or two digits where these show nothing."""

    digits: int | None = None

    def value(self, metric: BoundMetric, value: float) -> str:
        """A figure of a system; a dash where there is none. Times have their unit."""
        if math.isnan(value):
            return UNKNOWN
        if metric.metric.view == "timing" and self.digits is None:
            return milliseconds(value)
        if metric.metric.aggregation.is_total and float(value).is_integer():
            return with_minus(str(int(value)))
        return with_minus(decimals(value) if self.digits is None else f"{value:.{self.digits}f}")

    def change(self, metric: BoundMetric, value: float) -> str:
        """A difference, with its sign: a plus or a minus."""
        if math.isnan(value):
            return UNKNOWN
        if abs(value) < ROUNDING:
            value = 0.0
        return "+−"[value < 0] + (self.value(metric, abs(value)) if math.isfinite(value) else f"{abs(value)}")

    def interval(self, metric: BoundMetric, pair: Pair) -> str:
        """Where the difference may lie."""
        if math.isnan(pair.low):
            return UNKNOWN
        return f"{self.change(metric, pair.low)} … {self.change(metric, pair.high)}"


def p_text(p: float) -> str:
    """A p as people write it."""
    if math.isnan(p):
        return "p undefined"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
