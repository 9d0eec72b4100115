"""anomalies: figures that changed by more than a share of what they were, from one set of metrics to the next."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import AssayError, BadParameter
from assay.metrics import find_metric
from assay.monitoring.finding import plain
from assay.text import shortened

CHANGED, NEW, MISSING, FROM_ZERO = "changed", "new", "missing", "from zero"
ROUNDING = 1e-12


@dataclass(frozen=True)
class MetricAnomaly:
    """One metric that is not what it was. `relative` is None where there is nothing to divide by."""

    metric: str
    kind: str
    """`changed`, `new` (not there before), `missing` (not there now), or `from zero`."""
    previous: float | None
    current: float | None
    relative: float | None
    """−0.082353 is 8.2353 % less."""
    is_worse: bool | None
    """Whether it got worse, by the direction in the metric's record; None where nobody can say."""

    @property
    def percent(self) -> float | None:
        """The change in per cent."""
        return None if self.relative is None else 100 * self.relative

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        names = ("metric", "kind", "previous", "current", "relative", "is_worse")
        return {name: plain(getattr(self, name)) for name in names}

    def __str__(self) -> str:
        if self.kind in (NEW, MISSING):
            return f"{self.metric} is {self.kind}"
        way = "" if self.is_worse is None else ", worse" if self.is_worse else ", better"
        share = "" if self.percent is None else f" ({self.percent:+.2f} %{way})".replace("-", "−")
        return f"{self.metric} {self.previous:g} → {self.current:g}{share}"


def detect_metric_anomalies(
    current: Mapping[str, float | None], previous: Mapping[str, float | None], threshold: float = 0.05
) -> dict[str, MetricAnomaly]:
    """Metric → how it changed, for every metric that changed by more than `threshold` of what it was; empty: all is well.

    A change of exactly the threshold is none. Changes for the better are reported too, marked as such. A metric that is
    only in one of the two, or without a figure in it, is `new` or `missing`; one that was 0 and is not any more is `from
    zero`, whatever the threshold.
    """
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 <= threshold < math.inf:
        raise BadParameter(f"threshold is a share from 0 up, such as 0.05 for 5 %, not {threshold!r}")
    for name, figures in (("current", current), ("previous", previous)):
        if not isinstance(figures, Mapping):
            raise BadParameter(f"{name} is metric → figure, such as a result's summary, not {shortened(figures)}")
    found = {}
    for metric in dict.fromkeys((*previous, *current)):
        anomaly = _anomaly(metric, _figure(previous, metric), _figure(current, metric), threshold)
        if anomaly:
            found[metric] = anomaly
    return found


def _anomaly(metric: str, before: float | None, now: float | None, threshold: float) -> MetricAnomaly | None:
    if before is None and now is None:
        return None
    if before is None or now is None:
        return MetricAnomaly(metric, NEW if before is None else MISSING, before, now, None, None)
    if now == before:
        return None
    if before == 0:
        return MetricAnomaly(metric, FROM_ZERO, before, now, None, _is_worse(metric, now))
    relative = (now - before) / abs(before)
    if abs(relative) - threshold <= ROUNDING:
        return None
    return MetricAnomaly(metric, CHANGED, before, now, relative, _is_worse(metric, now - before))


def _figure(figures: Mapping[str, float | None], metric: str) -> float | None:
    value = figures.get(metric)
    if not isinstance(value, int | float | np.number | None) or isinstance(value, bool):
        raise BadParameter(f"the figure of {metric} is a number or None, not {shortened(value)}")
    return None if value is None or not math.isfinite(value) else float(value)


def _is_worse(metric: str, change: float) -> bool | None:
    """By the metric's record; a metric that nobody knows has no direction."""
    try:
        is_up = find_metric(metric).metric.higher_is_better
    except AssayError:
        return None
    return (change < 0) == is_up
