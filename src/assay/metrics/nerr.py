"""nerr: err as a share of the err of the best possible ranking."""

from assay.metrics._gains import stop_chances
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF, JUDGED_ONLY, MAX_GRADE
from assay.metrics.err import err, expected_reciprocal_rank
from assay.model.graded import ratio


def nerr(run: GradedRun, k: int | None, max_grade: float | None) -> Scores:
    """The best ranking holds every judged document, cut at k. NERR8 … NERR11 of ir_measures are other metrics."""
    ideal = expected_reciprocal_rank(run.ideal, stop_chances(run, run.ideal.grade, max_grade), k)
    return ratio(err(run, k, max_grade), ideal)


METRIC = Metric(
    "nerr",
    nerr,
    params=(CUTOFF, MAX_GRADE, JUDGED_ONLY),
    aliases=("normalized_err",),
    formula="ERR@k ÷ ERR@k of the ideal ranking",
    cite="Chapelle, Metzler, Zhang & Grinspan 2009, Expected Reciprocal Rank for Graded Relevance, CIKM",
)
