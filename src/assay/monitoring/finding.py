"""Finding: the outcome of a rule for one result, before its severity is applied; and how its numbers are formatted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from assay.metrics import BoundMetric
from assay.serialize import to_json

PASSED, FAILED, WARNED, UNDECIDED, SKIPPED, SAME = "pass", "fail", "warn", "undecided", "skipped", "same"


class Moved(NamedTuple):
    """A query with its text and its scores before and now; `before` is nan without a baseline."""

    query: str
    metric: str
    before: float
    now: float
    text: str = ""
    why: str = ""
    """What happened, if no score shows it: the error of a provider."""

    @property
    def change(self) -> str:
        """`hit → miss` if the score dropped to 0, else both scores."""
        if self.why:
            return self.why
        if math.isnan(self.before):
            return f"{self.now:.3f}"
        if self.before > 0 and self.now == 0:
            return "hit → miss" if self.before <= 1 else f"{self.before:.3f} → 0"
        return f"{self.before:.3f} → {self.now:.3f}"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return to_json(self._asdict())


@dataclass(frozen=True)
class Finding:
    """One of pass, fail, undecided, skipped and same, with the numbers that it is based on; nan if there is none."""

    status: str
    value: float = math.nan
    before: float = math.nan
    """The value of the baseline."""
    limit: float = math.nan
    difference: float = math.nan
    """Now minus before."""
    low: float = math.nan
    """Interval of the difference; of the value if there is no difference."""
    high: float = math.nan
    level: float = 0.95
    n: int = 0
    """Queries, or users of a search log."""
    needed: int | None = None
    """How many queries, or users, would decide if it is undecided."""
    moved: tuple[Moved, ...] = ()
    """The queries with the largest losses; without a baseline, those with the worst scores."""
    reason: str = ""
    """What the numbers do not show."""
    p_worse: float = math.nan
    """p of systems that are as good, one-sided, if a test decided."""
    p_not_worse: float = math.nan
    """p of a drop as large as the margin, if a test decided."""
    sees: str = ""
    """What the rule can notice with these queries, or how often it fails although nothing is worse."""
    unit: str = "query"
    """What n counts."""


def digits_for(values: Sequence[float], least: int = 3, most: int = 8) -> int:
    """The smallest number of decimals that distinguishes these values."""
    known = sorted({value for value in values if math.isfinite(value)})
    for digits in range(least, most):
        if len({f"{value:.{digits}f}" for value in known}) == len(known):
            return digits
    return most


# How values of a metric are formatted, with the digits that matter and their unit


def unit_of(metric: BoundMetric) -> str:
    """The unit of a metric: milliseconds for times, none for all others."""
    return " ms" if metric.metric.view == "timing" else ""


def figure_text(metric: BoundMetric, value: float) -> str:
    """The value of a metric with its unit."""
    return f"{value:{figure_shape(metric.metric.range[1], [value])}}{unit_of(metric)}"


def figure_shape(highest: float, values: list[float]) -> str:
    """Three decimals, or as many as distinguish these values; at least one if values are large."""
    known = [value for value in values if math.isfinite(value)]
    large = highest > 1 and max(map(abs, known), default=0.0) >= 10
    return f",.{digits_for(known, 1 if large else 3)}f"


def signed(value: float, shape: str) -> str:
    """With a plus or a minus sign."""
    return f"{value:+{shape}}".replace("-", "−")
