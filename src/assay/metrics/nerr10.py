"""nerr10: gain per document inspected by a user who goes on with chance p unless satisfied."""

from assay.grammar import Param, persistence
from assay.metrics._gains import check_scale, scaled_gains
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import DEPTH, MAX_GRADE, MIN_GRADE
from assay.metrics._user_model import expected_gain

P = Param("p", persistence, 0.9, "chance to go on after a document of no use")


def nerr10(run: GradedRun, p: float, min_grade: float, max_grade: float | None, depth: int) -> Scores:
    """Gain per document inspected by a user who goes on with chance p unless satisfied.

    Gains are grades scaled to 0 … 1. Equation 10 of the paper that shows why ERR itself is no such user model.
    """
    gain = scaled_gains(run, run.retrieved.grade, min_grade, max_grade)
    return expected_gain(run, gain, lambda _, gain: p * (1.0 - gain), depth)


METRIC = Metric(
    "nerr10",
    nerr10,
    params=(P, MIN_GRADE, MAX_GRADE, DEPTH),
    check=check_scale,
    formula="weighted mean gain; chance to go on after rank i is p · (1 − gain(i))",
    cite="Azzopardi, Mackenzie & Moffat 2021, ERR is not C/W/L, ICTIR",
)
