"""latency: how long a query took to be answered, in milliseconds."""

from assay.metrics._metric import Metric, Scores
from assay.model import MEAN, Timing


def latency(timing: Timing) -> Scores:
    """How long a query took to be answered, in milliseconds.

    Queries that were not answered have no time and do not count. In a batch each query takes its share.
    """
    return timing.ms


METRIC = Metric(
    "latency",
    latency,
    aliases=("mean_latency", "mrt", "mean_response_time"),
    range=(0.0, float("inf")),
    higher_is_better=False,
    aggregation=MEAN,
    view="timing",
    formula="mean over answered queries",
    cite="Dean & Barroso 2013, The Tail at Scale, CACM 56(2)",
)
