"""gm_map: average precision combined by the geometric mean, so that hard queries weigh more."""

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import REL
from assay.metrics.average_precision import average_precision, expected_average_precision
from assay.model import GEOMETRIC_MEAN


def geometric_map(run: GradedRun, rel: float | None) -> Scores:
    """Average precision combined by the geometric mean, so that hard queries weigh more.

    The score of a query is its average precision; in the summary none counts as less than 0.00001.
    """
    return average_precision(run, None, rel, "relevant")


def expected_geometric_map(run: GradedRun, rel: float | None) -> Scores:
    """The mean of each query over all orders of ties."""
    return expected_average_precision(run, None, rel, "relevant")


METRIC = Metric(
    "gm_map",
    geometric_map,
    expected=expected_geometric_map,
    params=(REL,),
    aliases=("gmap", "geometric_map"),
    aggregation=GEOMETRIC_MEAN,
    formula="exp(mean of ln max(AP, 10⁻⁵))",
    cite="Robertson 2006, On GMAP: and Other Transformations, CIKM",
    trec=("gm_map",),
)
