import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

from assay.stats.significance import Pairs, parse_test

from ._null import SCORES, null_pairs

GENERATOR = np.random.default_rng(7)
A = GENERATOR.random((25, 6))
B = A + GENERATOR.normal(0.005, 0.05, A.shape)


def outcome_of(a, b, margin):
    return parse_test(f"equivalence(margin={margin})").compare(Pairs(a, b))


@pytest.mark.parametrize("margin", [0.01, 0.02, 0.2])
def test_agrees_with_statsmodels(margin):
    found = outcome_of(A, B, margin)
    for column, p in enumerate(found.p):
        assert p == pytest.approx(ttost_paired(B[:, column], A[:, column], -margin, margin)[0], rel=1e-8)


def test_the_statistic_is_that_of_the_weaker_side():
    d = B - A
    above = stats.ttest_1samp(d, -0.02, alternative="greater")
    below = stats.ttest_1samp(d, 0.02, alternative="less")
    weaker = np.where(above.pvalue > below.pvalue, above.statistic, below.statistic)
    np.testing.assert_allclose(outcome_of(A, B, 0.02).statistic, weaker, rtol=1e-9)


def test_swapping_the_systems_changes_nothing():
    np.testing.assert_allclose(outcome_of(A, B, 0.02).p, outcome_of(B, A, 0.02).p, rtol=1e-9)


def test_edges():
    assert outcome_of(A, A, 0.01).p == pytest.approx(2.0**-25)
    assert (outcome_of(A, A, 0).p == 1).all()
    assert (outcome_of(A, A + 0.5, 0.01).p == 1).all()
    assert (outcome_of(A, A + 0.1, 0.1).p == 1).all()
    assert (outcome_of(A[:1], B[:1], 1).p == 1).all()
    assert np.isnan(outcome_of(A[:0], B[:0], 1).p).all()


@pytest.mark.parametrize("kind", SCORES)
def test_false_alarms_at_the_margin_are_as_many_as_promised(kind):
    """The margin is wide, so that only one of its two ends is in reach."""
    pairs = null_pairs(kind)
    assert 0.035 <= (outcome_of(pairs.a, pairs.b + 0.4, 0.4).p <= 0.05).mean() <= 0.065
