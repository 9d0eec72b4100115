"""Confidence sequences: intervals that hold at all times, so that an experiment can be looked at as often as one likes.

The interval has the means against which a gambler cannot become rich: the capital of a bettor who stakes on the mean being
above m, or below m, would have to exceed 1/α at some time, which has a probability of at most α if m is the mean
(Waudby-Smith & Ramdas 2024, Estimating Means of Bounded Random Variables by Betting, JRSS B 86; hedged capital with the
predictable plug-in stakes of their section 4).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.stats import Estimate

LARGEST_STAKE = 0.5
"""The largest share of the capital that a bettor can lose at once."""
STEPS = 40
"""Halvings of the search for an end of the interval."""


class _Bets(NamedTuple):
    """Values from 0 to 1 in the order in which they came, and the stake at each time, known before the value."""

    values: Floats
    stakes: Floats

    def richest(self, mean: float, *, above: bool) -> float:
        """The largest logarithm of the capital of a bettor on a mean above this one, or below it."""
        room = mean if above else 1.0 - mean
        stakes = self.stakes if room <= 0 else np.minimum(self.stakes, LARGEST_STAKE / room)
        gains = self.values - mean if above else mean - self.values
        return max(float(np.cumsum(np.log1p(stakes * gains)).max()), 0.0)


def _bets(values: Floats, alpha: float) -> _Bets:
    """Stakes that fit the mean and the variance so far, with one imagined value of 1/2 and variance 1/4."""
    time = np.arange(1.0, len(values) + 1)
    means = (0.5 + np.cumsum(values)) / (time + 1)
    variances = (0.25 + np.cumsum(np.square(values - means))) / (time + 1)
    known = np.concatenate([[0.25], variances[:-1]])
    return _Bets(values, np.sqrt(2 * math.log(2 / alpha) / (known * time * np.log(time + 1))))


def mean_sequence(values: Floats, null: float, alpha: float) -> Estimate:
    """The mean of values from 0 to 1, with the interval so far (the intersection over all times) and the p of a mean.

    The p holds at all times too: the probability that it is ever at most α is at most α if the mean is `null`.
    """
    if not len(values):
        return Estimate(math.nan, 0.0, 1.0, 1.0)
    bets, limit = _bets(values, alpha), math.log(2 / alpha)
    capital = max(bets.richest(null, above=True), bets.richest(null, above=False))
    low = 0.0 if bets.richest(0.0, above=True) < limit else _end(bets, limit, above=True)
    high = 1.0 if bets.richest(1.0, above=False) < limit else _end(bets, limit, above=False)
    return Estimate(float(values.mean()), low, high, min(2.0 * math.exp(-capital), 1.0))


def _end(bets: _Bets, limit: float, *, above: bool) -> float:
    """The end of the interval: a bettor gets less rich, the closer the mean is to the other end."""
    out, inside = (0.0, 1.0) if above else (1.0, 0.0)
    for _ in range(STEPS):
        middle = (out + inside) / 2
        if bets.richest(middle, above=above) >= limit:
            out = middle
        else:
            inside = middle
    return out


def difference_sequence(values: Floats, is_second: Floats, share: float, alpha: float) -> Estimate:
    """The mean of the second group minus the mean of the first, for values from 0 to 1 of users in the order they came.

    Each user is in the second group with the probability `share`. With c the mean of earlier users, the score
    (Y − c)·(1{second}/share − 1{first}/(1 − share)) is bounded, and its mean is the difference (the doubly robust score of
    Waudby-Smith et al. 2024, Anytime-valid Off-policy Inference for Contextual Bandits).
    """
    time = np.arange(1.0, len(values) + 1)
    centre = np.concatenate([[0.5], ((0.5 + np.cumsum(values)) / (time + 1))[:-1]])
    scores = (values - centre) * np.where(is_second > 0, 1 / share, -1 / (1 - share))
    reach = 1 / min(share, 1 - share)
    estimate = mean_sequence((scores / reach + 1) / 2, 0.5, alpha)
    ends = ((2 * end - 1) * reach for end in estimate[:3])
    value, low, high = ends
    return Estimate(value, max(low, -1.0), min(high, 1.0), estimate.p)
