"""latency_p99: time within which 99 % of the queries were answered, in milliseconds."""

from assay.metrics._metric import Metric, Scores
from assay.model import Timing, quantile


def latency_p99(timing: Timing) -> Scores:
    """Time within which 99 % of the queries were answered, in milliseconds.

    Queries that were not answered do not count. Undefined where queries were asked in batches: none was timed alone.
    """
    return timing.alone


METRIC = Metric(
    "latency_p99",
    latency_p99,
    range=(0.0, float("inf")),
    higher_is_better=False,
    aggregation=quantile(0.99),
    view="timing",
    formula="99 th percentile over answered queries, interpolated",
    cite="Dean & Barroso 2013, The Tail at Scale, CACM 56(2)",
)
