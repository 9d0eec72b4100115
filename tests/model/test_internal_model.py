"""Kernels that show in no score: binary search in rankings, ragged sorting and sums, and the sort that ranx has."""

import json
from itertools import accumulate
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import Run, arrays
from assay.arrays import (
    ScoreOrder,
    running_products,
    running_sums,
)
from assay.model import RankRule, Stretches
from assay.model.quicksort import quicksort_order, quicksort_orders
from assay.views.chunk_locations import union_sizes

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


GOLDEN = json.loads(Path(__file__).with_name("ranx_orders.json").read_text())
"""The order in which ranx 0.3.21 left some rankings."""


def test_equal_scores_end_up_where_ranx_leaves_them():
    for one in GOLDEN:
        scores, order = one["scores"], one["order"]
        assert quicksort_order([-score for score in scores]) == order
        run = Run({"q": {f"d{place}": score for place, score in enumerate(scores)}})
        assert run.ranked(0, RankRule("ranx", "float64", drop_self=False)) == [f"d{place}" for place in order]
    values, start, end = laid_out([-np.array(one["scores"], dtype=float) for one in GOLDEN])
    found = quicksort_orders(values, start, end, Stretches(start, end))
    assert local(found, start, end) == [one["order"] for one in GOLDEN]
    assert quicksort_order([0.0] * 100).index(0) + 1 == 73  # the first of a hundred equals


@st.composite
def rankings(draw):
    """Several lists of values, most of them equal to others, in order or not."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    lengths = draw(st.lists(st.integers(0, 150), min_size=1, max_size=5))
    n_levels = draw(st.integers(1, 60))
    lists = [rng.integers(0, n_levels, length).astype(float) for length in lengths]
    if draw(st.booleans()):
        lists = [np.sort(values) for values in lists]
    if draw(st.booleans()):
        lists = [np.where(values == 0, -np.inf, np.where(values == 1, np.inf, values)) for values in lists]
    return lists


def laid_out(lists):
    """All values in a row, and where each list begins and ends."""
    end = np.cumsum([len(values) for values in lists])
    return np.concatenate(lists), end - [len(values) for values in lists], end


def local(order, start, end):
    return [(order[low:high] - low).tolist() for low, high in zip(start, end, strict=True)]


@given(rankings())
def test_each_list_is_sorted_as_by_itself(lists):
    values, start, end = laid_out(lists)
    found = quicksort_orders(values, start, end, Stretches(start, end))
    assert local(found, start, end) == [quicksort_order(one.tolist()) for one in lists]


def test_scores_under_its_rule_are_those_of_its_order(tmp_path):
    """60 queries of up to 80 documents, most of them tied: mrr of one judged document each, from the order itself."""
    rng = np.random.default_rng(5)
    qrels, run, wanted = {}, {}, {}
    for query in range(60):
        scores = rng.integers(0, 4, rng.integers(1, 80)).tolist()
        judged = int(rng.integers(0, len(scores)))
        run[f"q{query}"] = {f"d{place}": float(score) for place, score in enumerate(scores)}
        qrels[f"q{query}"] = {f"d{judged}": 1}
        wanted[f"q{query}"] = 1 / (quicksort_order([-score for score in scores]).index(judged) + 1)
    path = tmp_path / "tied.run"
    rows = ((query, doc, score) for query, ranking in run.items() for doc, score in ranking.items())
    path.write_text("".join(f"{query} Q0 {doc} 1 {score} tag\n" for query, doc, score in rows))
    for source in (path, run):
        found = assay.evaluate(qrels, source, "mrr", policy=assay.Policy(ties="ranx")).scores("mrr")
        assert found == pytest.approx(wanted)


STRETCH = st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 9), st.integers(0, 9))


@given(st.lists(STRETCH, max_size=12), st.booleans())
def test_what_stretches_cover_together_is_that_of_sets(rows, is_wide):
    """Query, file and two ends; with ends so far apart that one number cannot hold all of it."""
    factor = 2**40 if is_wide else 1
    columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    query, file, start, end = columns[0], columns[1], columns[2:].min(axis=0), columns[2:].max(axis=0)
    found = union_sizes((query * 3 + file) * factor, start * factor, end * factor, query, 4)
    letters = [
        {(q, f, at) for q, f, a, b in rows if q == number for at in range(min(a, b), max(a, b))} for number in range(4)
    ]
    assert found.tolist() == [float(len(some) * factor) for some in letters]
