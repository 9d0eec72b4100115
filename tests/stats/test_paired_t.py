import numpy as np
import pytest
from scipy import stats

from assay.stats.significance import Pairs, parse_test
from assay.stats.student import Student, chance_below, student

from ._null import SCORES, false_alarms
from ._sakai import X, Y

GENERATOR = np.random.default_rng(1)
A, B = GENERATOR.random((2, 30, 7))
SIDES = {"two_sided": "two-sided", "greater": "greater", "less": "less"}


def compare(a, b, side="two_sided"):
    return parse_test(f"paired_t(alternative={side})").compare(Pairs(np.asarray(a, float), np.asarray(b, float)))


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("n", [2, 3, 30])
def test_agrees_with_scipy(side, n):
    found = compare(A[:n], B[:n], side)
    wanted = stats.ttest_rel(B[:n], A[:n], alternative=SIDES[side])
    np.testing.assert_allclose(found.statistic, wanted.statistic, rtol=1e-12)
    np.testing.assert_allclose(found.p, wanted.pvalue, rtol=1e-10)


def test_by_hand():
    """Differences 1, 2, 3: mean 2, standard deviation 1, so t = 2 · √3 with 2 degrees of freedom."""
    found = compare([[0], [0], [0]], [[1], [2], [3]])
    assert found.statistic[0] == pytest.approx(2 * 3**0.5)
    assert found.p[0] == pytest.approx(1 - (12 / 14) ** 0.5)  # the t distribution with 2 degrees of freedom is this short


def test_sakais_scores():
    found = compare(np.c_[X], np.c_[Y])
    assert (found.statistic[0], found.p[0]) == (pytest.approx(-2.1158, abs=1e-4), pytest.approx(0.0478, abs=1e-4))


def test_a_far_tail_keeps_its_digits():
    found = compare(A, B + 3, "two_sided")
    np.testing.assert_allclose(found.p, stats.ttest_rel(B + 3, A).pvalue, rtol=1e-8)
    assert (found.p > 0).all()


@pytest.mark.parametrize("n", [2, 5, 20])
def test_the_same_difference_everywhere_is_judged_by_coins(n):
    base = np.linspace(0.1, 0.7, n)[:, None]
    b = base + 0.1  # these differences vary by rounding
    assert compare(base, b).statistic[0] == np.inf
    assert compare(base, b).p[0] == 2 / 2**n
    assert compare(base, b, "greater").p[0] == 1 / 2**n
    assert compare(base, b, "less").p[0] == 1.0
    assert compare(b, base).statistic[0] == -np.inf
    assert compare(b, base, "greater").p[0] == 1.0


@pytest.mark.parametrize("side", SIDES)
def test_nothing_to_tell(side):
    assert compare([[0.3]], [[0.9]], side).p == [1.0]
    assert np.isnan(compare([[0.3]], [[0.9]], side).statistic).all()
    same = compare(A, A, side)
    assert (same.p == 1).all()
    assert (same.statistic == 0).all()
    assert (compare(A, A * (1 + 1e-15), side).p == 1).all()
    assert np.isnan(compare(A[:0], A[:0], side).p).all()


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e9, 1e300])
def test_the_scale_does_not_matter(scale):
    np.testing.assert_allclose(compare(A * scale, B * scale).p, compare(A, B).p, rtol=1e-9)


def test_a_power_of_two_changes_no_bit():
    assert compare(A * 2.0**-40, B * 2.0**-40).p.tolist() == compare(A, B).p.tolist()


@pytest.mark.parametrize("kind", SCORES)
def test_false_alarms_are_as_many_as_promised(kind):
    for side in SIDES:
        assert 0.035 <= false_alarms(f"paired_t(alternative={side})", kind) <= 0.065


def test_chance_below_zero_is_a_half():
    assert chance_below(Student(np.zeros(1), 5, np.ones(1, dtype=bool), np.zeros(1))) == [0.5]
    assert chance_below(student(np.ones((1, 2)), np.zeros(2))).tolist() == [0.5, 0.5]
