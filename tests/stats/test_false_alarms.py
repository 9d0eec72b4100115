"""Experiments in which nothing is different: a test cries wolf as often as it promises."""

import numpy as np
import pytest
from tests._variants import for_each

from ._scores import SCORES, compare, compare_many, null_pairs

TWO = {
    **dict.fromkeys(("paired_t", "paired_t(alternative=greater)", "paired_t(alternative=less)"), (0.035, 0.065)),
    **dict.fromkeys(("independent_t", "independent_t(equal_variances=false)"), (0.035, 0.065)),
    **dict.fromkeys(("wilcoxon", "wilcoxon(zeros=pratt)", "wilcoxon(zeros=zsplit)"), (0.035, 0.065)),
    **dict.fromkeys(("wilcoxon(method=normal)", "wilcoxon(alternative=greater)"), (0.035, 0.065)),
    **dict.fromkeys(("bootstrap", "bootstrap(method=studentised)"), (0.035, 0.065)),
    "randomization(resamples=10000)": (0.035, 0.065),
    "sign": (0.0, 0.065),
}
"""Test for two systems → the share of alarms at 0.05, lowest and highest."""
MANY = {
    "anova": (2000, (0.035, 0.065), (0.0, 0.0)),
    "friedman": (2000, (0.035, 0.065), (0.0, 0.065)),
    "friedman(statistic=chi2)": (2000, (0.035, 0.065), (0.0, 0.065)),
    "tukey_hsd": (1500, (0.0, 0.065), (0.03, 0.065)),
    "randomized_tukey_hsd(resamples=399)": (600, (0.0, 0.07), (0.03, 0.07)),
}
"""Test for many systems → experiments, the share of alarms over all, and that of alarms about any pair."""


@pytest.mark.slow
@for_each("kind", SCORES)
def test_two_systems(kind):
    pairs = null_pairs(kind)
    for text, (low, high) in TWO.items():
        assert low <= (compare(text, pairs.a, pairs.b).p <= 0.05).mean() <= high, text
    at_margins = {"non_inferiority(margin=0.02)": -0.02, "equivalence(margin=0.4)": 0.4}  # only one end is in reach
    for text, shift in at_margins.items():
        assert 0.035 <= (compare(text, pairs.a, pairs.b + shift).p <= 0.05).mean() <= 0.065, text


@pytest.mark.slow
@for_each("kind", SCORES)
def test_many_systems(kind):
    for text, (n_experiments, overall, pairs) in MANY.items():
        generator = np.random.default_rng(77)
        outcomes = [compare_many(text, SCORES[kind](generator, (50, 4))) for _ in range(n_experiments)]
        assert overall[0] <= np.mean([outcome.p <= 0.05 for outcome in outcomes]) <= overall[1], text
        assert pairs[0] <= np.mean([(outcome.pairwise <= 0.05).any() for outcome in outcomes]) <= pairs[1], text
