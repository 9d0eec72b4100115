"""mean_rel_ret: how many relevant documents were retrieved for a query, on average."""

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF, REL
from assay.metrics.num_rel_ret import expected_num_rel_ret, num_rel_ret


def mean_rel_ret(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """How many relevant documents were retrieved for a query, on average.

    With a cutoff, only those within the first k. ranx calls it hits; elsewhere hits@k is often the share of hit.
    """
    return num_rel_ret(run, k, rel)


METRIC = Metric(
    "mean_rel_ret",
    mean_rel_ret,
    expected=expected_num_rel_ret,
    params=(CUTOFF, REL),
    range=(0.0, float("inf")),
    mistaken_for=("hit", "num_rel_ret"),
    formula="relevant retrieved within k",
    cite="Bassani 2022, ranx: A Blazing-Fast Python Library for Ranking Evaluation and Comparison, ECIR",
)
