"""err: expected reciprocal of the rank at which a user going down the list is satisfied."""

import numpy as np

from assay.metrics._expected import tied_hits
from assay.metrics._gains import stop_chances
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF, JUDGED_ONLY, MAX_GRADE
from assay.metrics._stopping import expected_reciprocal_stop
from assay.model import Floats, Hits


def expected_reciprocal_rank(hits: Hits, stop: Floats, k: int | None) -> Floats:
    """Σ over ranks of 1/rank · chance to stop here · chance not to have stopped before."""
    inside = hits.rank <= (k or hits.rank.max(initial=0))
    hits, stop = hits.where(inside), stop[inside]
    not_yet = np.roll(hits.running_product(1.0 - stop), 1)
    return hits.sum(np.where(hits.position == 1, 1.0, not_yet) * stop / hits.rank)


def err(run: GradedRun, k: int | None, max_grade: float | None) -> Scores:
    """Expected reciprocal of the rank at which a user going down the list is satisfied.

    The chance to stop is (2^grade − 1) ÷ 2^max_grade, so even a perfect document leaves some doubt.
    """
    return expected_reciprocal_rank(run.retrieved, stop_chances(run, run.retrieved.grade, max_grade), k)


def expected_err(run: GradedRun, k: int | None, max_grade: float | None) -> Scores:
    """The mean over all orders of ties."""
    stop = stop_chances(run, run.retrieved.grade, max_grade)
    return expected_reciprocal_stop(tied_hits(run, stop > 0), stop[stop > 0], k)


METRIC = Metric(
    "err",
    err,
    expected=expected_err,
    params=(CUTOFF, MAX_GRADE, JUDGED_ONLY),
    aliases=("expected_reciprocal_rank",),
    formula="Σ over ranks i ≤ k of 1/i · sᵢ · Π over j < i of (1 − sⱼ),  s = (2^grade − 1) ÷ 2^max_grade",
    cite="Chapelle, Metzler, Zhang & Grinspan 2009, Expected Reciprocal Rank for Graded Relevance, CIKM",
)
