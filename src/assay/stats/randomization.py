"""randomization: how often the systems would differ this much had a coin dealt them their two scores on every query."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from assay.model import Floats
from assay.stats._exact import exact, exact_mean, slack_of
from assay.stats._resampling import all_keep_blocks, block_rows, column_groups, keep_blocks, resamples_param, tally
from assay.stats._test import ALTERNATIVE, Outcome, Pairs, StatisticalTest, nothing

ENUMERATED = 2**16
"""So many ways to change sides are always all looked at."""


def randomization(pairs: Pairs, resamples: int, alternative: str) -> Outcome:
    """How often the systems would differ this much had a coin dealt them their two scores on every query.

    The statistic is the mean difference, b above a. Equal systems and, two-sided, a single query have p = 1.

    Queries where a and b score the same do not matter. If the others can change sides in at most `resamples` (or
    65,536) ways, all are looked at and p is exact; otherwise p = (1 + extreme) / (1 + resamples).
    """
    n, n_columns = pairs.differences.shape
    if not n:
        return nothing(n_columns)
    p, draws = np.empty(n_columns), np.zeros(n_columns, dtype=np.int64)
    for some in column_groups(n_columns, n, block_rows(n)):
        given = exact(pairs.differences[:, some])
        few = np.count_nonzero(given.units, axis=0) < max(resamples, ENUMERATED).bit_length()
        part = p[some]
        draws[some] = np.where(few, 0, resamples)
        part[few] = _enumerated(given.units[:, few], alternative)
        part[~few] = _sampled(given.units[:, ~few], resamples, pairs.seed, alternative)
    mean = exact_mean(pairs.differences)
    return Outcome(mean, p, np.sign(mean), draws)


def _enumerated(units: Floats, alternative: str) -> Floats:
    """Share of all ways to change sides that are at least as extreme; the observed one is among them."""
    if not units.size:
        return np.empty(0)
    most = int(np.count_nonzero(units, axis=0).max())
    order = np.argsort(-np.abs(units), axis=0, kind="stable")[:most]
    moved = np.take_along_axis(units, order, axis=0)
    return tally(all_keep_blocks(most), moved, _is_extreme(moved, alternative)) / 2**most


def _sampled(units: Floats, resamples: int, seed: int, alternative: str) -> Floats:
    if not units.size:
        return np.empty(0)
    extreme = tally(keep_blocks(len(units), resamples, seed), units, _is_extreme(units, alternative))
    return (1 + extreme) / (1 + resamples)


def _is_extreme(units: Floats, alternative: str) -> Callable[[Floats], NDArray[np.bool_]]:
    """Tells from the sum of the differences that kept their sides whether the whole sum is as extreme as the observed."""
    total, slack = units.sum(axis=0), slack_of(units)
    high, low = total - slack / 2, slack / 2
    if alternative == "greater":
        return lambda kept: kept >= high
    if alternative == "less":
        return lambda kept: kept <= total + slack / 2
    top, bottom = np.where(total >= 0, high, -low), np.where(total >= 0, low, total + slack / 2)
    return lambda kept: (kept >= top) | (kept <= bottom)


TEST = StatisticalTest(
    "randomization",
    randomization,
    params=(resamples_param(100_000), ALTERNATIVE),
    aliases=("fisher", "permutation", "randomisation", "fisher_randomization", "sign_flip"),
    assumes="If the systems were alike, either could as well have had the other's score on each query.",
    cite="Fisher 1935; Smucker et al. 2007",
)
