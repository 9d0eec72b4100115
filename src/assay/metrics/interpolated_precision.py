"""iprec: best precision reached at this recall or any higher one."""

from assay.grammar import REQUIRED, Param, fraction
from assay.metrics._interpolation import ROUNDING, interpolated_precisions
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import JUDGED_ONLY, REL

RECALL = Param("recall", fraction, REQUIRED, "the recall, from 0 to 1", at=True)


def interpolated_precision(run: GradedRun, recall: float, rel: float | None, rounding: str) -> Scores:
    """Best precision reached at this recall or any higher one.

    Recall x is reached with the ⌊x · R + 0.9⌋-th relevant document, as in trec_eval 9. 0 where it never is.
    """
    return interpolated_precisions(run, (recall,), rel, rounding)[:, 0]


METRIC = Metric(
    "iprec",
    interpolated_precision,
    params=(RECALL, REL, ROUNDING, JUDGED_ONLY),
    aliases=("iprec_at_recall", "interpolated_precision", "interpolated_precision_at_recall"),
    formula="max of P@i over ranks i at which recall is x or more",
    cite="Manning, Raghavan & Schütze 2008, Introduction to Information Retrieval, §8.4",
    trec=("iprec_at_recall_{recall:.2f}",),
)
