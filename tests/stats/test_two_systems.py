"""Tests for two systems: against SciPy and statsmodels, by hand, counted out, and where there is nothing to tell."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired
from tests._variants import for_each

from assay.stats import Pairs, index_blocks, parse_test, posterior

from ._scores import SIDES, X, Y, Z, compare

RNG = np.random.default_rng(1)
A, B = RNG.random((2, 30, 7))
NEAR = A + RNG.normal(0.005, 0.05, A.shape)
"""Scores that hardly differ from those of A."""
BOOTSTRAPS = ("bootstrap", "bootstrap(method=studentised)")


def of_differences(text, differences):
    """The outcome where a has zeros alone."""
    return compare(text, np.zeros(np.shape(differences)), differences)


def sampled(n, resamples):
    return np.concatenate(list(index_blocks(n, resamples, 0)))


@for_each("n, side", product((2, 30), SIDES))
def test_t_agrees_with_scipy(n, side):
    outcome = compare(f"paired_t(alternative={side})", A[:n], B[:n])
    theirs = stats.ttest_rel(B[:n], A[:n], alternative=SIDES[side])
    np.testing.assert_allclose(outcome.statistic, theirs.statistic, rtol=1e-11)
    np.testing.assert_allclose(outcome.p, theirs.pvalue, rtol=1e-9)
    for equal in (True, False):
        text = f"independent_t(alternative={side}, equal_variances={str(equal).lower()})"
        outcome = compare(text, A[:n], 3 * B[:n])
        theirs = stats.ttest_ind(3 * B[:n], A[:n], equal_var=equal, alternative=SIDES[side])
        np.testing.assert_allclose(outcome.statistic, theirs.statistic, rtol=1e-11)
        np.testing.assert_allclose(outcome.p, theirs.pvalue, rtol=1e-9)


def test_t_of_sakais_scores():
    sakai = compare("paired_t", X, Y)
    assert (sakai.statistic[0], sakai.p[0]) == (pytest.approx(-2.1158, abs=1e-4), pytest.approx(0.0478, abs=1e-4))


@for_each("n", [2, 20])
def test_the_same_difference_everywhere_is_judged_by_coins(n):
    a = np.linspace(0.1, 0.7, n)
    b = a + 0.1  # these differences vary by rounding
    outcome = compare("paired_t", a, b)
    assert (outcome.statistic[0], outcome.p[0]) == (np.inf, 2 / 2**n)
    sides = ("greater", a, b), ("less", a, b), ("greater", b, a)
    assert [compare(f"paired_t(alternative={side})", *given).p[0] for side, *given in sides] == [1 / 2**n, 1, 1]


def test_far_tails_keep_their_digits():
    theirs = stats.ttest_rel(B + 3, A).pvalue
    for text in ("paired_t", "bayesian"):
        np.testing.assert_allclose(compare(text, A, B + 3).p, theirs, rtol=1e-8)


@for_each("margin", [0, 0.01])
def test_not_worse_is_a_one_sided_t_test_against_the_margin(margin):
    theirs = stats.ttest_1samp(NEAR - A, -margin, alternative="greater").pvalue
    np.testing.assert_allclose(compare(f"non_inferiority(margin={margin})", A, NEAR).p, theirs, rtol=1e-8)


@for_each("margin", [0.01, 0.2])
def test_equivalence_is_that_of_statsmodels(margin):
    outcome = compare(f"equivalence(margin={margin})", A, NEAR)
    theirs = [ttost_paired(NEAR[:, column], A[:, column], -margin, margin)[0] for column in range(7)]
    np.testing.assert_allclose(outcome.p, theirs, rtol=1e-8)


def test_margins_at_the_edges():
    for name in ("non_inferiority", "equivalence"):
        assert compare(f"{name}(margin=0.01)", A, A).p == pytest.approx(2.0**-30)
        assert (compare(f"{name}(margin=0)", A, A).p == 1).all()
        assert compare(f"{name}(margin=0.01)", A, A - 0.01).p == pytest.approx(1.0)  # at the margin itself, but for rounding


@for_each("rope", [0, 0.01, 0.05])
def test_the_posterior_is_a_t_distribution_around_the_mean(rope):
    d = NEAR - A
    belief = stats.t(len(d) - 1, d.mean(axis=0), d.std(axis=0, ddof=1) / len(d) ** 0.5)
    shares = posterior(Pairs(A, NEAR), rope)
    np.testing.assert_allclose(shares.p_better, belief.sf(rope), rtol=1e-9)
    np.testing.assert_allclose(shares.p_worse, belief.cdf(-rope), rtol=1e-9)
    np.testing.assert_allclose(shares.p_equal, belief.cdf(rope) - belief.cdf(-rope), atol=1e-12)
    outcome = compare(f"bayesian(rope={rope})", A, NEAR)
    np.testing.assert_allclose(outcome.statistic, shares.p_better)
    t = compare("paired_t", A, NEAR).p
    np.testing.assert_allclose(outcome.p, t, rtol=1e-12) if rope == 0 else np.testing.assert_array_less(t - 1e-12, outcome.p)


def test_the_posterior_at_the_edges():
    """Three queries with a difference of 0.1: 2 ÷ 2^3 stays open, the rest goes where the difference lies."""
    a = np.array([[0.1], [0.4], [0.7]])
    for rope, shares in ((0.05, (7 / 8, 0, 1 / 8)), (0.2, (1 / 8, 6 / 8, 1 / 8))):
        assert [share[0] for share in posterior(Pairs(a, a + 0.1), rope)] == pytest.approx(shares)
    assert [share[0] for share in posterior(Pairs(np.zeros((1, 1)), np.ones((1, 1))), 0.1)] == [0.5, 0, 0.5]
    assert posterior(Pairs(A, A), 0.0).p_equal == pytest.approx(1, abs=1e-6)
    assert np.isnan(posterior(Pairs(A[:0], B[:0]))).all()


def sign_patterns(differences, zeros, side):
    """p of Wilcoxon's test over all sign patterns, one by one."""
    d = np.asarray([value for value in differences if value or zeros == "pratt"], float)
    rank = stats.rankdata(np.abs(d)) * (d != 0)
    sums = [sum(r for r, up in zip(rank, signs, strict=True) if up) for signs in product((0, 1), repeat=len(d))]
    observed = rank[d > 0].sum()
    at_least, at_most = np.mean([s >= observed for s in sums]), np.mean([s <= observed for s in sums])
    return {"greater": at_least, "less": at_most, "two_sided": min(1, 2 * min(at_least, at_most))}[side]


