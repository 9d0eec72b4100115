"""Effect sizes and Cohen's κ: by hand, by definition, against statsmodels, and their laws."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from assay.stats import cohen_kappa, effects

RNG = np.random.default_rng(11)
A, B = RNG.random((2, 40, 5))
GRADES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40)
WEIGHTS = ("none", "linear", "quadratic")


def test_by_hand():
    found = effects([0.2, 0.4, 0.6, 0.8], [0.4, 0.4, 0.9, 0.7])
    assert found.difference[0] == found.improvement[0] == pytest.approx(0.1)
    assert found.relative_change[0] == pytest.approx(0.2)
    assert found.d_z[0] == pytest.approx(0.1 / np.std([0.2, 0, 0.3, -0.1], ddof=1))
    assert found.cliffs_delta[0] == pytest.approx((1 + 1 + 4 + 3 - 2 - 2 - 0 - 1) / 16)
    assert (found.wins[0], found.ties[0], found.losses[0]) == (2, 1, 1)
    close = effects([0, 0, 0, 0], [0.01, -0.01, 0.02, -0.5], tolerance=0.01)
    assert (close.wins[0], close.ties[0], close.losses[0]) == (1, 2, 1)
    assert effects([0.3], [0.1 + 0.2]).ties == [1]
    assert effects([-2.0, -2.0], [-1.0, -1.0]).relative_change == [0.5]  # a negative baseline keeps the direction
    assert np.isnan(effects([0, 0], [1, 0]).relative_change).all()


def test_less_may_be_better():
    up, down = effects(A, B), effects(A, B, higher_is_better=False)
    for same in ("difference", "relative_change", "ties"):
        np.testing.assert_allclose(getattr(up, same), getattr(down, same))
    for turned in ("improvement", "d_z", "cliffs_delta"):
        np.testing.assert_allclose(getattr(up, turned), -getattr(down, turned))
    assert (up.wins.tolist(), up.losses.tolist()) == (down.losses.tolist(), down.wins.tolist())
    mixed = effects(A[:, :2], B[:, :2], higher_is_better=np.array([True, False]))
    assert (mixed.wins[0], mixed.wins[1]) == (up.wins[0], up.losses[1])


def test_laws():
    found = effects(A, B)
    for scale in (1e-300, 1e300):
        np.testing.assert_allclose(effects(A * scale, B * scale).d_z, found.d_z)
        np.testing.assert_allclose(effects(A * scale, B * scale).relative_change, found.relative_change)
    for column in range(5):
        assert [one[0] for one in effects(A[:, column], B[:, column])] == [one[column] for one in found]
    same = effects(A, A * (1 + 1e-16))
    for name in ("difference", "relative_change", "improvement", "d_z", "wins", "losses"):
        assert (getattr(same, name) == 0).all(), name
    assert not np.signbit(effects(A, A, higher_is_better=False).difference).any()
    assert (effects(A, A + 0.1).d_z == np.inf).all()


def test_one_query_and_none():
    one, none = effects([0.5], [0.7]), effects(A[:0], B[:0])
    assert (np.isnan(one.d_z).all(), one.wins[0], one.cliffs_delta[0]) == (True, 1, 1)
    assert (np.isnan(none.difference).all(), none.wins.tolist()) == (True, [0] * 5)


def test_kappa_by_hand():
    """Cohen 1960's way on 50 pairs: both yes 20, yes/no 5, no/yes 10, both no 15: observed 0.7, by chance 0.5.

    Grades 0 0 3 against 0 1 3: squares 0 + 1 + 0 observed; by chance over all nine pairings (0+1+9)·2 + (9+4+0) = 33.
    """
    a, b = [1] * 25 + [0] * 25, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert cohen_kappa(a, b) == pytest.approx((0.7 - 0.5) / (1 - 0.5))
    assert cohen_kappa([0, 0, 3], [0, 1, 3], "quadratic") == pytest.approx(1 - (1 / 3) / (33 / 9))
    assert cohen_kappa([0, 0, 3], [0, 1, 3], "linear") == pytest.approx(1 - (1 / 3) / ((0 + 1 + 3) * 2 / 9 + (3 + 2) / 9))
    assert cohen_kappa(a, a) == 1
    assert cohen_kappa([10 - 2 * grade for grade in a], [10 - 2 * grade for grade in b]) == cohen_kappa(b, a)
    assert math.isnan(cohen_kappa([], []))
    assert math.isnan(cohen_kappa([2, 2], [2, 2]))


@given(GRADES)
def test_kappa_is_that_of_statsmodels(pairs):
    assume(len({grade for pair in pairs for grade in pair}) > 1)
    a, b = zip(*pairs, strict=True)
    table = np.zeros((4, 4))
    np.add.at(table, (a, b), 1)
    for weights in WEIGHTS:
        theirs = cohens_kappa(table, wt=None if weights == "none" else weights, return_results=False)
        assert cohen_kappa(a, b, weights) == pytest.approx(theirs, abs=1e-12), weights


def test_what_is_refused(snapshots):
    cases = {
        "nan": lambda: effects([0.1, np.nan], [0.1, 0.2]),
        "infinite": lambda: effects([0.1, np.inf], [0.1, 0.2]),
        "other queries": lambda: effects([0.1, 0.2], [0.1]),
        "three dimensions": lambda: effects(np.zeros((1, 1, 1)), np.zeros((1, 1, 1))),
        "kappa of other lengths": lambda: cohen_kappa([1], [1, 2]),
        "kappa of nan": lambda: cohen_kappa([float("nan")], [1]),
        "kappa by unknown weights": lambda: cohen_kappa([1], [1], "cubic"),
    }
    bad = {f"tolerance {value}": lambda value=value: effects([0.1], [0.2], tolerance=value) for value in (-1, np.nan)}
    snapshots.check_errors("stats/effects", {**cases, **bad})
