"""reranking_improvement: how much better NDCG is after reranking than before, as a percentage of the NDCG before."""

from typing import Any

import numpy as np

from assay.metrics._metric import Metric
from assay.metrics._param import CUTOFF, GAIN
from assay.metrics.ndcg import ndcg
from assay.model import PERCENTAGE_OF_SUMS, Composed, Reranking, ratio


def reranking_improvement(reranking: Reranking, k: int | None, gain: Any) -> Composed:
    """How much better NDCG is after reranking than before, as a percentage of the NDCG before.

    Over all queries it is the change of the mean NDCG as a percentage of the mean before, which is not the mean of the
    queries' percentages. A query with an NDCG of 0 before has no percentage of its own, but counts in both means; where all
    are 0 the figure is undefined.
    """
    before, after = reranking.each(lambda run: ndcg(run, k, gain, "log2", None, "judged"))
    percentage = np.where(before > 0, 100 * ratio(after - before, before), np.nan)
    return Composed(percentage, np.column_stack([after - before, before]))


METRIC = Metric(
    "reranking_improvement",
    reranking_improvement,
    params=(CUTOFF, GAIN),
    aliases=("rerank_improvement",),
    range=(-100.0, float("inf")),
    aggregation=PERCENTAGE_OF_SUMS,
    view="reranking",
    formula="100 · (mean NDCG@k after − mean NDCG@k before) ÷ mean NDCG@k before",
    cite="Nogueira & Cho 2019, Passage Re-ranking with BERT, arXiv:1901.04085",
)
