"""The stream of resamples: right in law, and the same for everybody."""

import numpy as np
import pytest

from assay.errors import BadParameter
from assay.stats import resampling
from assay.stats.resampling import (
    all_keep_blocks,
    block_rows,
    checked_resamples,
    checked_seed,
    column_groups,
    count_blocks,
    index_blocks,
    keep_blocks,
    resampled_means,
    weighted_sums,
)


@pytest.mark.parametrize(("n", "resamples"), [(1, 10), (7, 5000), (300, 1000), (70_000, 5)])
def test_counts_are_how_often_each_query_was_drawn(n, resamples):
    index = np.concatenate(list(index_blocks(n, resamples, 3)))
    counts = np.concatenate(list(count_blocks(n, resamples, 3)))
    assert index.shape == counts.shape == (resamples, n)
    assert (counts.sum(axis=1) == n).all()
    for row in range(0, resamples, max(1, resamples // 7)):
        assert np.array_equal(np.bincount(index[row], minlength=n), counts[row])


def test_every_query_is_drawn_equally_often():
    counts = np.concatenate(list(count_blocks(40, 20_000, 0)))
    assert counts.mean(axis=0) == pytest.approx(1, abs=0.04)
    assert counts.var() == pytest.approx(1 - 1 / 40, abs=0.02)


def test_coins_are_fair_and_independent():
    keep = np.concatenate(list(keep_blocks(13, 40_000, 0)))
    assert set(np.unique(keep)) == {0.0, 1.0}
    assert keep.mean(axis=0) == pytest.approx(0.5, abs=0.015)
    assert np.abs(np.corrcoef(keep.T) - np.eye(13)).max() < 0.03


@pytest.mark.parametrize("n", [0, 1, 2, 5, 14])
def test_every_way_to_change_sides_comes_once(n):
    ways = np.concatenate(list(all_keep_blocks(n)))
    assert len(np.unique(ways, axis=0)) == len(ways) == 2**n


def test_another_seed_is_another_stream():
    one, two = (np.concatenate(list(index_blocks(30, 100, seed))) for seed in (0, 1))
    assert not np.array_equal(one, two)


def test_blocks_differ_from_each_other():
    one, two, *_ = index_blocks(1000, 2100, 0)
    assert len(one) == len(two)
    assert not np.array_equal(one, two)


def test_the_first_resamples_do_not_depend_on_how_many_follow():
    rows = block_rows(1000)
    few, many = (next(index_blocks(1000, resamples, 0)) for resamples in (rows, 5 * rows))
    assert np.array_equal(few, many)


def test_blocks_are_small_for_any_number_of_queries():
    assert all(block_rows(n) * n <= max(2**20, n) for n in (1, 10, 1000, 10**5, 10**7))


def test_column_by_column_gives_the_same_bits():
    values = np.random.default_rng(0).random((123, 9))
    together = resampled_means(values, 500, 7)
    alone = np.concatenate([resampled_means(values[:, [number]], 500, 7) for number in range(9)])
    assert np.array_equal(together, alone)


def test_means_are_the_means_of_the_queries_drawn():
    values = np.random.default_rng(0).normal(3, 2, (50, 2))
    means = resampled_means(values, 300, 5)
    drawn = np.concatenate(list(index_blocks(50, 300, 5)))
    assert means == pytest.approx(values[drawn].mean(axis=1).T, rel=1e-13)


@pytest.mark.parametrize("n", [3, 50, 1000])
@pytest.mark.parametrize("columns", [1, 20, 33])
def test_pieces_of_a_product_are_the_product(n, columns, monkeypatch):
    units = np.random.default_rng(0).integers(-(2**40), 2**40, (n, columns)).astype(float)
    block = next(count_blocks(n, 2000, 0))
    whole = block @ units
    assert np.array_equal(weighted_sums(block, units), whole)
    monkeypatch.setattr(resampling, "SMALL_PRODUCT", 9 * units.size)
    assert np.array_equal(weighted_sums(block, units), whole)


def test_groups_hold_every_column_once(monkeypatch):
    monkeypatch.setattr(resampling, "MAX_FIGURES_AT_ONCE", 100)
    places = [place for some in column_groups(23, 10, 30) for place in range(23)[some]]
    assert places == list(range(23))


@pytest.mark.parametrize("seed", [-1, 1.5, True, "0", None])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(BadParameter, match="seed"):
        checked_seed(seed)


@pytest.mark.parametrize("resamples", [0, -5, 1.5, True, 10**8])
def test_the_number_of_resamples_is_sensible(resamples):
    with pytest.raises(BadParameter, match="resamples"):
        checked_resamples(resamples)


@pytest.mark.parametrize(
    ("n", "n_columns"), [(50_000, 3), (33_000, 1), (300_000, 2), (1_000, 20), (100, 5_000), (5, 0), (0, 3)]
)
def test_sums_in_pieces_are_those_of_one_product(n, n_columns):
    rng = np.random.default_rng(1)
    units = rng.integers(0, 2**20, (n, n_columns)).astype(float)
    block = rng.integers(0, 5, (20, n)).astype(float)
    assert np.array_equal(weighted_sums(block, units), block @ units)
