"""dcg: gains of the documents found, each discounted by the logarithm of its rank."""

from typing import Any

from assay.metrics._gains import discounted_gain, expected_discounted_gain, gains
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF, DISCOUNT, GAIN, GAIN_LEVEL, JUDGED_ONLY


def dcg(run: GradedRun, k: int | None, gain: Any, discount: str, rel: float | None) -> Scores:
    """Gains of the documents found, each discounted by the logarithm of its rank.

    Not normalised: queries with more to find weigh more. Unjudged documents gain nothing.
    """
    return discounted_gain(run.retrieved, gains(run.retrieved.grade, gain, rel), k, discount)


def expected_dcg(run: GradedRun, k: int | None, gain: Any, discount: str, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    return expected_discounted_gain(run, gains(run.retrieved.grade, gain, rel), k, discount)


METRIC = Metric(
    "dcg",
    dcg,
    expected=expected_dcg,
    params=(CUTOFF, GAIN, DISCOUNT, GAIN_LEVEL, JUDGED_ONLY),
    presets={"dcg_burges": {"gain": "exp"}},
    range=(0.0, float("inf")),
    formula="Σ over ranks i ≤ k of gain(i) ÷ log₂(i + 1)",
    cite="Järvelin & Kekäläinen 2002, Cumulated Gain-Based Evaluation of IR Techniques, TOIS 20(4)",
    trec=("dcg",),
)
