"""Bayesian: the probability, given the scores, that one system is better."""

from typing import NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.grammar import Param, not_negative
from assay.stats.numeric import ROUNDING, rounding_of
from assay.stats.significance import Outcome, Pairs, StatisticalTest, nothing
from assay.stats.student import chance_below, student

ROPE = Param(
    "rope",
    not_negative,
    0.0,
    "region of practical equivalence: mean differences up to this value count as equal",
    aliases=("margin",),
)


class Posterior(NamedTuple):
    """For each column, three probabilities that sum to 1: the mean of b is above, about equal to, or below the mean of a."""

    p_better: Floats
    p_equal: Floats
    p_worse: Floats


def posterior(pairs: Pairs, rope: float = 0.0) -> Posterior:
    """The probabilities for the mean difference, given the scores and an uninformative prior.

    With the reference prior, the mean difference follows a t distribution around the observed mean. With a single query,
    better and worse have probability 0.5 each. If all n differences are equal, there is no spread: then a probability of
    2 ÷ 2^n is split evenly between better and worse, and the rest belongs to the side of the difference.
    """
    if not len(pairs.a):
        nan = nothing(pairs.a.shape[1]).p
        return Posterior(nan, nan, nan)
    better, not_better, worse, _ = _sides(pairs, rope)
    return Posterior(better, np.maximum(not_better - worse, 0.0), worse)


def bayesian(pairs: Pairs, rope: float) -> Outcome:
    """How probable it is, given the scores, that b is better, worse, or practically equal.

    The statistic is the probability that b is better by more than the region of practical equivalence.

    So that you can read p as in other tests, p is twice the probability against the more likely side, at most 1. With
    rope = 0 it equals the p of paired_t. `posterior` returns the three probabilities.
    """
    if not len(pairs.a):
        return nothing(pairs.a.shape[1])
    better, not_better, _, not_worse = _sides(pairs, rope)
    direction = student(pairs.differences, rounding_of(pairs.a, pairs.b)).direction
    return Outcome(better, np.minimum(1.0, 2.0 * np.minimum(not_better, not_worse)), direction)


def _sides(pairs: Pairs, rope: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Probability of better, not better, worse, not worse; each computed separately, so that tiny values stay exact."""
    rounding = rounding_of(pairs.a, pairs.b) + ROUNDING * rope
    above, below = student(pairs.differences - rope, rounding), student(pairs.differences + rope, rounding)
    open_half = 0.5 ** len(pairs.a)
    better = np.where(above.is_nil, open_half, chance_below(above))
    not_better = np.where(above.is_nil, 1.0 - open_half, chance_below(above._replace(t=-above.t)))
    worse = np.where(below.is_nil, open_half, chance_below(below._replace(t=-below.t)))
    not_worse = np.where(below.is_nil, 1.0 - open_half, chance_below(below))
    return better, not_better, worse, not_worse


BAYESIAN = StatisticalTest(
    "bayesian",
    bayesian,
    params=(ROPE,),
    aliases=("bayes", "bayesian_t", "bayesian_paired_t"),
    is_bayesian=True,
    assumes="Differences are approximately normal, and nothing was known about their mean in advance.",
    cite="Sakai 2017, The Probability That Your Hypothesis Is Correct; Kruschke 2013, J. Exp. Psychol. General 142(2)",
)
