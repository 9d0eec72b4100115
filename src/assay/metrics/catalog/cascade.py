"""Cascade: a user who reads down until a document satisfies."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.arrays import Floats, Ints, blocks_of_similar_length, ratio
from assay.metrics.definition import CUTOFF, JUDGED_ONLY, MAX_GRADE, GradedRun, Metric, Scores
from assay.metrics.gains import stop_chances
from assay.metrics.ties import TiedHits, tied_hits
from assay.views import Hits, tie_groups

Weights = Callable[[Ints | Floats], Floats]
"""Ranks → what stopping there is worth."""


def reciprocals(rank: Ints | Floats) -> Floats:
    """1 ÷ rank."""
    return 1.0 / rank


def expected_reciprocal_stop(tied: TiedHits, stop: Floats, k: int | None, weigh: Weights = reciprocals) -> Floats:
    """Mean of 1 ÷ the rank at which the user stops (or another weight of it), 0 where that is beyond k, for each query."""
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
    """For each group, the chance to have stopped after its first 0, 1, … documents.

    Of n documents the last one added is among the first t with chance t ÷ n; else the others decide.
    """
    order = np.argsort(-n_stopping, kind="stable")
    stopped = np.zeros((len(start), deepest + 1))
    t = np.arange(1.0, deepest + 1.0)
    for nth in range(int(n_stopping.max())):
        n_groups = int(np.searchsorted(-n_stopping[order], -nth))
        rows = order[:n_groups]
        n = (equal - n_stopping + nth + 1)[rows, None]
        here = stop[start[rows] + nth][:, None]
        is_among = np.minimum(t / n, 1.0)  # beyond n documents cells mean nothing, and are not read
        before = stopped[:n_groups, :-1]
        stopped[:n_groups, 1:] = (1.0 - is_among) * stopped[:n_groups, 1:] + is_among * (before + here * (1.0 - before))
    unsorted = np.empty_like(stopped)
    unsorted[order] = stopped
    return unsorted


def _weighed(stopped: Floats, better: Ints, n_inside: Ints, weigh: Weights) -> Floats:
    """Σ of the chance to stop at a rank times its weight, over the first ranks of each group."""
    nth = np.arange(1, stopped.shape[1])
    worth = np.where(nth <= n_inside[:, None], np.diff(stopped, axis=1) * weigh(better[:, None] + nth), 0.0)
    total: Floats = np.add.accumulate(worth, axis=1)[:, -1]  # in order, so that padding changes no digit
    return total


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


ERR = Metric(
    "err",
    err,
    expected=expected_err,
    params=(CUTOFF, MAX_GRADE, JUDGED_ONLY),
    aliases=("expected_reciprocal_rank",),
    formula="Σ over ranks i ≤ k of 1/i · sᵢ · Π over j < i of (1 − sⱼ),  s = (2^grade − 1) ÷ 2^max_grade",
    cite="Chapelle, Metzler, Zhang & Grinspan 2009, Expected Reciprocal Rank for Graded Relevance, CIKM",
)


def nerr(run: GradedRun, k: int | None, max_grade: float | None) -> Scores:
    """Err as a share of the err of the best possible ranking.

    The best ranking holds every judged document, cut at k. NERR8 … NERR11 of ir_measures are other metrics.
    """
    return ratio(err(run, k, max_grade), _best_err(run, k, max_grade))


def expected_nerr(run: GradedRun, k: int | None, max_grade: float | None) -> Scores:
    """The mean over all orders of ties."""
    return ratio(expected_err(run, k, max_grade), _best_err(run, k, max_grade))


def _best_err(run: GradedRun, k: int | None, max_grade: float | None) -> Floats:
    """The err of the ideal ranking."""
    return expected_reciprocal_rank(run.ideal, stop_chances(run, run.ideal.grade, max_grade), k)


NERR = Metric(
    "nerr",
    nerr,
    expected=expected_nerr,
    params=(CUTOFF, MAX_GRADE, JUDGED_ONLY),
    aliases=("normalized_err",),
    formula="ERR@k ÷ ERR@k of the ideal ranking",
    cite="Chapelle, Metzler, Zhang & Grinspan 2009, Expected Reciprocal Rank for Graded Relevance, CIKM",
)
