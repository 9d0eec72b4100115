"""gm_bpref: bpref combined by the geometric mean, so that hard queries weigh more."""

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import REL
from assay.metrics.bpref import bpref, expected_bpref
from assay.model import GEOMETRIC_MEAN


def geometric_bpref(run: GradedRun, rel: float | None) -> Scores:
    """Bpref combined by the geometric mean, so that hard queries weigh more.

    The score of a query is its bpref; in the summary none counts as less than 0.00001.
    """
    return bpref(run, rel)


def expected_geometric_bpref(run: GradedRun, rel: float | None) -> Scores:
    """The mean of each query over all orders of ties."""
    return expected_bpref(run, rel)


METRIC = Metric(
    "gm_bpref",
    geometric_bpref,
    expected=expected_geometric_bpref,
    params=(REL,),
    aliases=("geometric_bpref",),
    aggregation=GEOMETRIC_MEAN,
    formula="exp(mean of ln max(bpref, 10⁻⁵))",
    cite="Buckley & Voorhees 2004, Retrieval Evaluation with Incomplete Information, SIGIR; Robertson 2006, On GMAP, CIKM",
    trec=("gm_bpref",),
)
