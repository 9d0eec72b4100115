"""infap: average precision estimated from a pool of which only a sample was judged."""

import numpy as np

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import REL
from assay.model import ratio

EPSILON = 1e-5


def inferred_ap(run: GradedRun, rel: float | None) -> Scores:
    """Average precision estimated from a pool of which only a sample was judged.

    A negative grade marks a document that was pooled but not judged; one without any judgment was outside the pool.
    """
    pooled = run.retrieved
    is_judged = pooled.grade >= 0
    relevant = run.is_relevant(pooled, rel)
    hits = pooled.where(relevant)
    above = hits.rank - 1.0
    pooled_above = pooled.position[relevant] - 1.0
    judged_above = pooled.running_sum(is_judged.astype(float))[relevant] - 1.0
    relevant_above = hits.position - 1.0
    share_pooled = ratio(pooled_above, above)
    share_relevant = (relevant_above + EPSILON) / (judged_above + 2 * EPSILON)
    expected = 1.0 / hits.rank + above / hits.rank * share_pooled * share_relevant
    return ratio(hits.sum(np.where(hits.rank == 1, 1.0, expected)), run.n_relevant(rel))


METRIC = Metric(
    "infap",
    inferred_ap,
    is_monotone=False,
    ignores_the_rest=True,
    params=(REL,),
    aliases=("inf_ap", "inferred_ap"),
    formula="1/R · Σ over relevant ranks i of 1/i + (i−1)/i · pooled share above · (relevant + ε) ÷ (judged + 2ε) above",
    cite="Yilmaz & Aslam 2006, Estimating Average Precision with Incomplete and Imperfect Judgments, CIKM",
    trec=("infAP",),
)
