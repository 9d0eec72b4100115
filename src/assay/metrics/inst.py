"""inst: gain per document inspected by a user who wants t and reads on more readily the less they have."""

import numpy as np

from assay.metrics._gains import check_scale, scaled_gains
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import DEPTH, MAX_GRADE, MIN_GRADE, TARGET
from assay.metrics._user_model import expected_gain
from assay.model import Floats


def inst(run: GradedRun, t: float, min_grade: float, max_grade: float | None, depth: int) -> Scores:
    """Gain per document inspected by a user who wants t and reads on more readily the less they have.

    Gains are grades scaled to 0 … 1; summed over 1,000 ranks as cwl_eval does.
    """

    def go_on(rank: Floats, gain: Floats) -> Floats:
        wanted = rank + 2 * t - np.cumsum(gain, axis=1)
        return ((wanted - 1.0) / wanted) ** 2

    return expected_gain(run, scaled_gains(run, run.retrieved.grade, min_grade, max_grade), go_on, depth)


METRIC = Metric(
    "inst",
    inst,
    params=(TARGET, MIN_GRADE, MAX_GRADE, DEPTH),
    check=check_scale,
    formula="weighted mean gain; chance to go on after rank i is ((c − 1) ÷ c)²,  c = i + 2t − gain up to i",
    cite="Moffat, Bailey, Scholer & Thomas 2015, INST: An Adaptive Metric for IR Evaluation, ADCS",
)
