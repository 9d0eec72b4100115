"""insq: gain per document inspected by a user who wants t and reads on more readily the deeper they are."""

import numpy as np

from assay.metrics._gains import check_scale, scaled_gains
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import DEPTH, MAX_GRADE, MIN_GRADE, TARGET


def insq(run: GradedRun, t: float, min_grade: float, max_grade: float | None, depth: int) -> Scores:
    """Gain per document inspected by a user who wants t and reads on more readily the deeper they are.

    Gains are grades scaled to 0 … 1; summed over 1,000 ranks as cwl_eval does.
    """
    reach = (2 * t / (2 * t + np.arange(depth))) ** 2
    weight = reach / reach.sum()
    hits = run.retrieved.top(depth)
    return hits.sum(scaled_gains(run, hits.grade, min_grade, max_grade) * weight[hits.rank - 1])


METRIC = Metric(
    "insq",
    insq,
    params=(TARGET, MIN_GRADE, MAX_GRADE, DEPTH),
    check=check_scale,
    formula="weighted mean gain; chance to go on after rank i is ((i + 2t − 1) ÷ (i + 2t))²",
    cite="Moffat, Scholer & Thomas 2012, Models and Metrics: IR Evaluation as a User Process, ADCS",
)
