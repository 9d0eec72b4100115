"""rbp_residual: how much rbp could still rise if every unjudged document were relevant."""

import numpy as np

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics.rbp import P


def rbp_residual(run: GradedRun, p: float) -> Scores:
    """Counts everything past the end of the ranking as unjudged, so an empty ranking has residual 1. trec_eval 10
    gives 0 instead where everything retrieved is judged.
    """
    hits = run.judged
    return 1.0 - (1.0 - p) * hits.sum(np.power(p, hits.rank - 1.0))


METRIC = Metric(
    "rbp_residual",
    rbp_residual,
    params=(P,),
    aliases=("rbp_resid",),
    higher_is_better=False,
    formula="1 − (1 − p) · Σ over judged ranks i of p^(i − 1)",
    cite="Moffat & Zobel 2008, Rank-Biased Precision for Measurement of Retrieval Effectiveness, TOIS 27(1)",
)
