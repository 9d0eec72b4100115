"""The variance between groups of queries: its part beyond sampling, the interval and the permutation p."""

import math

import numpy as np
import pytest
from scipy import stats

from assay.errors import DataError
from assay.stats import group_variance


def test_by_hand():
    found = group_variance([[0.0, 0.2, 0.4], [0.5, 0.7]])
    squares = [0.04 / 3, 0.02 / 2]
    assert found.observed == pytest.approx(0.2**2)
    assert found.sampling == pytest.approx(np.mean(squares) / 2)
    assert found.beyond_sampling == pytest.approx(0.04 - np.mean(squares) / 2)
    assert found.to_dict()["beyond_sampling"] == found.beyond_sampling


def test_the_p_of_few_queries_is_that_of_all_permutations():
    a, b = [0.0, 0.2, 0.4, 0.3], [0.5, 0.7, 0.35]
    every = stats.permutation_test(
        (a, b), lambda x, y: abs(np.mean(x) - np.mean(y)), alternative="greater", n_resamples=np.inf, vectorized=False
    )
    assert group_variance([a, b]).p == pytest.approx(every.pvalue, abs=0.01)


def test_the_interval_and_p_of_two_groups_are_those_of_welch():
    rng = np.random.default_rng(1)
    a, b = rng.random(30), rng.random(50) + 0.3
    found, welch = group_variance([a, b]), stats.ttest_ind(b, a, equal_var=False)
    for end, chance in ((found.low, 0.975), (found.high, 0.025)):  # the variance of two means is (difference ÷ 2)²
        shift = 2 * math.sqrt(end) / math.sqrt(a.var(ddof=1) / 30 + b.var(ddof=1) / 50)
        assert stats.nct.cdf(welch.statistic, welch.df, shift) == pytest.approx(chance, abs=1e-3)
    first, second = rng.random(1500), rng.random(900) + 0.03  # many queries: the closed form
    assert group_variance([first, second]).p == pytest.approx(stats.ttest_ind(first, second, equal_var=False).pvalue)


@pytest.mark.parametrize("n_times", [20, pytest.param(60, marks=pytest.mark.slow)])
def test_equally_good_languages_have_nothing_beyond_sampling_on_average(n_times):
    rng = np.random.default_rng(0)
    found = [group_variance(rng.beta(0.5, 0.5, (5, 50))) for _ in range(n_times)]
    assert np.mean([one.observed for one in found]) > 0.001
    unclipped = [one.observed - one.sampling for one in found]
    assert abs(np.mean(unclipped)) < 3 * np.std(unclipped) / math.sqrt(n_times)
    assert sum(one.low > 0 for one in found) <= 0.1 * n_times
    assert sum(one.p <= 0.05 for one in found) <= 0.15 * n_times


def test_the_order_of_queries_and_groups_does_not_matter():
    groups = [[0.1, 0.9, 0.4], [0.5, 0.2], [0.3, 0.3, 0.8, 1.0]]
    assert group_variance([group[::-1] for group in groups[::-1]]) == group_variance(groups)


def test_edges():
    assert group_variance([[0.1, 0.2]])._asdict() == pytest.approx(
        {"observed": 0.0, "sampling": math.nan, "low": math.nan, "high": math.nan, "p": math.nan}, nan_ok=True
    )
    alone = group_variance([[0.0], [1.0, 1.0]])
    assert alone.observed == 0.25
    assert math.isnan(alone.beyond_sampling)
    certain = group_variance([[0.0] * 9, [1.0] * 9])
    assert (certain.observed, certain.beyond_sampling) == (0.25, 0.25)
    assert certain.p < 0.001
    assert math.isnan(certain.low)
    close = group_variance([[0.0, 1.0] * 9, [0.0, 1.0] * 9])  # equal means do not show that the true means are equal
    assert (close.beyond_sampling, close.low, close.p) == (0.0, 0.0, 1.0)
    assert close.high > 0.05
    same = group_variance([[0.3] * 9, [0.3] * 9])
    assert (same.observed, same.beyond_sampling, same.p) == (0.0, 0.0, 1.0)
    assert math.isnan(group_variance([]).observed)
    with pytest.raises(DataError):
        group_variance([[math.nan], [1.0]])
