import numpy as np
import pytest

from assay.errors import BadParameter, DataError
from assay.stats.effect_sizes import effects

GENERATOR = np.random.default_rng(11)
A, B = GENERATOR.random((2, 40, 5))


def naive_delta(a, b):
    return np.sign(b[:, None] - a[None, :]).mean()


def test_by_hand():
    found = effects([0.2, 0.4, 0.6, 0.8], [0.4, 0.4, 0.9, 0.7])
    assert found.difference[0] == pytest.approx(0.1)
    assert found.relative_change[0] == pytest.approx(0.2)
    assert found.improvement[0] == pytest.approx(0.1)
    assert found.cohens_d[0] == pytest.approx(0.1 / np.std([0.2, 0, 0.3, -0.1], ddof=1))
    assert found.cliffs_delta[0] == pytest.approx((1 + 1 + 4 + 3 - 2 - 2 - 0 - 1) / 16)
    assert (found.wins[0], found.ties[0], found.losses[0]) == (2, 1, 1)


def test_by_definition():
    found, d = effects(A, B), B - A
    np.testing.assert_allclose(found.difference, B.mean(axis=0) - A.mean(axis=0))
    np.testing.assert_allclose(found.relative_change, B.mean(axis=0) / A.mean(axis=0) - 1)
    np.testing.assert_allclose(found.cohens_d, d.mean(axis=0) / d.std(axis=0, ddof=1))
    np.testing.assert_allclose(found.cliffs_delta, [naive_delta(a, b) for a, b in zip(A.T, B.T, strict=True)])
    assert (found.wins + found.ties + found.losses == 40).all()


def test_cliffs_delta_with_ties():
    a, b = GENERATOR.integers(0, 4, (2, 30)) / 10
    assert effects(a, b).cliffs_delta[0] == pytest.approx(naive_delta(np.round(a, 6), np.round(b, 6)))


def test_the_tolerance_makes_ties():
    found = effects([0, 0, 0, 0], [0.01, -0.01, 0.02, -0.5], tolerance=0.01)
    assert (found.wins[0], found.ties[0], found.losses[0]) == (1, 2, 1)
    assert effects([0.3], [0.1 + 0.2]).ties == [1]


def test_less_may_be_better():
    up, down = effects(A, B), effects(A, B, higher_is_better=False)
    for same in ("difference", "relative_change", "ties"):
        np.testing.assert_allclose(getattr(up, same), getattr(down, same))
    for turned in ("improvement", "cohens_d", "cliffs_delta"):
        np.testing.assert_allclose(getattr(up, turned), -getattr(down, turned))
    assert (up.wins.tolist(), up.losses.tolist()) == (down.losses.tolist(), down.wins.tolist())


def test_each_column_may_have_its_own_direction():
    found = effects(A[:, :2], B[:, :2], higher_is_better=np.array([True, False]))
    assert found.wins[1] == effects(A, B).losses[1]
    assert found.wins[0] == effects(A, B).wins[0]


def test_identical_systems():
    found = effects(A, A * (1 + 1e-16))
    for name in ("difference", "relative_change", "improvement", "cohens_d", "wins", "losses"):
        assert (getattr(found, name) == 0).all()
    assert not np.signbit(effects(A, A, higher_is_better=False).difference).any()


def test_the_same_difference_everywhere_is_infinitely_large_for_its_spread():
    assert (effects(A, A + 0.1).cohens_d == np.inf).all()
    assert (effects(A, A + 0.1, higher_is_better=False).cohens_d == -np.inf).all()


def test_a_baseline_of_zero_has_no_relative_change():
    assert np.isnan(effects([0, 0], [1, 0]).relative_change).all()


def test_a_negative_baseline_keeps_the_direction():
    assert effects([-2.0, -2.0], [-1.0, -1.0]).relative_change == [0.5]


def test_one_query_and_none():
    one = effects([0.5], [0.7])
    assert np.isnan(one.cohens_d).all()
    assert (one.wins[0], one.cliffs_delta[0]) == (1, 1)
    none = effects(A[:0], B[:0])
    assert np.isnan(none.difference).all()
    assert none.wins.tolist() == [0] * 5


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_huge_and_tiny_scores(scale):
    found = effects(A * scale, B * scale)
    np.testing.assert_allclose(found.cohens_d, effects(A, B).cohens_d)
    np.testing.assert_allclose(found.relative_change, effects(A, B).relative_change)


def test_a_column_alone_and_in_company():
    together = effects(A, B)
    for column in range(5):
        alone = effects(A[:, column], B[:, column])
        assert [figure[0] for figure in alone] == [figure[column] for figure in together]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_scores_are_finite(bad):
    with pytest.raises(DataError, match="finite"):
        effects([0.1, bad], [0.1, 0.2])


def test_shapes_must_fit():
    with pytest.raises(DataError, match="a has 2 queries"):
        effects([0.1, 0.2], [0.1])
    with pytest.raises(DataError, match="dimensions"):
        effects(np.zeros((1, 1, 1)), np.zeros((1, 1, 1)))


@pytest.mark.parametrize("bad", [-1, np.nan, np.inf])
def test_the_tolerance_is_a_number_from_0_up(bad):
    with pytest.raises(BadParameter, match="tolerance"):
        effects([0.1], [0.2], tolerance=bad)
