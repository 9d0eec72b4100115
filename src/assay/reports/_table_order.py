"""The order of rows in a table for people: the best system first."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import isnan

from assay.evaluation import Result
from assay.metrics import BoundMetric


def deciding_metric(results: Sequence[Result], beside: Collection[str] = ()) -> BoundMetric | None:
    """The first metric of which one can be best: no text, no total, and not one that stands beside the others."""
    for metric in results[0].metrics if results else ():
        aggregation = metric.metric.aggregation
        if aggregation.summarise and not aggregation.is_total and metric.name not in beside:
            return metric
    return None


def best_first(results: Sequence[Result], metric: BoundMetric | None) -> list[Result]:
    """The results by that metric, equal ones as they came and those without a figure last; as they came where it is None."""
    if metric is None:
        return list(results)
    sign = -1 if metric.metric.higher_is_better else 1
    return sorted(results, key=lambda result: _place(result.summary.get(metric.name, float("nan")), sign))


def _place(figure: float, sign: int) -> tuple[bool, float]:
    return (True, 0.0) if isnan(figure) else (False, sign * figure)
