"""metric_of: the metric that one of ir_measures' measures stands for."""

from __future__ import annotations

from typing import Any

from assay.grammar import mark_written
from assay.metrics import BoundMetric, parse_metric


def metric_of(measure: Any) -> BoundMetric:
    """The metric of a measure object such as `nDCG@10`, or of how it is written; what assay lacks is an UnknownName."""
    return parse_metric(mark_written(measure))
