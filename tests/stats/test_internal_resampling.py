"""The stream of resamples and sums on a grid: right in law, the same for everybody, whatever the blocks."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from tests._variants import for_each

from assay.stats import resampling
from assay.stats.numeric import exact, exact_mean, exact_sum
from assay.stats.resampling import (
    block_rows,
    count_blocks,
    index_blocks,
    keep_blocks,
    weighted_sums,
)

from ._scores import SAKAI, compare, compare_many


@for_each("n, resamples", [(1, 10), (7, 2000), (70_000, 3)])
def test_counts_are_how_often_each_query_was_drawn(n, resamples):
    index = np.concatenate(list(index_blocks(n, resamples, 3)))
    counts = np.concatenate(list(count_blocks(n, resamples, 3)))
    assert index.shape == counts.shape == (resamples, n)
    assert (counts.sum(axis=1) == n).all()
    for row in range(0, resamples, max(1, resamples // 7)):
        assert np.array_equal(np.bincount(index[row], minlength=n), counts[row])


def test_every_query_is_drawn_equally_often_and_coins_are_fair_and_independent():
    counts = np.concatenate(list(count_blocks(40, 20_000, 0)))
    assert counts.mean(axis=0) == pytest.approx(1, abs=0.04)
    assert counts.var() == pytest.approx(1 - 1 / 40, abs=0.02)
    keep = np.concatenate(list(keep_blocks(13, 40_000, 0)))
    assert set(np.unique(keep)) == {0.0, 1.0}
    assert keep.mean(axis=0) == pytest.approx(0.5, abs=0.015)
    assert np.abs(np.corrcoef(keep.T) - np.eye(13)).max() < 0.03


def test_the_first_resamples_do_not_depend_on_how_many_follow():
    rows = block_rows(1000)
    few, (one, two, *_) = next(index_blocks(1000, rows, 0)), index_blocks(1000, 3 * rows, 0)
    assert np.array_equal(few, one)
    assert not np.array_equal(one, two)


@for_each("n, columns", [(3, 1), (50, 20), (1000, 33)])
def test_pieces_of_a_product_are_the_product(n, columns, monkeypatch):
    units = np.random.default_rng(0).integers(-(2**40), 2**40, (n, columns)).astype(float)
    block = next(count_blocks(n, 2000, 0))
    whole = block @ units
    assert np.array_equal(weighted_sums(block, units), whole)
    monkeypatch.setattr(resampling, "SMALL_PRODUCT", 9 * units.size)
    assert np.array_equal(weighted_sums(block, units), whole)


# Sums that no order of summation changes


@for_each("n, scale", [(1, 1.0), (3, 1e-310), (1000, 7e9), (50_000, 1e300)])
def test_scores_hardly_move(n, scale):
    values = scale * np.random.default_rng(n).uniform(-1, 1, (n, 2))
    units, exponent = exact(values)
    assert np.array_equal(units, np.rint(units))
    assert np.abs(units).max() * n <= 2**53
    assert np.abs(np.ldexp(units, exponent) - values).max() <= n * 2.0**-51 * scale


def test_any_order_gives_the_same_bits_and_each_column_has_its_own_scale():
    units, _ = exact(np.random.default_rng(0).lognormal(0, 3, (5000, 1)))
    assert len({float(np.random.default_rng(seed).permutation(units[:, 0]).cumsum()[-1]) for seed in range(20)}) == 1
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
    for value, n in ((0.1, 3), (1 / 3, 7), (1e-300, 1001), (-0.3, 3), (0.0, 1)):
        assert exact_mean(np.full((n, 1), value))[0] == value  # equal scores are their own mean
    assert exact_sum(np.empty((0, 2))).tolist() == [0, 0]
    given = exact(np.random.default_rng(2).random((1000, 1)))
    assert 0 < given.slack()[0] / np.abs(given.units).sum() < 1e-11  # far below any real difference


# Blocks and threads change no bit


def test_blocks_change_nothing(monkeypatch):
    from assay.stats import intervals, power_analysis
    from assay.stats.catalog import rank_tests
    from assay.stats.catalog import resampling as resampled_tests

    differences = np.random.default_rng(7).normal(0.1, 1, (60, 9))
    differences[5:, 4] = 0
    tests = ("randomization(resamples=2000)", "bootstrap(resamples=2000)", "bootstrap(method=studentised)", "wilcoxon")

    def outcomes():
        found = [compare(text, np.zeros((60, 9)), differences).p for text in tests]
        found += [compare_many("randomized_tukey_hsd(resamples=500)", SAKAI).pairwise]
        found += [
            np.array(intervals.difference_intervals(np.zeros((60, 9)), differences, method, resamples=200))
            for method in ("bootstrap", "bca", "studentised")
        ]
        return [*found, np.array([power_analysis.power(differences[:, 0], 0.2)])]

    whole = outcomes()
    monkeypatch.setattr(resampling, "MAX_FIGURES_AT_ONCE", 2 * block_rows(60))
    for module in (rank_tests, resampled_tests, power_analysis):
        monkeypatch.setattr(module, "BLOCK_CELLS", 1000)
    for one, other in zip(whole, outcomes(), strict=True):
        assert np.array_equal(one, other)


SCRIPT = """
import numpy as np
from assay.stats import Pairs, difference_intervals, parse_test
rng = np.random.default_rng(0)
a = rng.random((700, 30)); b = a + rng.normal(0.01, 0.2, a.shape)
outcomes = [parse_test(name).compare(Pairs(a, b)).p for name in
            ("randomization(resamples=5000)", "bootstrap(resamples=3000)", "bootstrap(method=studentised, resamples=3000)")]
intervals = [difference_intervals(a, b, method) for method in ("bootstrap", "bca", "studentised", "t")]
print([array.tobytes().hex() for found in (*outcomes, *intervals) for array in np.atleast_2d(np.asarray(found))])
"""


@pytest.mark.slow
def test_same_bits_for_one_thread_and_two():
    how = {"capture_output": True, "text": True, "check": True}
    outputs = {
        subprocess.run([sys.executable, "-c", SCRIPT], env={**os.environ, "OPENBLAS_NUM_THREADS": threads}, **how).stdout
        for threads in ("1", "2")
    }
    assert len(outputs) == 1
