"""Majorities: how many other candidates each document beats when runs vote between two."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.fusion._lists import Lists
from assay.model import Floats

CELLS = 4_000_000
"""Pairs of candidates that are compared at once."""
SAME = 1e-9
"""Share of all votes by which two sides must differ to differ at all."""


def majorities(lists: Lists, weight: Floats) -> Floats:
    """For each pair: the number of candidates of its query that a majority ranks below it, and half for each draw.

    A run votes for the document it ranks higher, for the one it has if it lacks the other, and for none if it lacks both.
    """
    points = np.empty(lists.n_pairs)
    ranks = np.full((lists.n_runs, lists.n_pairs), np.iinfo(np.int32).max, dtype=np.int32)
    ranks[lists.run, lists.pair] = lists.rank
    votes = np.zeros(lists.n_runs)
    votes[lists.run] = weight
    for start, n in zip(lists.query_start.tolist(), lists.n_candidates.tolist(), strict=True):
        points[start : start + n] = _points(ranks[:, start : start + n], votes)
    return points


def _points(ranks: NDArray[np.int32], votes: Floats) -> Floats:
    """For each candidate of one query: how many others it beats, and half for each draw."""
    n = ranks.shape[1]
    points = np.empty(n)
    step = max(1, CELLS // max(n, 1))
    for first in range(0, n, step):
        some = ranks[:, first : first + step]
        ahead = np.zeros((some.shape[1], n), dtype=np.int16 if np.isin(votes, (0, 1)).all() else np.float64)
        for row, mine, vote in zip(ranks, some, votes.tolist(), strict=True):
            if vote:
                difference = np.less(mine[:, np.newaxis], row).view(np.int8)
                difference -= np.greater(mine[:, np.newaxis], row).view(np.int8)
                ahead += difference if vote == 1 else difference * vote
        close = SAME * votes.sum()
        won, drawn = (ahead > close).sum(axis=1), (np.abs(ahead) <= close).sum(axis=1) - 1
        points[first : first + step] = won + drawn / 2
    return points
