"""Subsets: whether some queries score lower than queries that were picked at random would.

Scores of retrieval are skewed and full of ties, and slices are small, so chance is not calculated but tried out: queries are
shuffled many times, and the first n stand for a slice of n queries that means nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.model import Floats, Ints
from assay.stats._exact import exact, slack_of
from assay.stats._student import chance_of_gap, two_samples

LARGE = 500
"""From so many queries in a slice and as many outside, Student's t says the same as shuffling, at no cost."""
CELLS = 2**18
"""Queries × shuffles of one block. Part of what a seed means."""
FEWEST, MOST = 9_999, 99_999
"""Shuffles: no fewer and no more."""


def n_shuffles(n_slices: int, alpha: float) -> int:
    """Enough that the smallest possible p is still news after a correction over that many slices."""
    return min(MOST, max(FEWEST, int(np.ceil(2 * n_slices / alpha))))


def chance_of_lower(scores: Floats, subsets: Sequence[Ints], resamples: int, seed: int = 0) -> Floats:
    """Of each subset of queries: the chance that as many queries, picked at random, have a sum as low as theirs.

    Large subsets are judged by Student's t. Where all scores are equal the chance is 1.
    """
    sizes = np.array([len(subset) for subset in subsets], dtype=np.int64)
    is_large = (sizes >= LARGE) & (len(scores) - sizes >= LARGE)
    chance = np.ones(len(subsets))
    for place in np.flatnonzero(is_large).tolist():
        chance[place] = _by_t(scores, subsets[place])
    small = np.flatnonzero(~is_large)
    if len(small) and len(scores):
        chance[small] = _by_shuffling(scores, [subsets[place] for place in small.tolist()], resamples, seed)
    return chance


def _by_shuffling(scores: Floats, subsets: Sequence[Ints], resamples: int, seed: int) -> Floats:
    """(1 + shuffles that are as low) ÷ (1 + shuffles); sums that differ by rounding only are equal."""
    units = exact(scores[:, np.newaxis]).units[:, 0]
    limit = np.array([units[subset].sum() for subset in subsets]) + slack_of(units)
    sizes, column = np.unique([len(subset) for subset in subsets], return_inverse=True)
    as_low = np.zeros(len(subsets), dtype=np.int64)
    rows, done = max(1, CELLS // len(units)), 0
    while done < resamples:
        rng = np.random.default_rng([seed, done // rows])
        n_rows = min(rows, resamples - done)
        shuffled = rng.permuted(np.broadcast_to(units, (rows, len(units))), axis=1)[:n_rows]
        sums = np.cumsum(shuffled, axis=1)[:, sizes - 1]
        as_low += _n_below(sums, column, limit)
        done += rows
    return (1 + as_low) / (1 + resamples)


def _n_below(sums: Floats, column: Ints, limit: Floats) -> Ints:
    """Of each subset: how many rows of its column are no higher than its limit."""
    ordered = np.sort(sums, axis=0)
    return np.array(
        [np.searchsorted(ordered[:, place], most, side="right") for place, most in zip(column, limit, strict=True)],
        dtype=np.int64,
    )


def _by_t(scores: Floats, subset: Ints) -> float:
    """Student's t with one spread for all queries, one-sided."""
    is_outside = np.ones(len(scores), dtype=bool)
    is_outside[subset] = False
    found = two_samples(scores[is_outside, np.newaxis], scores[~is_outside, np.newaxis])
    return float(chance_of_gap(found, "less")[0])
