import numpy as np
import pytest
from scipy import stats

from assay.stats.catalog.bayesian import posterior
from assay.stats.significance import Pairs, parse_test

GENERATOR = np.random.default_rng(5)
A = GENERATOR.random((25, 6))
B = A + GENERATOR.normal(0.03, 0.1, A.shape)


@pytest.mark.parametrize("rope", [0, 0.01, 0.05])
def test_the_posterior_is_a_t_distribution_around_the_mean(rope):
    d = B - A
    belief = stats.t(len(d) - 1, d.mean(axis=0), d.std(axis=0, ddof=1) / len(d) ** 0.5)
    found = posterior(Pairs(A, B), rope)
    np.testing.assert_allclose(found.p_better, belief.sf(rope), rtol=1e-9)
    np.testing.assert_allclose(found.p_worse, belief.cdf(-rope), rtol=1e-9)
    np.testing.assert_allclose(found.p_equal, belief.cdf(rope) - belief.cdf(-rope), atol=1e-12)
    np.testing.assert_allclose(sum(found), 1)


def test_by_simulation():
    """Draw the variance, then the mean given it, as the reference prior has them: the shares come out the same."""
    d = (B - A)[:, 0]
    generator, n = np.random.default_rng(0), len(d)
    variance = d.var(ddof=1) * (n - 1) / generator.chisquare(n - 1, 400_000)
    mean = generator.normal(d.mean(), np.sqrt(variance / n))
    found = posterior(Pairs(A[:, :1], B[:, :1]), 0.02)
    assert found.p_better[0] == pytest.approx((mean > 0.02).mean(), abs=0.004)
    assert found.p_equal[0] == pytest.approx((np.abs(mean) <= 0.02).mean(), abs=0.004)


def test_without_a_rope_p_is_that_of_the_t_test():
    found, t = (parse_test(name).compare(Pairs(A, B)) for name in ("bayesian", "paired_t"))
    np.testing.assert_allclose(found.p, t.p, rtol=1e-12)
    np.testing.assert_allclose(found.statistic, posterior(Pairs(A, B)).p_better)


def test_a_rope_asks_for_more():
    plain, wide = (parse_test(name).compare(Pairs(A, B)).p for name in ("bayesian", "bayesian(rope=0.02)"))
    assert (wide >= plain).all()
    assert (wide > plain).any()


def test_tiny_probabilities_keep_their_digits():
    p = parse_test("bayesian").compare(Pairs(A, B + 5)).p
    np.testing.assert_allclose(p, stats.ttest_rel(B + 5, A).pvalue, rtol=1e-8)


def test_swapping_the_systems_mirrors_the_belief():
    there, back = posterior(Pairs(A, B), 0.01), posterior(Pairs(B, A), 0.01)
    np.testing.assert_allclose(there.p_better, back.p_worse, rtol=1e-12)
    np.testing.assert_allclose(there.p_equal, back.p_equal, atol=1e-15)


def test_identical_systems_are_equal():
    found = posterior(Pairs(A, A), 0.0)
    assert found.p_equal == pytest.approx(1, abs=1e-6)
    assert (parse_test("bayesian").compare(Pairs(A, A)).p == 1).all()


@pytest.mark.parametrize(("rope", "shares"), [(0.05, (7 / 8, 0, 1 / 8)), (0.2, (1 / 8, 6 / 8, 1 / 8))])
def test_the_same_difference_everywhere(rope, shares):
    """Three queries: 2 ÷ 2^3 stays open, the rest goes where the difference of 0.1 lies."""
    a = np.array([[0.1], [0.4], [0.7]])
    assert [share[0] for share in posterior(Pairs(a, a + 0.1), rope)] == pytest.approx(shares)


def test_one_query_and_none():
    assert [share[0] for share in posterior(Pairs(np.zeros((1, 1)), np.ones((1, 1))), 0.1)] == [0.5, 0, 0.5]
    assert parse_test("bayesian").compare(Pairs(np.zeros((1, 1)), np.ones((1, 1)))).p == [1.0]
    assert np.isnan(posterior(Pairs(A[:0], B[:0]))).all()
    assert np.isnan(parse_test("bayesian").compare(Pairs(A[:0], B[:0])).p).all()
