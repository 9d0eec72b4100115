"""Scores on a grid: sums that no order of summation changes, and scores that hardly move."""

import math

import numpy as np
import pytest

from assay.stats.numeric import exact, exact_mean, exact_sum


@pytest.mark.parametrize("n", [1, 2, 3, 50, 1000, 100_000])
@pytest.mark.parametrize("scale", [1e-310, 1e-12, 1.0, 7e9, 1e300])
def test_scores_hardly_move(n, scale):
    values = scale * np.random.default_rng(n).uniform(-1, 1, (n, 2))
    units, exponent = exact(values)
    assert np.array_equal(units, np.rint(units))
    assert np.abs(units).max() * n <= 2**53
    assert np.abs(np.ldexp(units, exponent) - values).max() <= n * 2.0**-51 * scale


def test_any_order_gives_the_same_bits():
    values = np.random.default_rng(0).lognormal(0, 3, (5000, 1))
    units, _ = exact(values)
    sums = {float(np.random.default_rng(seed).permutation(units[:, 0]).cumsum()[-1]) for seed in range(20)}
    assert len(sums) == 1


def test_each_column_has_its_own_scale():
    values = np.column_stack([np.linspace(0, 1, 9), np.linspace(0, 1e-9, 9), np.zeros(9)])
    together = exact(values)
    for number in range(3):
        alone = exact(values[:, [number]])
        assert np.array_equal(alone.units[:, 0], together.units[:, number])
        assert alone.exponent[0] == together.exponent[number]


def test_mean_is_that_of_exact_arithmetic():
    values = np.random.default_rng(1).random((999, 4))
    wanted = [math.fsum(column) / 999 for column in values.T]
    assert exact_mean(values) == pytest.approx(wanted, rel=3e-16, abs=0)
    assert exact_sum(values) == pytest.approx([math.fsum(column) for column in values.T], rel=1e-13)


@pytest.mark.parametrize("value", [0.1, 1 / 3, 0.7, 1e-300, -0.3, 0.0])
@pytest.mark.parametrize("n", [1, 3, 7, 1001])
def test_equal_scores_are_their_own_mean(value, n):
    assert exact_mean(np.full((n, 1), value))[0] == value


def test_nothing_adds_up_to_nothing():
    assert exact_sum(np.empty((0, 2))).tolist() == [0, 0]


def test_slack_is_far_below_any_real_difference():
    given = exact(np.random.default_rng(2).random((1000, 1)))
    assert 0 < given.slack()[0] / np.abs(given.units).sum() < 1e-11
