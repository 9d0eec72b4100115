"""quicksort_order: the order in which ranx 0.3.21 left some rankings, kept in ranx_orders.json."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.policy import RankRule
from assay.model.quicksort import SHORT, quicksort_order
from assay.model.run import Run

GOLDEN = json.loads(Path(__file__).with_name("ranx_orders.json").read_text())
VALUES = st.lists(st.integers(0, 5).map(float), max_size=80)


@pytest.mark.parametrize("number", range(len(GOLDEN)))
def test_equal_scores_end_up_where_ranx_leaves_them(number):
    scores, order = GOLDEN[number]["scores"], GOLDEN[number]["order"]
    assert quicksort_order([-score for score in scores]) == order
    run = Run({"q": {f"d{place}": score for place, score in enumerate(scores)}})
    assert run.ranked(0, RankRule("ranx", "float64", drop_self=False)) == [f"d{place}" for place in order]


def test_the_first_of_a_hundred_equals_ends_at_rank_73():
    assert GOLDEN[-1]["scores"] == [1] * 100
    assert quicksort_order([0.0] * 100).index(0) + 1 == 73


@given(VALUES)
def test_it_sorts(values):
    order = quicksort_order(values)
    assert sorted(order) == list(range(len(values)))
    assert [values[place] for place in order] == sorted(values)


@given(VALUES.map(lambda values: values[:SHORT]))
def test_short_lists_keep_equals_in_the_order_given(values):
    assert quicksort_order(values) == sorted(range(len(values)), key=values.__getitem__)


@given(st.lists(st.floats(allow_nan=False), unique=True, max_size=80))
def test_without_equals_there_is_one_order(values):
    assert quicksort_order(values) == sorted(range(len(values)), key=values.__getitem__)


@given(VALUES)
def test_only_the_order_of_values_matters(values):
    assert quicksort_order([value**3 / 7 - 5 for value in values]) == quicksort_order(values)


@pytest.mark.parametrize("n", [0, 1, 2, 15, 16, 5000])
def test_long_lists_of_one_value(n):
    assert sorted(quicksort_order([1.0] * n)) == list(range(n))
