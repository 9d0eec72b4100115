"""nerr: err as a share of the err of the best possible ranking."""

from assay.metrics._gains import stop_chances
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF, JUDGED_ONLY, MAX_GRADE
from assay.metrics.err import err, expected_err, expected_reciprocal_rank
from assay.model import Floats, ratio


def nerr(run: GradedRun, k: int | None, max_grade: float | None) -> Scores:
    """Err as a share of the err of the best possible ranking.

    The best ranking holds every judged document, cut at k. NERR8 … NERR11 of ir_measures are other metrics.
    """
    return ratio(err(run, k, max_grade), _best(run, k, max_grade))


def expected_nerr(run: GradedRun, k: int | None, max_grade: float | None) -> Scores:
    """The mean over all orders of ties."""
    return ratio(expected_err(run, k, max_grade), _best(run, k, max_grade))


def _best(run: GradedRun, k: int | None, max_grade: float | None) -> Floats:
    """The err of the ideal ranking."""
    return expected_reciprocal_rank(run.ideal, stop_chances(run, run.ideal.grade, max_grade), k)


METRIC = Metric(
    "nerr",
    nerr,
    expected=expected_nerr,
    params=(CUTOFF, MAX_GRADE, JUDGED_ONLY),
    aliases=("normalized_err",),
    formula="ERR@k ÷ ERR@k of the ideal ranking",
    cite="Chapelle, Metzler, Zhang & Grinspan 2009, Expected Reciprocal Rank for Graded Relevance, CIKM",
)
