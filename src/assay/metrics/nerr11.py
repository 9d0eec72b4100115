"""nerr11: gain per document inspected by a user who wants t documents' worth and stops when satisfied."""

from assay.metrics._gains import check_scale, scaled_gains
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import DEPTH, MAX_GRADE, MIN_GRADE, TARGET
from assay.metrics._user_model import expected_gain


def nerr11(run: GradedRun, t: float, min_grade: float, max_grade: float | None, depth: int) -> Scores:
    """Gain per document inspected by a user who wants t documents' worth and stops when satisfied.

    Gains are grades scaled to 0 … 1. Equation 11 of the paper that shows why ERR itself is no such user model.
    """
    gain = scaled_gains(run, run.retrieved.grade, min_grade, max_grade)
    return expected_gain(run, gain, lambda rank, gain: ((rank + 2 * t - 1) / (rank + 2 * t)) ** 2 * (1.0 - gain), depth)


METRIC = Metric(
    "nerr11",
    nerr11,
    params=(TARGET, MIN_GRADE, MAX_GRADE, DEPTH),
    check=check_scale,
    formula="weighted mean gain; chance to go on after rank i is ((i + 2t − 1) ÷ (i + 2t))² · (1 − gain(i))",
    cite="Azzopardi, Mackenzie & Moffat 2021, ERR is not C/W/L, ICTIR",
)
