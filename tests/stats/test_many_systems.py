"""Tests for many systems: against SciPy and statsmodels, by definition, by hand, and where there is nothing to tell."""

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from tests._variants import for_each

from assay.stats import chance_of_range

from ._scores import SAKAI, compare, compare_many

SCORED = np.random.default_rng(8).random((12, 4)) + np.arange(4) * 0.1
FEW = np.array([[0.1, 0.3, 0.2], [0.5, 0.9, 0.4], [0.2, 0.2, 0.1]])
EASE = np.linspace(0.1, 0.5, 6)[:, None]
"""How easy each of six queries is, for all systems."""


def long(scores):
    """One row per score: query, system, score."""
    query, system = np.indices(scores.shape)
    return pd.DataFrame({"query": query.ravel(), "system": system.ravel(), "score": scores.ravel()})


def tukey_by_definition(scores):
    n, m = scores.shape
    rest = scores - scores.mean(axis=1, keepdims=True) - scores.mean(axis=0) + scores.mean()
    error = np.sqrt((rest**2).sum() / ((n - 1) * (m - 1)) / n)
    means = scores.mean(axis=0)
    return stats.studentized_range.sf(np.abs(means[:, None] - means) / error, m, (n - 1) * (m - 1))


def all_deals(scores):
    """Every way to deal each query's scores, the first query's included, one by one."""
    deals = [np.sum(deal, axis=0) for deal in product(*(list(permutations(row)) for row in scores))]
    ranges = np.array([deal.max() - deal.min() for deal in deals])
    sums = scores.sum(axis=0)
    return np.array([[np.mean(ranges >= abs(one - other) - 1e-9) for other in sums] for one in sums])


@for_each("scores", [SAKAI, SCORED[:2]])
def test_anova_is_that_of_statsmodels(scores):
    outcome = compare_many("anova", scores)
    theirs = anova_lm(ols("score ~ C(query) + C(system)", long(scores)).fit()).loc["C(system)"]
    assert (outcome.statistic, outcome.p) == pytest.approx((theirs["F"], theirs["PR(>F)"]), rel=1e-9)
    assert np.isnan(outcome.pairwise[~np.eye(len(outcome.pairwise), dtype=bool)]).all()  # nothing about pairs


def test_two_systems_have_the_test_for_two():
    two, t = SCORED[:, :2], compare("paired_t", SCORED[:, 0], SCORED[:, 1])
    assert compare_many("anova", two).statistic == pytest.approx(t.statistic[0] ** 2)
    for name in ("anova", "tukey_hsd"):
        assert compare_many(name, two).p == pytest.approx(t.p[0]), name
    sakai = SAKAI[:10, :2]
    p = compare("randomization", *sakai.T).p[0]
    assert compare_many("randomized_tukey_hsd", sakai).p == pytest.approx(p, rel=1e-12)


@for_each("scores", [SAKAI])
def test_tukey_is_that_of_the_definition(scores):
    outcome = compare_many("tukey_hsd", scores)
    np.testing.assert_allclose(outcome.pairwise, tukey_by_definition(scores), atol=1e-10)
    assert outcome.p == outcome.pairwise.min()


@for_each("k, df", [(2, 1), (3, 10), (40, np.inf)])
def test_the_studentised_range_is_that_of_scipy(k, df):
    q = np.array([0.01, 0.5, 2, 4, 8])
    np.testing.assert_allclose(chance_of_range(q, k, df), stats.studentized_range.sf(q, k, df), atol=1e-9)
    np.testing.assert_allclose(chance_of_range(q, 2, df), 2 * stats.t.sf(q / 2**0.5, df), atol=1e-12)


