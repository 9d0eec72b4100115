"""bpref: how rarely a judged non-relevant document stands above a relevant one; unjudged documents do not matter."""

import numpy as np

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import REL
from assay.model.graded import ratio


def bpref(run: GradedRun, rel: float | None) -> Scores:
    """Only the first R non-relevant documents count. With none judged non-relevant every retrieved relevant one scores 1.
    Negative grades count as unjudged.
    """
    judged = run.judged
    relevant = run.is_relevant(judged, rel)
    total = run.n_relevant(rel)
    n_other = run.ideal.where(run.ideal.grade >= 0).count - total
    above = (judged.position - judged.running_sum(relevant.astype(float)))[relevant]
    hits = judged.where(relevant)
    most = np.minimum(n_other, total)
    preferred = 1.0 - ratio(np.minimum(above, total[hits.query]), most[hits.query])
    return ratio(hits.sum(preferred), total)


METRIC = Metric(
    "bpref",
    bpref,
    params=(REL,),
    aliases=("binary_preference",),
    formula="1/R · Σ over retrieved relevant r of (1 − min(N above r, R) ÷ min(N, R)),  N = judged non-relevant",
    cite="Buckley & Voorhees 2004, Retrieval Evaluation with Incomplete Information, SIGIR",
    trec=("bpref",),
)
