import numpy as np
import pytest
from scipy import stats

from assay.stats.significance import Pairs, parse_test

from ._null import SCORES, false_alarms
from ._sakai import X, Y

SIDES = {"two_sided": "two-sided", "greater": "greater", "less": "less"}


def compare(b, settings=""):
    b = np.asarray(b, float)
    return parse_test(f"sign({settings})").compare(Pairs(np.zeros_like(b), b))


@pytest.mark.parametrize("side", SIDES)
def test_agrees_with_scipy(side):
    d = np.random.default_rng(3).integers(-2, 4, (25, 10)).astype(float)
    found = compare(d, f"alternative={side}")
    for column, wins, p in zip(d.T, found.statistic, found.p, strict=True):
        assert wins == (column > 0).sum()
        wanted = stats.binomtest(int(wins), int((column != 0).sum()), 0.5, alternative=SIDES[side])
        assert p == pytest.approx(wanted.pvalue, rel=1e-12)


def test_by_hand():
    """Three wins, no loss, one tie: a coin falls like that in 1 of 8 throws, on either side in 2 of 8."""
    d = [[1], [2], [0], [0.5]]
    assert compare(d).p == [2 / 8]
    assert compare(d, "alternative=greater").p == [1 / 8]
    assert compare(d, "alternative=less").p == [1.0]


def test_small_differences_may_be_ties():
    d = [[0.5], [0.5], [0.01], [-0.01]]
    assert compare(d).statistic == [3]
    assert compare(d, "tolerance=0.01").statistic == [2]
    assert compare(d, "tolerance=0.01").p == [0.5]


def test_rounding_is_no_win():
    pairs = Pairs(np.array([[0.3], [0.1]]), np.array([[0.1 + 0.2], [0.1]]))
    outcome = parse_test("sign").compare(pairs)
    assert (outcome.statistic, outcome.p, outcome.direction) == ([0.0], [1.0], [0.0])


def test_sakais_scores():
    assert parse_test("sign").compare(Pairs(np.c_[X], np.c_[Y])).p[0] == pytest.approx(stats.binomtest(5, 15).pvalue)


def test_nothing_to_tell():
    assert compare(np.zeros((4, 1))).p == [1.0]
    assert compare([[3.0]]).p == [1.0]
    assert np.isnan(compare(np.zeros((0, 2))).p).all()


@pytest.mark.parametrize("kind", SCORES)
def test_false_alarms_are_no_more_than_promised(kind):
    assert false_alarms("sign", kind) <= 0.065
