"""Bayesian: how probable it is, given the scores, that one system is better."""

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
    "region of practical equivalence: mean differences up to this count as equal",
    aliases=("margin",),
)


class Posterior(NamedTuple):
    """Per column, three probabilities that add up to 1: b's mean is above a's, about the same, below."""

    p_better: Floats
    p_equal: Floats
    p_worse: Floats


def posterior(pairs: Pairs, rope: float = 0.0) -> Posterior:
    """What is to be believed of the mean difference after seeing the scores, starting from no opinion.

    With the reference prior it follows a t distribution around the observed mean. A single query leaves better and worse
    at a half each. Where all n differences are the same there is no spread; then a share of 2 ÷ 2^n stays as open as
    before (half better, half worse), and the rest goes where that difference lies.
    """
    if not len(pairs.a):
        nan = nothing(pairs.a.shape[1]).p
        return Posterior(nan, nan, nan)
    better, not_better, worse, _ = _sides(pairs, rope)
    return Posterior(better, np.maximum(not_better - worse, 0.0), worse)


def bayesian(pairs: Pairs, rope: float) -> Outcome:
    """How probable it is, given the scores, that b is better, worse, or practically equal.

    The statistic is the probability that b is better by more than the region of practical equivalence.

    So that it can be read like other tests, p is twice the probability left against the likelier side, at most 1. With
    rope = 0 that is the p of paired_t. `posterior` gives the three probabilities themselves.
    """
    if not len(pairs.a):
        return nothing(pairs.a.shape[1])
    better, not_better, _, not_worse = _sides(pairs, rope)
    direction = student(pairs.differences, rounding_of(pairs.a, pairs.b)).direction
    return Outcome(better, np.minimum(1.0, 2.0 * np.minimum(not_better, not_worse)), direction)


def _sides(pairs: Pairs, rope: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Probability of better, not better, worse, not worse; each computed by itself, so that tiny ones stay exact."""
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
    assumes="Differences are about normal, and nothing was believed about their mean beforehand.",
    cite="Sakai 2017, The Probability That Your Hypothesis Is Correct; Kruschke 2013, J. Exp. Psychol. General 142(2)",
)