@for_each("n, side", product((1, 6, 50), SIDES))
def test_wilcoxon_without_ties_is_scipys_exact_test(n, side):
    d = np.random.default_rng(n).normal(0.3, 1, (n, 5))
    theirs = [stats.wilcoxon(column, alternative=SIDES[side], method="exact") for column in d.T]
    outcome = of_differences(f"wilcoxon(alternative={side})", d)
    np.testing.assert_allclose(outcome.p, [one.pvalue for one in theirs], rtol=1e-12)
    smaller = np.minimum(outcome.statistic, n * (n + 1) / 2 - outcome.statistic)  # what SciPy reports for two sides
    np.testing.assert_allclose(smaller if side == "two_sided" else outcome.statistic, [one.statistic for one in theirs])


@for_each("zeros, side", product(("wilcox", "pratt", "zsplit"), SIDES))
def test_wilcoxon_of_many_ties_is_scipys_approximation(zeros, side):
    for n in (60,):
        d = np.random.default_rng(n).integers(-4, 6, (n, 5)).astype(float)
        how = {"alternative": SIDES[side], "zero_method": zeros, "method": "approx", "correction": False}
        theirs = [stats.wilcoxon(column, **how).pvalue for column in d.T]
        outcome = of_differences(f"wilcoxon(alternative={side}, zeros={zeros}, method=normal)", d)
        np.testing.assert_allclose(outcome.p, theirs, rtol=1e-10)


@for_each("zeros, side", product(("wilcox", "pratt"), SIDES))
def test_wilcoxon_of_few_ties_is_counted_out(zeros, side):
    for n in (1, 2, 8):
        d = np.random.default_rng(n).integers(-2, 4, (n, 8)).astype(float)
        outcome = of_differences(f"wilcoxon(alternative={side}, zeros={zeros})", d)
        np.testing.assert_allclose(outcome.p, [sign_patterns(column, zeros, side) for column in d.T], rtol=1e-12)


def test_wilcoxon_by_hand():
    """0.3 - 0.2 and 0.7 - 0.6 differ in the sixteenth digit only: two equals of rank 1.5."""
    assert compare("wilcoxon", [0.2, 0.7, 0.1], [0.3, 0.6, 0.5]).statistic == [1.5 + 3]
    for settings in ("zeros=zsplit", "zeros=pratt, method=normal"):
        assert of_differences(f"wilcoxon({settings})", np.zeros(60)).p == [1]


@for_each("side", SIDES)
def test_the_sign_test_is_that_of_scipy(side):
    d = np.random.default_rng(3).integers(-2, 4, (25, 10)).astype(float)
    outcome = of_differences(f"sign(alternative={side})", d)
    for column, wins, p in zip(d.T, outcome.statistic, outcome.p, strict=True):
        assert wins == (column > 0).sum()
        theirs = stats.binomtest(int(wins), int((column != 0).sum()), 0.5, alternative=SIDES[side])
        assert p == pytest.approx(theirs.pvalue, rel=1e-12)


