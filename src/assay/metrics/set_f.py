"""set_f: weighted harmonic mean of set precision and set recall, with trec_eval's weight."""

from assay.grammar import Param, positive
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import REL
from assay.metrics.set_precision import set_precision
from assay.metrics.set_recall import set_recall
from assay.model import ratio

BETA = Param("beta", positive, 1.0, "weight of recall, not squared", dot=True)


def set_f(run: GradedRun, rel: float | None, beta: float) -> Scores:
    """Weighted harmonic mean of set precision and set recall, with trec_eval's weight.

    β enters unsquared, so β = 4 gives the textbook's F2; the metric f squares it.
    """
    p, r = set_precision(run, rel), set_recall(run, rel)
    return ratio((beta + 1.0) * p * r, r + beta * p)


METRIC = Metric(
    "set_f",
    set_f,
    params=(REL, BETA),
    aliases=("setf",),
    formula="(β + 1) · precision · recall ÷ (recall + β · precision)",
    cite="van Rijsbergen 1979, Information Retrieval; trec_eval 9, m_set_F.c",
    trec=("set_F", "set_F_{beta}"),
)
