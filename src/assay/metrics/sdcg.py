"""sdcg: dcg of the first k, as a share of the dcg if all k documents had the largest grade."""

import numpy as np

from assay.metrics._gains import check_scale, discounted_gain, discounts, expected_discounted_gain, scaled_gains
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF_VISITED, MAX_GRADE, MIN_GRADE


def sdcg(run: GradedRun, k: int, min_grade: float, max_grade: float | None) -> Scores:
    """Dcg of the first k, as a share of the dcg if all k documents had the largest grade.

    Unlike ndcg it does not ask what there was to find, so a query with little to find scores low.
    """
    worth = scaled_gains(run, run.retrieved.grade, min_grade, max_grade)
    return discounted_gain(run.retrieved, worth, k) / discounts(np.arange(1, k + 1)).sum()


def expected_sdcg(run: GradedRun, k: int, min_grade: float, max_grade: float | None) -> Scores:
    """The mean over all orders of ties."""
    worth = scaled_gains(run, run.retrieved.grade, min_grade, max_grade)
    return expected_discounted_gain(run, worth, k) / discounts(np.arange(1, k + 1)).sum()


METRIC = Metric(
    "sdcg",
    sdcg,
    expected=expected_sdcg,
    params=(CUTOFF_VISITED, MIN_GRADE, MAX_GRADE),
    check=check_scale,
    aliases=("scaled_dcg",),
    formula="Σ gain(i) ÷ log₂(i + 1), ÷ Σ 1 ÷ log₂(i + 1), both over i ≤ k",
    cite="Moffat, Bailey, Scholer & Thomas 2017, Incorporating User Expectations and Behavior, TOIS 35(3)",
)
