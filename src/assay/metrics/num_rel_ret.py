"""num_rel_ret: how many relevant documents were retrieved."""

from assay.metrics._expected import tied_relevant
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF, REL
from assay.model import SUM


def num_rel_ret(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """How many relevant documents were retrieved.

    With a cutoff, only those within the first k. Summed over queries.
    """
    return run.relevant(rel).top(k).count.astype(float)


def expected_num_rel_ret(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    return tied_relevant(run, rel).expected_count(k)


METRIC = Metric(
    "num_rel_ret",
    num_rel_ret,
    expected=expected_num_rel_ret,
    params=(CUTOFF, REL),
    aliases=("numrelret",),
    range=(0.0, float("inf")),
    aggregation=SUM,
    formula="relevant retrieved",
    cite="trec_eval 9, m_num_rel_ret.c",
    trec=("num_rel_ret",),
)
