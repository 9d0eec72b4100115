import numpy as np
import pytest
from scipy import stats

from assay.stats.significance import Pairs, parse_test
from assay.stats.student import chance_of_gap, two_samples

from ._null import SCORES, false_alarms

GENERATOR = np.random.default_rng(4)
A, B = GENERATOR.random((2, 30, 6))
B = B * 3
SIDES = {"two_sided": "two-sided", "greater": "greater", "less": "less"}


def compare(a, b, settings=""):
    return parse_test(f"independent_t({settings})").compare(Pairs(np.asarray(a, float), np.asarray(b, float)))


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("equal", [True, False])
@pytest.mark.parametrize("n", [2, 30])
def test_agrees_with_scipy(n, equal, side):
    found = compare(A[:n], B[:n], f"alternative={side}, equal_variances={str(equal).lower()}")
    wanted = stats.ttest_ind(B[:n], A[:n], equal_var=equal, alternative=SIDES[side])
    np.testing.assert_allclose(found.statistic, wanted.statistic, rtol=1e-11)
    np.testing.assert_allclose(found.p, wanted.pvalue, rtol=1e-9)


def test_it_is_not_paired():
    assert parse_test("independent_t").test.is_paired is False


@pytest.mark.parametrize("settings", ["", "equal_variances=false"])
def test_two_constants_are_judged_by_dealing_anew(settings):
    a, b = np.full((3, 1), 0.1), np.full((3, 1), 0.1 + 0.2)
    found = compare(a, b, settings)
    assert (found.statistic[0], found.p[0]) == (np.inf, pytest.approx(2 / 20))
    assert compare(a, b, "alternative=less").p == [1.0]
    assert compare(b, a, "alternative=less").p == [pytest.approx(1 / 20)]


def test_nothing_to_tell():
    assert compare([[1]], [[2]]).p == [1.0]
    assert compare(np.ones((4, 1)), np.ones((4, 1)), "alternative=greater").p == [1.0]
    np.testing.assert_allclose(compare(A, A).p, 1)
    assert np.isnan(compare(A[:0], A[:0]).p).all()


@pytest.mark.parametrize("scale", [1e-310, 1e-300, 1e300])
def test_the_scale_does_not_matter(scale):
    np.testing.assert_allclose(compare(A * scale, B * scale).p, compare(A, B).p, rtol=1e-9)


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("settings", ["", "(equal_variances=false)"])
def test_false_alarms_are_as_many_as_promised(kind, settings):
    assert 0.035 <= false_alarms(f"independent_t{settings}", kind) <= 0.065


@pytest.mark.parametrize("equal", [True, False])
def test_samples_of_different_size(equal):
    rng = np.random.default_rng(3)
    a, b = rng.random((9, 4)), rng.random((23, 4)) ** 2
    found = two_samples(a, b, equal_variances=equal)
    for alternative in ("two_sided", "greater", "less"):
        theirs = stats.ttest_ind(b, a, equal_var=equal, alternative=alternative.replace("_", "-"))
        np.testing.assert_allclose(chance_of_gap(found, alternative), theirs.pvalue)
    np.testing.assert_allclose(found.t, theirs.statistic)