@for_each("scores", [SAKAI, SCORED, SCORED[:3]])
def test_friedman_is_that_of_scipy(scores):
    (n, m), theirs = scores.shape, stats.friedmanchisquare(*scores.T)
    chi2 = compare_many("friedman(statistic=chi2)", scores)
    assert (chi2.statistic, chi2.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    f = (n - 1) * chi2.statistic / (n * (m - 1) - chi2.statistic)
    outcome = compare_many("friedman", scores)
    assert (outcome.statistic, outcome.p) == pytest.approx((f, stats.f.sf(f, m - 1, (m - 1) * (n - 1))))


def test_nemenyi_by_definition():
    ranks = stats.rankdata(SAKAI, axis=1).mean(axis=0)  # scores such as 0.3 are tied here as they are on paper
    z = np.abs(ranks[:, None] - ranks) / np.sqrt(3 * 4 / (6 * 20))
    pairwise = compare_many("friedman", SAKAI).pairwise
    np.testing.assert_allclose(pairwise, stats.studentized_range.sf(z * 2**0.5, 3, np.inf), atol=1e-9)
    assert compare_many("friedman", np.exp(5 * SCORED)).p == compare_many("friedman", SCORED).p  # only order counts


@for_each("scores", [FEW, FEW[:2], FEW[:, :2]])
def test_few_scores_are_dealt_in_every_way(scores):
    np.testing.assert_allclose(compare_many("randomized_tukey_hsd", scores).pairwise, all_deals(scores))


def test_random_deals_of_sakais_scores():
    """Without a tolerance it would be 0.264 or 0.251: gaps that are equal on paper differ in their last bits."""
    pairwise = compare_many("randomized_tukey_hsd(resamples=10000)", SAKAI).pairwise
    assert pairwise[0, 1] == pytest.approx(0.302, abs=0.012)
    assert compare_many("randomized_tukey_hsd(resamples=99)", SAKAI + np.array([0, 5, 9])).p == 1 / 100  # never 0
    assert pairwise[0, 2] == pytest.approx(0.107, abs=0.01)
    once = compare_many("randomized_tukey_hsd(resamples=500)", SAKAI).pairwise
    for factor in (1, 1 / 3, 0.7, 1e-300, 1e300):
        scaled = compare_many("randomized_tukey_hsd(resamples=500)", SAKAI * factor).pairwise
        np.testing.assert_array_equal(scaled, once, err_msg=str(factor))
    assert compare_many("randomized_tukey_hsd(resamples=500)", SAKAI, seed=1).pairwise.tolist() != once.tolist()


def test_the_same_difference_on_every_query():
    """Six orders of three systems on each query, three where two are alike."""
    apart, alike = EASE + np.array([0, 0.1, 0.3]), EASE + np.array([0, 0.1, 0.1])
    assert compare_many("anova", apart[:4]).p == compare_many("friedman", apart[:4]).p == pytest.approx(6.0**-3)
    assert compare_many("anova", alike[:4]).p == pytest.approx(3.0**-3)
    pairwise = compare_many("tukey_hsd", alike).pairwise
    np.testing.assert_allclose(pairwise, [[1, 3 / 32, 3 / 32], [3 / 32, 1, 1], [3 / 32, 1, 1]])
    for name in ("anova", "friedman", "tukey_hsd"):
        assert compare_many(name, apart).statistic == np.inf


def test_effects_of_tukey_tests_are_those_of_the_residual():
    """ES_HSD: the difference of two means ÷ √V_E2, where V_E2 is the residual mean square of the two-way anova."""
    rng = np.random.default_rng(4)
    scores = rng.random((12, 1)) + rng.random((12, 4)) * [0.5, 0.7, 0.9, 1.1]
    means, by_query = scores.mean(axis=0), scores.mean(axis=1, keepdims=True)
    residual = ((scores - by_query - means + scores.mean()) ** 2).sum() / (11 * 3)
    expected = (means[None, :] - means[:, None]) / np.sqrt(residual)
    for name in ("tukey_hsd", "randomized_tukey_hsd"):
        assert compare_many(name, scores).effect == pytest.approx(expected)
    two = scores[:, :2]
    d_z = (two[:, 1] - two[:, 0]).mean() / (two[:, 1] - two[:, 0]).std(ddof=1)
    assert compare_many("tukey_hsd", two).effect[0, 1] == pytest.approx(np.sqrt(2) * d_z)
    assert compare_many("anova", scores).df == (3, 33)
    assert compare_many("friedman", scores).effect is None
