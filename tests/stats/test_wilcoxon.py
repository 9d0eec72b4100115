from itertools import product

import numpy as np
import pytest
from scipy import stats

from assay.stats.catalog import rank_tests as module
from assay.stats.significance import Pairs, parse_test

from ._null import SCORES, false_alarms
from ._sakai import X, Y

GENERATOR = np.random.default_rng(2)
SIDES = {"two_sided": "two-sided", "greater": "greater", "less": "less"}


def compare(differences, settings=""):
    """One column per test: a is 0."""
    b = np.asarray(differences, float)
    return parse_test(f"wilcoxon({settings})").compare(Pairs(np.zeros_like(b), b))


def enumerated(differences, zeros, side):
    """All sign patterns, one by one."""
    d = np.asarray([value for value in differences if value or zeros == "pratt"], float)
    rank = stats.rankdata(np.abs(d)) * (d != 0)
    sums = [sum(r for r, up in zip(rank, signs, strict=True) if up) for signs in product((0, 1), repeat=len(d))]
    observed = rank[d > 0].sum()
    at_least, at_most = np.mean([s >= observed for s in sums]), np.mean([s <= observed for s in sums])
    return {"greater": at_least, "less": at_most, "two_sided": min(1, 2 * min(at_least, at_most))}[side]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("n", [1, 2, 6, 20, 50])
def test_without_ties_it_is_scipys_exact_test(n, side):
    d = GENERATOR.normal(0.3, 1, (n, 5))
    wanted = [stats.wilcoxon(column, alternative=SIDES[side], method="exact") for column in d.T]
    found = compare(d, f"alternative={side}")
    np.testing.assert_allclose(found.p, [w.pvalue for w in wanted], rtol=1e-12)
    smaller = np.minimum(found.statistic, n * (n + 1) / 2 - found.statistic)  # what scipy reports for two sides
    np.testing.assert_allclose(smaller if side == "two_sided" else found.statistic, [w.statistic for w in wanted])


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("zeros", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("n", [60, 200])
def test_many_tied_differences_are_scipys_approximation(n, zeros, side):
    d = GENERATOR.integers(-4, 6, (n, 5)).astype(float)
    wanted = [
        stats.wilcoxon(column, alternative=SIDES[side], zero_method=zeros, method="approx", correction=False).pvalue
        for column in d.T
    ]
    np.testing.assert_allclose(compare(d, f"alternative={side}, zeros={zeros}, method=normal").p, wanted, rtol=1e-10)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("zeros", ["wilcox", "pratt"])
@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_few_tied_differences_are_counted_out(n, zeros, side):
    d = GENERATOR.integers(-2, 4, (n, 8)).astype(float)
    wanted = [enumerated(column, zeros, side) for column in d.T]
    np.testing.assert_allclose(compare(d, f"alternative={side}, zeros={zeros}").p, wanted, rtol=1e-12)


def test_by_hand():
    """Ranks of 1, -2, 3, 4 are 1 to 4; b has 1 + 3 + 4 = 8. Of 16 sign patterns 3 give 8 or more: {4,3,1}, {4,3,2}, all."""
    found = compare([[1], [-2], [3], [4]], "alternative=greater")
    assert (found.statistic[0], found.p[0]) == (8, 3 / 16)


def test_equal_differences_are_tied_whatever_their_last_bits():
    """0.3 - 0.2 and 0.7 - 0.6 differ in the sixteenth digit only."""
    pairs = Pairs(np.array([[0.2], [0.7], [0.1]]), np.array([[0.3], [0.6], [0.5]]))
    assert parse_test("wilcoxon").compare(pairs).statistic == [1.5 + 3]


def test_sakais_scores():
    x, y = np.c_[X], np.c_[Y]
    p = parse_test("wilcoxon(method=normal)").compare(Pairs(x, y)).p[0]
    assert p == pytest.approx(stats.wilcoxon(np.round(y - x, 6).ravel(), method="approx", correction=False).pvalue)


def test_without_any_difference():
    same = compare(np.zeros((5, 2)))
    assert (same.p.tolist(), same.statistic.tolist()) == ([1, 1], [0, 0])
    assert compare(np.zeros((5, 1)), "zeros=zsplit").p == [1]
    assert compare(np.zeros((60, 1)), "zeros=pratt, method=normal").p == [1]
    assert np.isnan(compare(np.zeros((0, 2))).p).all()
    assert compare(np.zeros((5, 0))).p.shape == (0,)


def test_blocks_change_nothing(monkeypatch):
    d = GENERATOR.normal(size=(60, 9))
    whole = compare(d)
    monkeypatch.setattr(module, "BLOCK_CELLS", 100)
    assert compare(d).p.tolist() == whole.p.tolist()


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("settings", ["", "(zeros=pratt)", "(zeros=zsplit)", "(method=normal)", "(alternative=greater)"])
def test_false_alarms_are_as_many_as_promised(kind, settings):
    assert 0.035 <= false_alarms(f"wilcoxon{settings}", kind) <= 0.065
