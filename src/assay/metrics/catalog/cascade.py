"""Cascade: a user who reads down the ranking until a document satisfies."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.arrays import Floats, Ints, blocks_of_similar_length, ratio
from assay.metrics.definition import CUTOFF, HALF_LIFE, JUDGED_ONLY, MAX_GRADE, GradedRun, Metric, Scores
from assay.metrics.gains import BY_STOPPING, stop_chances
from assay.metrics.ties import TiedHits, tied_hits
from assay.views import Hits, tie_groups

Weights = Callable[[Ints | Floats], Floats]
"""Ranks → the weight of stopping at each."""


def reciprocals(rank: Ints | Floats) -> Floats:
    """1 ÷ rank."""
    return 1.0 / rank


def expected_reciprocal_stop(tied: TiedHits, stop: Floats, k: int | None, weigh: Weights = reciprocals) -> Floats:
    """For each query: mean of 1 ÷ the rank at which the user stops (or another weight of that rank); 0 beyond k."""
    hits, (better, equal) = tied
    still_reading = hits.running_product(1.0 - stop)
    start, group = tie_groups(hits.query, better)
    reached = np.where(hits.position[start] == 1, 1.0, still_reading[start - 1])
    alone = equal[start] == 1
    n_inside = tied.n_inside(k)[start]
    single = start[alone]
    weights = np.zeros(len(start))
    weights[alone] = np.where(n_inside[alone] > 0, stop[single] * weigh(hits.rank[single]), 0.0)
    n_stopping = np.bincount(group, minlength=len(start))
    several = np.flatnonzero(~alone & (n_inside > 0))
    for block in blocks_of_similar_length(n_inside[several]):
        chosen = several[block]
        stopped = _chance_stopped(stop, start[chosen], n_stopping[chosen], equal[start[chosen]], int(n_inside[chosen].max()))
        weights[chosen] = _weighed(stopped, better[start[chosen]], n_inside[chosen], weigh)
    return np.bincount(hits.query[start], weights=reached * weights, minlength=hits.n_queries).astype(float)


def _chance_stopped(stop: Floats, start: Ints, n_stopping: Ints, equal: Ints, deepest: int) -> Floats:
    """For each group: the probability that the user has stopped after its first 0, 1, … documents.

    Documents are added one by one. Of n documents, the last one added is among the first t with probability t ÷ n.
    Otherwise the others decide.
    """
    order = np.argsort(-n_stopping, kind="stable")
    stopped = np.zeros((len(start), deepest + 1))
    t = np.arange(1.0, deepest + 1.0)
    for nth in range(int(n_stopping.max())):
        n_groups = int(np.searchsorted(-n_stopping[order], -nth))
        rows = order[:n_groups]
        n = (equal - n_stopping + nth + 1)[rows, None]
        here = stop[start[rows] + nth][:, None]
        is_among = np.minimum(t / n, 1.0)  # cells beyond n documents have no meaning and are not read
        before = stopped[:n_groups, :-1]
        stopped[:n_groups, 1:] = (1.0 - is_among) * stopped[:n_groups, 1:] + is_among * (before + here * (1.0 - before))
    unsorted = np.empty_like(stopped)
    unsorted[order] = stopped
    return unsorted


def _weighed(stopped: Floats, better: Ints, n_inside: Ints, weigh: Weights) -> Floats:
    """Σ over the first ranks of each group: probability to stop at the rank times the weight of the rank."""
    nth = np.arange(1, stopped.shape[1])
    worth = np.where(nth <= n_inside[:, None], np.diff(stopped, axis=1) * weigh(better[:, None] + nth), 0.0)
    total: Floats = np.add.accumulate(worth, axis=1)[:, -1]  # in order, so that padding does not change a digit
    return total


def expected_reciprocal_rank(hits: Hits, stop: Floats, k: int | None) -> Floats:
    """Σ over ranks of 1/rank · probability to stop here · probability not to have stopped before."""
    inside = hits.rank <= (k or hits.rank.max(initial=0))
    hits, stop = hits.where(inside), stop[inside]
    not_yet = np.roll(hits.running_product(1.0 - stop), 1)
    return hits.sum(np.where(hits.position == 1, 1.0, not_yet) * stop / hits.rank)


def err(run: GradedRun, k: int | None, max_grade: float | None) -> Scores:
    """Expected value of 1 ÷ the rank at which a user who reads from the top is satisfied.

    A document satisfies the user with probability (2^grade − 1) ÷ 2^max_grade, which is below 1 even for the highest grade.
    """
    return expected_reciprocal_rank(run.retrieved, stop_chances(run, run.retrieved.grade, max_grade), k)


def expected_err(run: GradedRun, k: int | None, max_grade: float | None) -> Scores:
    """The mean over all orders of ties."""
    stop = stop_chances(run, run.retrieved.grade, max_grade)
    return expected_reciprocal_stop(tied_hits(run, stop > 0), stop[stop > 0], k)


ERR = Metric(
    "err",
    err,
    expected=expected_err,
    params=(CUTOFF, MAX_GRADE, HALF_LIFE, JUDGED_ONLY),
    worth=BY_STOPPING,
    aliases=("expected_reciprocal_rank",),
    formula="Σ over ranks i ≤ k of 1/i · sᵢ · Π over j < i of (1 − sⱼ),  s = (2^grade − 1) ÷ 2^max_grade",
    cite="Chapelle, Metzler, Zhang & Grinspan 2009, Expected Reciprocal Rank for Graded Relevance, CIKM",
)


def nerr(run: GradedRun, k: int | None, max_grade: float | None) -> Scores:
    """ERR of the ranking divided by the ERR of the best possible ranking.

    The best possible ranking has all judged documents, cut at k. NERR8 … NERR11 of ir_measures are different metrics.
    """
    return ratio(err(run, k, max_grade), _best_err(run, k, max_grade))


def expected_nerr(run: GradedRun, k: int | None, max_grade: float | None) -> Scores:
    """The mean over all orders of ties."""
    return ratio(expected_err(run, k, max_grade), _best_err(run, k, max_grade))


def _best_err(run: GradedRun, k: int | None, max_grade: float | None) -> Floats:
    """The ERR of the ideal ranking."""
    return expected_reciprocal_rank(run.ideal, stop_chances(run, run.ideal.grade, max_grade), k)


NERR = Metric(
    "nerr",
    nerr,
    expected=expected_nerr,
    params=(CUTOFF, MAX_GRADE, HALF_LIFE, JUDGED_ONLY),
    worth=BY_STOPPING,
    aliases=("normalized_err",),
    formula="ERR@k ÷ ERR@k of the ideal ranking",
    cite="Chapelle, Metzler, Zhang & Grinspan 2009, Expected Reciprocal Rank for Graded Relevance, CIKM",
)
