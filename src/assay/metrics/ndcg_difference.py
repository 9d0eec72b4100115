"""nDCG: how far the difference of two systems can move with the grades of unjudged documents.

The difference is the difference in DCG, which is linear in the gains, divided by ideal DCG, which grows with the same gains.
Ideal DCG is a sum over levels of gain: the width of the level times the discounts of the places of all documents that reach
it. So the number of unjudged documents that reach a level can be chosen level by level.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import BLOCK_CELLS, Floats, Ints, distinct, ratio
from assay.metrics.gains import discounts, gain_function
from assay.metrics.residuals import MAX_STEPS, possible_top_gain
from assay.views import GradedRun, UnjudgedDocuments


def ndcg_difference_bounds(
    a: GradedRun, b: GradedRun, unjudged: UnjudgedDocuments, grade: float, params: Mapping[str, Any]
) -> tuple[Floats, Floats]:
    """The lowest and highest difference of each query with unjudged documents; nan for all other queries."""
    certain = _dcg(b, params) - _dcg(a, params)
    weight_a, weight_b = (_weights(rank, params) for rank in (unjudged.rank_a, unjudged.rank_b))
    count = np.bincount(unjudged.query, minlength=a.n_queries)
    first = np.cumsum(count) - count
    open_queries = np.flatnonzero(count)
    levels = _levels(a, int(count.max(initial=0)), grade, params)
    low, high = np.full((2, a.n_queries), np.nan)
    size = max(1, BLOCK_CELLS // (len(levels.gain) * (int(count.max(initial=0)) + 1)))
    for start in range(0, len(open_queries), size):
        block = open_queries[start : start + size]
        moves = _padded(weight_b - weight_a, first[block], count[block])
        ideal = levels.of_queries(block, moves.shape[1])
        low[block] = -_highest(-certain[block], -moves, count[block], ideal)
        high[block] = _highest(certain[block], moves, count[block], ideal)
    return low, high


def _dcg(run: GradedRun, params: Mapping[str, Any]) -> Floats:
    hits = run.judged.top(params["k"])
    return hits.sum(gain_function(params["gain"], params["rel"])(hits.grade) * discounts(hits.rank, params["discount"]))


def _weights(rank: Ints, params: Mapping[str, Any]) -> Floats:
    """The discount of each rank; 0 if a system does not have the document."""
    return np.where(rank > 0, discounts(np.maximum(rank, 1), params["discount"]), 0.0)


def _padded(values: Floats, first: Ints, count: Ints) -> Floats:
    """Queries × unjudged documents; nan after the last document of a query."""
    place = np.arange(int(count.max()))
    is_there = place < count[:, None]
    matrix = np.full(is_there.shape, np.nan)
    matrix[is_there] = values[(first[:, None] + place)[is_there]]
    return matrix


class _Ideal(NamedTuple):
    """The ideal rankings of some queries, to which unjudged documents are added."""

    width: Floats
    """Queries × levels: how much gain lies between a level and the one below; 0 above the top gain of a query."""
    costs: Floats
    """Queries × levels × n: the discounts of all documents that reach a level if n unjudged documents reach it."""


class _Levels(NamedTuple):
    """The levels of gain that occur, and how many judged documents of each query reach each of them."""

    gain: Floats
    n_judged: Ints
    """Queries × levels."""
    top: float
    """The highest gain that an unjudged document could have, if none of its query has a higher one."""
    cost: Floats
    """The sum of the discounts of the first 0, 1, 2 … places of the ideal ranking."""

    def of_queries(self, queries: Ints, n_open: int) -> _Ideal:
        """The ideal rankings of some queries, with up to this number of unjudged documents."""
        n_judged = self.n_judged[queries]
        width = np.where((self.gain <= self.top) | (n_judged > 0), np.diff(self.gain, prepend=0.0), 0.0)
        return _Ideal(width, self.cost[n_judged[:, :, None] + np.arange(n_open + 1)])


def _levels(run: GradedRun, n_open: int, grade: float, params: Mapping[str, Any]) -> _Levels:
    ideal, gains = run.ideal_by(gain_function(params["gain"], params["rel"]))
    top = possible_top_gain(grade, params)
    levels = distinct(gains if top <= 0 else np.append(gains, top))
    number = np.searchsorted(levels, gains)
    at_level = np.bincount(ideal.query * len(levels) + number, minlength=run.n_queries * len(levels))
    n_judged = at_level.reshape(run.n_queries, len(levels))[:, ::-1].cumsum(axis=1)[:, ::-1]
    places = np.arange(1, int(ideal.count.max(initial=0)) + n_open + 1)
    cutoff = None if params["ideal"] == "uncut" else params["k"]
    weight = np.where(places <= (cutoff or len(places)), discounts(places, params["discount"]), 0.0)
    return _Levels(levels, n_judged, top, np.concatenate(([0.0], np.cumsum(weight))))


def _highest(certain: Floats, moves: Floats, count: Ints, ideal: _Ideal) -> Floats:
    """The highest quotient of each query. `moves` is how much more weight b gives to each document than a.

    A quotient below 0 is highest if each document has no gain or the top gain, because ideal DCG is convex in the gains.
    """
    width, costs = ideal
    moves = -np.sort(-moves, axis=1)  # nan stays last
    gained = np.zeros((len(moves), moves.shape[1] + 1))
    gained[:, 1:] = np.cumsum(np.nan_to_num(moves), axis=1)
    quotient = ratio(certain[:, None] + width.sum(axis=1)[:, None] * gained, np.einsum("ql,qln->qn", width, costs))
    quotient[np.arange(gained.shape[1]) > count[:, None]] = -np.inf
    highest: Floats = quotient.max(axis=1)
    above = np.flatnonzero(highest > 0)
    gained[:, 1:] = np.cumsum(np.maximum(np.nan_to_num(moves), 0.0), axis=1)
    highest[above] = _highest_above_zero(certain[above], gained[above], _Ideal(width[above], costs[above]), highest[above])
    return highest


def _highest_above_zero(certain: Floats, gained: Floats, ideal: _Ideal, best: Floats) -> Floats:
    """The best choice at one quotient leads to a better quotient, until there is none.

    (Dinkelbach 1967, On Nonlinear Fractional Programming, Management Science 13)
    """
    width, costs = ideal
    for _ in range(MAX_STEPS):
        chosen = (gained[:, None, :] - best[:, None, None] * costs).argmax(axis=2)
        total = (width * np.take_along_axis(costs, chosen[:, :, None], axis=2)[:, :, 0]).sum(axis=1)
        better = ratio(certain + (width * np.take_along_axis(gained, chosen, axis=1)).sum(axis=1), total)
        if not (better > best).any():
            break
        best = np.maximum(best, better)
    return best
