"""accuracy: chance that a retrieved relevant document stands above a retrieved non-relevant one."""

import numpy as np

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF, REL
from assay.model import ratio


def accuracy(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """Chance that a retrieved relevant document stands above a retrieved non-relevant one.

    Only retrieved documents count. 1 when everything retrieved is relevant, 0 when nothing is.
    """
    hits = run.relevant(rel).top(k)
    retrieved = run.n_retrieved if k is None else run.n_retrieved.clip(max=k)
    others = retrieved - hits.count
    wrong = ratio(hits.sum((hits.rank - hits.position).astype(float)), others * hits.count)
    return np.where(hits.count > 0, 1.0 - wrong, 0.0)


METRIC = Metric(
    "accuracy",
    accuracy,
    is_monotone=False,
    ignores_the_rest=True,
    params=(CUTOFF, REL),
    mistaken_for=("hit", "precision"),
    formula="1 − (non-relevant above relevant pairs) ÷ (relevant · non-relevant), all within top k",
    cite="MacAvaney, Macdonald & Ounis 2022, Streamlining Evaluation with ir-measures, ECIR",
)
