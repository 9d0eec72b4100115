"""Votes: runs give points, or decide between every two documents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats
from assay.fusion.fusion import WEIGHTS, Fusion
from assay.fusion.lists import RankedLists

MAX_CELLS = 4_000_000
"""Pairs of candidates that are compared at once."""
DRAW_TOLERANCE = 1e-9
"""Share of all votes by which two sides must differ to differ at all."""


def majorities(lists: RankedLists, weight: Floats) -> Floats:
    """For each pair: the number of candidates of its query that a majority ranks below it, and half for each draw.

    A run votes for the document it ranks higher, for the one it has if it lacks the other, and for none if it lacks both.
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
    """For each candidate of one query: how many others it beats, and half for each draw."""
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
    """Points of all runs, each times the weight of its occurrences' run.

    Of c candidates (the documents of all runs) the first of a run gets c points, the next c − 1, and so on; those it lacks
    share what is left, (c − n + 1) ÷ 2 each where it has n. A run without the query gives no points.
    """
    stretch = lists.stretch
    candidates = lists.n_candidates[lists.stretch_query]
    left = (candidates - lists.length + 1) / 2
    points = candidates[stretch] - lists.rank + 1 - left[stretch]
    stretch_weight = weight[lists.start] if len(weight) else weight
    for_all = np.bincount(lists.stretch_query, left * stretch_weight, len(lists.docs))
    return for_all[lists.query] + lists.sums(points * weight)


def borda(lists: RankedLists) -> Floats:
    """Every run gives its documents points, more for higher ranks; the points are added up.

    Of c candidates the first gets c points, the next c − 1 …; those a run lacks share the points that are left.
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
    """Runs vote between every two documents; a document is worth the number of others that it beats.

    A draw is worth ½, and a run that has neither document does not vote.

    Montague & Aslam sort by majorities. Where those are circular (a before b, b before c, c before a), what a sort gives
    depends on how it began; counting them (Copeland 1951) gives the same order where they are not, and a tie where they are.
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
    """Every run gives its documents points times its weight; the points are added up.

    Points as in borda. Without weights, each run has its equal share of 1.
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
    """Runs vote with their weights between every two documents; a document is worth how many it beats.

    As condorcet, with weighted votes; sides that differ by rounding alone draw.
    """
    return majorities(lists, lists.weights(weights, each=1.0))


WEIGHTED_CONDORCET = Fusion(
    "weighted_condorcet",
    weighted_condorcet,
    params=(WEIGHTS,),
    aliases=("w_condorcet",),
    cite="Montague & Aslam 2002, Condorcet Fusion for Improved Retrieval, CIKM",
)