def test_signs_by_hand():
    """Three wins, no loss, one tie: a coin falls like that in 1 of 8 throws, on either side in 2 of 8."""
    assert of_differences("sign", [1, 2, 0, 0.5]).p == [2 / 8]
    assert of_differences("sign(tolerance=0.01)", [0.5, 0.5, 0.01, -0.01]).p == [0.5]
    outcome = compare("sign", [0.3, 0.1], [0.1 + 0.2, 0.1])  # rounding is no win
    assert (outcome.statistic, outcome.p, outcome.direction) == ([0.0], [1.0], [0.0])


def sign_flips(differences, side):
    """p over all sign flips in exact arithmetic; the differences are whole numbers."""
    total = sum(differences)
    every = product((1, -1), repeat=len(differences))
    sums = [sum(sign * d for sign, d in zip(signs, differences, strict=True)) for signs in every]
    extreme = {"greater": lambda s: s >= total, "less": lambda s: s <= total, "two_sided": lambda s: abs(s) >= abs(total)}
    return sum(map(extreme[side], sums)) / len(sums)


@for_each("side", SIDES)
def test_randomisation_is_that_of_exact_arithmetic_and_of_scipy(side):
    text = f"randomization(alternative={side})"
    for seed in range(6):
        whole = np.random.default_rng(seed).integers(-4, 6, 9)
        assert of_differences(text, whole / 10).p[0] == sign_flips(whole.tolist(), side)
    d = np.random.default_rng(4).normal(0.3, 1, 12)
    how = {"permutation_type": "samples", "n_resamples": np.inf, "alternative": SIDES[side]}
    theirs = stats.permutation_test((d,), lambda x, axis: x.mean(axis=axis), **how)
    assert of_differences(text, d).p[0] == pytest.approx(theirs.pvalue)


def test_random_flips_come_close_to_all_flips():
    d = np.random.default_rng(5).normal(0.2, 1, (30, 5))
    exact, drawn = (of_differences(test, d).p for test in ("randomization", "randomization(resamples=50000)"))
    assert drawn == pytest.approx(exact, abs=5 * 0.5 / np.sqrt(50_000))
    assert not np.array_equal(exact, drawn)
    assert of_differences("randomization(resamples=500)", np.ones(40)).p[0] == 1 / 501  # never 0


def test_sums_that_are_equal_count_as_equal():
    """Sakai's data: with > instead of ≥, X against Y flips to .033. Equal scores do not count: 15 queries are left."""
    x, y, z = map(np.array, (X, Y, Z))
    for a, b, p in ((x, y, 0.06591796875), (x, z, 0.1446075439453125), (y, z, 0.62353515625)):
        assert of_differences("randomization(resamples=1048576)", b - a).p[0] == p
        assert of_differences("randomization", [*(b - a), 1e-13, -1e-13]).p[0] == pytest.approx(p, abs=0.004)
    assert of_differences("randomization", y - x).p[0] == 0.06591796875
    whole = np.array([3, -1, 2, 2, -1, 1])  # centred thirds of tenths are equal in exact arithmetic only
    sums = 6 * whole[sampled(6, 3000)].sum(axis=1) - 6 * whole.sum()
    p = (1 + (np.abs(sums) >= 6 * whole.sum()).sum()) / 3001
    for scale in (0.1, 1 / 3, 1e-200, 1e200):
        assert of_differences("bootstrap(resamples=3000)", whole * scale).p[0] == p


@for_each("side", SIDES)
def test_the_bootstrap_is_the_loop_of_textbooks(side):
    d = np.random.default_rng(0).normal(0.2, 1, 40)
    drawn = (d - d.mean())[sampled(40, 4000)]
    means, t = drawn.mean(axis=1), stats.ttest_1samp(drawn, 0, axis=1).statistic
    for method, figures, seen in (("shift", means, d.mean()), ("studentised", t, stats.ttest_1samp(d, 0).statistic)):
        extreme = {"two_sided": np.abs(figures) >= abs(seen), "greater": figures >= seen, "less": figures <= seen}[side]
        outcome = of_differences(f"bootstrap(method={method}, resamples=4000, alternative={side})", d)
        assert outcome.p[0] == (1 + extreme.sum()) / 4001, method
        assert outcome.statistic[0] == pytest.approx(seen), method


def test_the_bootstrap_of_few_queries(snapshots):
    for text in BOOTSTRAPS:
        assert of_differences(text, np.full(20, 0.1)).p[0] == 1 / 10_001, text
        assert of_differences(text, [0.1] * 3).p == [2 / 2**3], text  # never below that of as many coins
        assert of_differences(text, [0.1, 0.2]).p >= [0.49], text
    assert of_differences("bootstrap(alternative=greater)", [0.1] * 3).p == [1 / 2**3]
    shift, studentised = map(parse_test, BOOTSTRAPS)
    snapshots.check("stats/few_queries", shift.caution(29))
    assert shift.caution(30) == studentised.caution(10) == parse_test("paired_t").caution(3) == ""
