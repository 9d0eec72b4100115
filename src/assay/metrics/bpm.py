"""bpm: gain per document inspected by a user who stops once they have t, or after k documents."""

import numpy as np

from assay.metrics._gains import check_scale, scaled_gains
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF_NEEDED, MAX_GRADE, MIN_GRADE, TARGET


def bpm(run: GradedRun, k: int, t: float, min_grade: float, max_grade: float | None) -> Scores:
    """Gain per document inspected by a user who stops once they have t, or after k documents.

    Gains are grades scaled to 0 … 1. Without enough gain the user reads all k ranks, also of a shorter ranking.
    """
    hits = run.retrieved.top(k)
    total = hits.running_sum(scaled_gains(run, hits.grade, min_grade, max_grade))
    enough = total >= t
    stop = np.full(run.n_queries, k)
    np.minimum.at(stop, hits.query[enough], hits.rank[enough])
    gained = np.zeros(run.n_queries)
    read = hits.rank <= stop[hits.query]
    np.maximum.at(gained, hits.query[read], total[read])
    return gained / stop


METRIC = Metric(
    "bpm",
    bpm,
    is_monotone=False,
    params=(CUTOFF_NEEDED, TARGET, MIN_GRADE, MAX_GRADE),
    check=check_scale,
    aliases=("bejeweled_player_model",),
    formula="gain up to n ÷ n,  n = first rank with gain ≥ t, at most k",
    cite="Zhang, Liu, Li, Zhang, Xu & Ma 2017, Evaluating Web Search with a Bejeweled Player Model, SIGIR",
)
