"""ndcg: discounted gain of the ranking, as a share of the best possible ranking's."""

from typing import Any

from assay.metrics._gains import discounted_gain, gain_function
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF, DISCOUNT, GAIN, GAIN_LEVEL, JUDGED_ONLY
from assay.model.graded import ratio


def ndcg(run: GradedRun, k: int | None, gain: Any, discount: str, rel: float | None) -> Scores:
    """The ideal ranking holds every judged document of the query, retrieved or not, cut at k. 0 when nothing gains."""
    worth = gain_function(gain, rel)
    ideal, best = run.ideal_by(worth)
    actual = discounted_gain(run.retrieved, worth(run.retrieved.grade), k, discount)
    return ratio(actual, discounted_gain(ideal, best, k, discount))


METRIC = Metric(
    "ndcg",
    ndcg,
    params=(CUTOFF, GAIN, DISCOUNT, GAIN_LEVEL, JUDGED_ONLY),
    aliases=("ndcg_cut", "normalized_dcg"),
    presets={"ndcg_burges": {"gain": "exp"}},
    formula="DCG@k ÷ DCG@k of the ideal ranking;  DCG@k = Σ gain(i) ÷ log₂(i + 1)",
    cite="Järvelin & Kekäläinen 2002, Cumulated Gain-Based Evaluation of IR Techniques, TOIS 20(4)",
    trec=("ndcg", "ndcg_cut_{k}"),
)
