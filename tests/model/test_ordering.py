"""ordering: places in rankings by binary search, ragged sorting and running sums; against the obvious loops."""

from itertools import accumulate
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import arrays
from assay.arrays import (
    ScoreOrder,
    best_to_come,
    blocks_of_similar_length,
    running_products,
    running_sums,
    sort_stretches,
)

SCORES = st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 0.5, 1.0, 2.0, 1e300, np.inf]) | st.floats(allow_nan=False)
RAGGED = st.lists(st.lists(SCORES, max_size=8), max_size=6)
"""A list of scores for each query; some have none."""
CELLS = st.sampled_from([1, 3, 7, arrays.BLOCK_CELLS])


def flat(ragged, dtype=float):
    """All values side by side, and where each stretch begins and ends."""
    end = np.cumsum([len(values) for values in ragged], dtype=np.int64)
    start = end - np.array([len(values) for values in ragged], dtype=np.int64)
    return np.array([value for values in ragged for value in values], dtype=dtype), start, end


def small_blocks(cells):
    return mock.patch.object(arrays, "BLOCK_CELLS", cells)


@given(RAGGED, CELLS)
def test_locate_counts_better_and_equal_scores(ragged, cells):
    values, start, end = flat(ragged)
    with small_blocks(cells):
        order = ScoreOrder.of(-values, start, end)
    query = np.repeat(np.arange(len(ragged)), end - start)
    better, equal = order.locate(query, values)
    for number, score, n_better, n_equal in zip(query, values, better, equal, strict=True):
        assert n_better == sum(other > score for other in ragged[number])
        assert n_equal == sum(other == score for other in ragged[number])


@given(RAGGED)
def test_it_is_known_which_stretches_were_in_order(ragged):
    values, start, end = flat(ragged)
    order = ScoreOrder.of(-values, start, end)
    assert order.was_sorted.tolist() == [scores == sorted(scores, reverse=True) for scores in ragged]
    for first, last, scores in zip(start, end, ragged, strict=True):
        assert (-order.negated[first:last]).tolist() == sorted(scores, reverse=True)


def test_locate_by_hand():
    order = ScoreOrder.of(-np.array([3.0, 1.0, 1.0, 2.0, 5.0]), np.array([0, 4]), np.array([4, 5]))
    better, equal = order.locate(np.array([0, 0, 1]), np.array([1.0, 2.0, 5.0]))
    assert better.tolist() == [2, 1, 0]
    assert equal.tolist() == [2, 1, 1]


def test_locate_nothing():
    order = ScoreOrder.of(np.array([]), np.array([0]), np.array([0]))
    better, equal = order.locate(np.array([], dtype=np.int64), np.array([]))
    assert len(better) == len(equal) == 0


@given(RAGGED, CELLS)
def test_sort_stretches_sorts_each_for_itself(ragged, cells):
    values, start, end = flat(ragged)
    with small_blocks(cells):
        sort_stretches(values, start, end)
    assert values.tolist() == [value for stretch in ragged for value in sorted(stretch)]


@given(st.lists(st.lists(st.sampled_from([0, 1, 2**63, 2**64 - 1]), max_size=5), max_size=5), CELLS)
def test_sort_stretches_takes_the_largest_hash_for_a_value(ragged, cells):
    values, start, end = flat(ragged, np.uint64)
    with small_blocks(cells):
        sort_stretches(values, start, end)
    assert values.tolist() == [value for stretch in ragged for value in sorted(stretch)]


@given(RAGGED, CELLS, st.data())
def test_sort_stretches_leaves_the_others_alone(ragged, cells, data):
    chosen = np.array([data.draw(st.booleans()) for _ in ragged], dtype=bool)
    values, start, end = flat(ragged)
    with small_blocks(cells):
        sort_stretches(values, start[chosen], end[chosen])
    wanted = [sorted(stretch) if pick else stretch for stretch, pick in zip(ragged, chosen, strict=True)]
    assert values.tolist() == [value for stretch in wanted for value in stretch]


@pytest.mark.parametrize("width", [0, 1, 3])
def test_sort_stretches_of_one_length(width):
    ragged = [[3.0, 1.0, 2.0][:width], [6.0, 5.0, 4.0][:width], [9.0, 9.0, 8.0][:width]]
    values, start, end = flat(ragged)
    sort_stretches(values, start, end)
    assert values.tolist() == [value for stretch in ragged for value in sorted(stretch)]


@given(st.lists(st.integers(0, 12)), st.integers(1, 30))
def test_blocks_hold_every_row_once_and_stay_small(lengths, cells):
    lengths = np.array(lengths, dtype=np.int64)
    with small_blocks(cells):
        blocks = blocks_of_similar_length(lengths)
    rows = [row for block in blocks for row in block.tolist()]
    assert sorted(rows) == np.flatnonzero(lengths).tolist()
    assert all(len(block) == 1 or len(block) * lengths[block].max() <= cells for block in blocks)


NUMBERS = st.lists(st.lists(st.floats(-1e6, 1e6), max_size=8), max_size=6)


@given(NUMBERS, CELLS)
def test_running_sums_and_products_are_those_of_a_loop(ragged, cells):
    values, start, end = flat(ragged)
    query = np.repeat(np.arange(len(ragged)), end - start)
    with small_blocks(cells):
        sums = running_sums(values, query, len(ragged))
        products = running_products(values, query, len(ragged))
    assert sums.tolist() == [total for stretch in ragged for total in accumulate(stretch)]
    wanted = [product for stretch in ragged for product in accumulate(stretch, lambda left, right: left * right)]
    assert products.tolist() == wanted


@given(st.lists(st.lists(st.floats(0, 10), max_size=8), max_size=6), CELLS)
def test_best_to_come_is_the_maximum_of_the_rest(ragged, cells):
    values, start, end = flat(ragged)
    query = np.repeat(np.arange(len(ragged)), end - start)
    with small_blocks(cells):
        best = best_to_come(values, query, len(ragged))
    assert best.tolist() == [max(stretch[place:]) for stretch in ragged for place in range(len(stretch))]
