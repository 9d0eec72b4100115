"""Run-to-run noise: its share of the variance of a mean and of a difference, by hand, by ANOVA and by simulation."""

import math

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from statsmodels.stats.anova import anova_lm

from assay import DataError
from assay.stats import noise_share


def test_the_share_by_hand():
    """Means .5, .9, .1 vary by .16; repeats vary by .02, 0 and .02, so .04 / 3 within, and half of it in a mean of two."""
    one = np.array([[0.4, 0.6], [0.9, 0.9], [0.0, 0.2]])
    noise, total = noise_share(one)
    assert total == pytest.approx(0.16 / 3)
    assert noise == pytest.approx(0.04 / 3 / 2 / 3)
    assert noise_share(one).share == pytest.approx((0.04 / 3 / 2) / 0.16)


def test_the_share_of_a_difference_by_hand():
    """Differences -.1, -.5, .3 vary by .16; the noise of the first system is that above, of the other .02 / 3 / 2."""
    a = np.array([[0.4, 0.6], [0.9, 0.9], [0.0, 0.2]])
    b = np.array([[0.4, 0.4], [0.3, 0.5], [0.4, 0.4]])
    assert noise_share(a, b).share == pytest.approx((0.04 / 3 / 2 + 0.02 / 3 / 2) / 0.16)
    assert noise_share(b, a).share == pytest.approx(noise_share(a, b).share)
    once = b.mean(axis=1, keepdims=True)
    assert noise_share(a, once).share == pytest.approx((0.04 / 3 / 2) / 0.16)


def test_a_deterministic_system_has_no_noise_and_equal_scores_no_share():
    scores = np.repeat(np.array([[0.1], [0.5], [0.6]]), 3, axis=1)
    assert noise_share(scores).share == 0
    assert math.isnan(noise_share(np.full((4, 2), 0.5)).share)
    assert math.isnan(noise_share(np.array([[0.1, 0.2]])).share)


def test_noise_alone_is_at_most_the_whole():
    assert noise_share(np.array([[0.0, 1.0], [1.0, 0.1], [0.0, 1.0]])).share == 1.0


def test_repeats_without_a_score_are_left_out():
    nan = np.nan
    whole = np.array([[0.4, 0.6], [0.9, 0.9], [0.0, 0.2]])
    wider = np.column_stack([whole, np.full(3, nan)])
    assert noise_share(wider) == pytest.approx(noise_share(whole))
    with_a_query_without_scores = np.vstack([wider, np.full(3, nan)])
    assert noise_share(with_a_query_without_scores) == pytest.approx(noise_share(whole))
    uneven = np.array([[0.4, 0.6], [0.9, nan], [0.0, 0.2]])
    assert noise_share(uneven).noise == pytest.approx(0.04 / 2 * (1 / 2 + 1 + 1 / 2) / 3 / 3)


def test_the_share_is_one_over_f_of_an_anova():
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(20, 1)) + 0.7 * rng.normal(size=(20, 4))
    frame = pd.DataFrame([(query, score) for query, row in enumerate(scores) for score in row], columns=["query", "score"])
    table = anova_lm(smf.ols("score ~ C(query)", frame).fit())
    assert noise_share(scores).share == pytest.approx(1 / table["F"].iloc[0])
    within, between = table["mean_sq"].loc["Residual"], table["mean_sq"].loc["C(query)"]
    assert noise_share(scores) == pytest.approx((within / 80, between / 80))


def test_the_share_is_what_the_variance_of_repeated_experiments_says():
    """The mean of 30 queries, sent three times: σ² = 1 between queries and 1.5 within, so a third comes from repeats."""
    rng = np.random.default_rng(0)
    drawn = [rng.normal(size=(30, 1)) + np.sqrt(1.5) * rng.normal(size=(30, 3)) for _ in range(2000)]
    found = [noise_share(scores) for scores in drawn]
    assert np.mean([some.noise for some in found]) == pytest.approx(0.5 / 30, rel=0.01)
    assert np.mean([some.total for some in found]) == pytest.approx(1.5 / 30, rel=0.02)
    assert np.var([scores.mean() for scores in drawn], ddof=1) == pytest.approx(1.5 / 30, rel=0.07)


def test_other_shapes_are_errors():
    for wrong in ([np.zeros(3)], [np.zeros((3, 2)), np.zeros((4, 2))], [], [np.zeros((3, 2))] * 3):
        with pytest.raises(DataError):
            noise_share(*wrong)
