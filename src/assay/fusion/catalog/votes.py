"""Votes: runs give points to documents, or vote between every two documents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats
from assay.fusion.fusion import WEIGHTS, Fusion
from assay.fusion.lists import RankedLists

MAX_CELLS = 4_000_000
"""The most pairs of candidates that are compared at once."""
DRAW_TOLERANCE = 1e-9
"""A difference of at most this share of all votes is a draw."""


def majorities(lists: RankedLists, weight: Floats) -> Floats:
    """For each pair: the number of candidates of its query that a majority ranks below it, plus ½ for each draw.

    A run votes for the document that it ranks higher, for the only one that it contains, or for none if it contains neither.
    """
    points = np.empty(lists.n_pairs)
    ranks = np.full((lists.n_runs, lists.n_pairs), np.iinfo(np.int32).max, dtype=np.int32)
    ranks[lists.run, lists.pair] = lists.rank
    votes = np.zeros(lists.n_runs)
    votes[lists.run] = weight
    for start, n in zip(lists.query_start.tolist(), lists.n_candidates.tolist(), strict=True):
        points[start : start + n] = _majority_points(ranks[:, start : start + n], votes)
    return points


def _majority_points(ranks: NDArray[np.int32], votes: Floats) -> Floats:
    """For each candidate of one query: the number of others that it beats, plus ½ for each draw."""
    n = ranks.shape[1]
    points = np.empty(n)
    step = max(1, MAX_CELLS // max(n, 1))
    for first in range(0, n, step):
        some = ranks[:, first : first + step]
        ahead = np.zeros((some.shape[1], n), dtype=np.int16 if np.isin(votes, (0, 1)).all() else np.float64)
        for row, mine, vote in zip(ranks, some, votes.tolist(), strict=True):
            if vote:
                difference = np.less(mine[:, np.newaxis], row).view(np.int8)
                difference -= np.greater(mine[:, np.newaxis], row).view(np.int8)
                ahead += difference if vote == 1 else difference * vote
        close = DRAW_TOLERANCE * votes.sum()
        won, drawn = (ahead > close).sum(axis=1), (np.abs(ahead) <= close).sum(axis=1) - 1
        points[first : first + step] = won + drawn / 2
    return points


def borda_points(lists: RankedLists, weight: Floats) -> Floats:
    """The sum of the points of all runs, each times the weight of its run.

    With c candidates (the documents of all runs), the first document of a run gets c points, the next c − 1, and so on. If a
    run contains n documents, each of the others gets (c − n + 1) ÷ 2 points. A run without the query gives no points.
    """
    stretch = lists.stretch
    candidates = lists.n_candidates[lists.stretch_query]
    left = (candidates - lists.length + 1) / 2
    points = candidates[stretch] - lists.rank + 1 - left[stretch]
    stretch_weight = weight[lists.start] if len(weight) else weight
    for_all = np.bincount(lists.stretch_query, left * stretch_weight, len(lists.docs))
    return for_all[lists.query] + lists.sums(points * weight)


def borda(lists: RankedLists) -> Floats:
    """The sum of the points that the runs give; a run gives more points to higher ranks.

    With c candidates, the first document gets c points, the next c − 1, and so on. The documents that a run does not contain
    share the remaining points.
    """
    return borda_points(lists, np.ones(len(lists.pair)))


BORDA = Fusion(
    "borda",
    borda,
    aliases=("bordafuse", "borda_fuse"),
    weighted="weighted_borda",
    cite="Aslam & Montague 2001, Models for Metasearch, SIGIR",
)


def condorcet(lists: RankedLists) -> Floats:
    """The number of other documents that a document beats when the runs vote between every two documents.

    A draw counts ½. A run that contains neither document does not vote.

    Montague & Aslam sort by majorities. If majorities are circular (a before b, b before c, c before a), the result of a
    sort depends on the initial order. Counting wins (Copeland 1951) gives a tie then, and otherwise the same order.
    """
    return majorities(lists, np.ones(len(lists.pair)))


CONDORCET = Fusion(
    "condorcet",
    condorcet,
    aliases=("condorcet_fuse", "copeland"),
    weighted="weighted_condorcet",
    cite="Montague & Aslam 2002, Condorcet Fusion for Improved Retrieval, CIKM",
)


def weighted_borda(lists: RankedLists, weights: tuple[float, ...]) -> Floats:
    """The sum of the points that the runs give, multiplied by the weights of the runs.

    Points are as in borda. Without weights, all runs have the same weight; the weights add up to 1.
    """
    return borda_points(lists, lists.weights(weights, each=1 / lists.n_runs))


WEIGHTED_BORDA = Fusion(
    "weighted_borda",
    weighted_borda,
    params=(WEIGHTS,),
    aliases=("w_bordafuse", "weighted_bordafuse"),
    cite="Aslam & Montague 2001, Models for Metasearch, SIGIR",
)


def weighted_condorcet(lists: RankedLists, weights: tuple[float, ...]) -> Floats:
    """The number of other documents that a document beats in weighted votes of the runs between every two documents.

    Like condorcet, with weighted votes. A difference that is only a rounding error counts as a draw.
    """
    return majorities(lists, lists.weights(weights, each=1.0))


WEIGHTED_CONDORCET = Fusion(
    "weighted_condorcet",
    weighted_condorcet,
    params=(WEIGHTS,),
    aliases=("w_condorcet",),
    cite="Montague & Aslam 2002, Condorcet Fusion for Improved Retrieval, CIKM",
)
