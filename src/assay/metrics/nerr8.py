"""nerr8: gain per document inspected by a user who stops when satisfied, at rank k at the latest."""

from assay.metrics._gains import check_scale, scaled_gains
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF_VISITED, MAX_GRADE, MIN_GRADE
from assay.metrics._user_model import expected_gain


def nerr8(run: GradedRun, k: int, min_grade: float, max_grade: float | None) -> Scores:
    """Gain per document inspected by a user who stops when satisfied, at rank k at the latest.

    Gains are grades scaled to 0 … 1. Equation 8 of the paper that shows why ERR itself is no such user model.
    """
    gain = scaled_gains(run, run.retrieved.grade, min_grade, max_grade)
    return expected_gain(run, gain, lambda _, gain: 1.0 - gain, depth=k)


METRIC = Metric(
    "nerr8",
    nerr8,
    params=(CUTOFF_VISITED, MIN_GRADE, MAX_GRADE),
    check=check_scale,
    formula="weighted mean gain; chance to go on after rank i is 1 − gain(i), and 0 after rank k",
    cite="Azzopardi, Mackenzie & Moffat 2021, ERR is not C/W/L, ICTIR",
)
