"""Finding: what a rule found out about one result, before its severity is known; and how its figures are written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from assay.metrics import BoundMetric
from assay.serialize import to_json

PASSED, FAILED, WARNED, UNDECIDED, SKIPPED = "pass", "fail", "warn", "undecided", "skipped"


class Moved(NamedTuple):
    """A query, its scores before and now, and what it asks; `before` is nan where there is no baseline."""

    query: str
    metric: str
    before: float
    now: float
    text: str = ""
    why: str = ""
    """What happened to it, where no score says that: the error of a provider."""

    @property
    def change(self) -> str:
        """`hit → miss` where everything was lost, else both scores."""
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
    """One of pass, fail, undecided and skipped, with the figures it rests on; nan where there is none."""

    status: str
    value: float = math.nan
    before: float = math.nan
    """The baseline's figure."""
    limit: float = math.nan
    difference: float = math.nan
    """Now minus before."""
    low: float = math.nan
    """Interval of the difference; of the value where there is no difference."""
    high: float = math.nan
    level: float = 0.95
    n: int = 0
    """Queries."""
    needed: int | None = None
    """Queries that would decide, where it is undecided."""
    moved: tuple[Moved, ...] = ()
    """The queries that got worse most; without a baseline, those that score worst."""
    reason: str = ""
    """What figures do not say."""


def digits_for(values: Sequence[float], least: int = 3, most: int = 8) -> int:
    """Decimals that tell these figures apart, and no more."""
    known = sorted({value for value in values if math.isfinite(value)})
    for digits in range(least, most):
        if len({f"{value:.{digits}f}" for value in known}) == len(known):
            return digits
    return most


# Figures: how those of a metric are written, with the digits that matter and their unit


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
