"""ideal_dcg: the dcg of the best possible ranking, which ndcg divides by."""

from typing import Any

from assay.metrics._gains import discounted_gain, gain_function
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF, DISCOUNT, GAIN, GAIN_LEVEL


def ideal_dcg(run: GradedRun, k: int | None, gain: Any, discount: str, rel: float | None) -> Scores:
    """The dcg of the best possible ranking, which ndcg divides by.

    Depends on the judgments alone, so every run has the same value.
    """
    ideal, best = run.ideal_by(gain_function(gain, rel))
    return discounted_gain(ideal, best, k, discount)


METRIC = Metric(
    "ideal_dcg",
    ideal_dcg,
    params=(CUTOFF, GAIN, DISCOUNT, GAIN_LEVEL),
    aliases=("idcg",),
    range=(0.0, float("inf")),
    formula="DCG@k of all judged documents sorted by gain",
    cite="Järvelin & Kekäläinen 2002, Cumulated Gain-Based Evaluation of IR Techniques, TOIS 20(4)",
    trec=("ideal_dcg",),
)
