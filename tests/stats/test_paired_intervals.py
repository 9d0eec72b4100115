"""Intervals of differences: which method, what it contains, and agreement with the test."""

import numpy as np
import pytest
from tests._variants import for_each

from assay.stats import Pairs, agree_with_test, auto_intervals, difference_intervals, gaffke_bound, parse_test

ONE = np.ones(1)


def column(values):
    return np.array(values, dtype=float)[:, np.newaxis]


def randomization_p(differences):
    return parse_test("randomization").compare(Pairs(np.zeros_like(differences), differences)).p


def followed(values, alpha=0.05):
    interval, _ = auto_intervals(values, ONE, 1 - alpha)
    (low,), (high,) = agree_with_test(interval, values, randomization_p(values), alpha, randomization_p)
    return low, high


def test_students_interval_if_all_or_many_queries_changed():
    every, many = np.linspace(-0.1, 0.3, 8), np.concatenate([np.linspace(0.01, 0.3, 20), np.zeros(80)])
    for values in (column(every), column(many)):
        interval, methods = auto_intervals(values, ONE)
        assert methods.tolist() == ["t"]
        assert np.allclose(interval, difference_intervals(np.zeros_like(values), values, "t"))


def test_gaffkes_bound_if_few_queries_changed():
    values = column([0.5, -0.25, *np.zeros(30)])
    (low, high), methods = auto_intervals(values, ONE)
    assert methods.tolist() == ["gaffke"]
    assert low[0] == pytest.approx(gaffke_bound(values[:, 0], 0.025))
    assert high[0] == pytest.approx(-gaffke_bound(-values[:, 0], 0.025))
    plain = difference_intervals(np.zeros_like(values), values, "t")
    assert low[0] < plain.low[0] < plain.high[0] < high[0]


def test_equal_changes_of_all_queries_still_have_a_width():
    """25 queries that all lost 0.5 say nothing about the spread, so t would have no width."""
    (low, high), methods = auto_intervals(np.full((25, 1), -0.5), ONE)
    assert methods.tolist() == ["gaffke"]
    assert low[0] < -0.5 < high[0] < 0


def test_a_metric_without_a_range_has_students_interval_and_a_range_limits_it():
    values = column([0.5, 0, 0, 0, 0])
    assert auto_intervals(values, np.array([np.inf]))[1].tolist() == ["t"]
    (low, high), _ = auto_intervals(column([1.0, -1.0, 0.9]), ONE)
    assert (low[0], high[0]) == (-1.0, 1.0)


def test_no_query_changed():
    """Up to 7.4 % of 48 queries could lose everything unseen: 1 − 0.025^(1/48)."""
    (low, high), _ = auto_intervals(np.zeros((48, 1)), ONE)
    assert high[0] == pytest.approx(1 - 0.025 ** (1 / 48))
    assert low[0] == pytest.approx(-high[0])


@for_each("seed", range(40))
def test_zero_is_outside_exactly_if_the_test_is_significant(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 60))
    values = column(np.where(rng.random(n) < rng.choice([0.1, 0.3, 1.0]), rng.normal(0.1, 0.25, n).clip(-1, 1), 0))
    low, high = followed(values)
    assert (low > 0 or high < 0) == bool(randomization_p(values)[0] <= 0.05)
    assert low <= values.mean() <= high


def test_the_end_that_faces_zero_is_the_smallest_difference_that_the_test_accepts():
    """Seven of 40 queries gained: Gaffke's bound contains zero, but p = 2 ÷ 2^7."""
    values = column([*np.linspace(0.2, 0.5, 7), *np.zeros(33)])
    assert auto_intervals(values, ONE)[0].low[0] < 0
    low, high = followed(values)
    assert 0 < low < values.mean()
    assert randomization_p(values - low)[0] > 0.05 >= randomization_p(values - (low - 1e-4))[0]
    mirrored = followed(-values)
    assert mirrored == pytest.approx((-high, -low))


def test_a_single_query_has_no_interval():
    interval, _ = auto_intervals(column([0.5]), ONE)
    assert np.isnan(interval).all()
