"""quicksort_orders and ranx_orders: many rankings at once end up as each does by itself, and as ranx 0.3.21 left them."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.model import quicksort
from assay.model.quicksort import Stretches, quicksort_order, quicksort_orders, ranx_orders

GOLDEN = json.loads(Path(__file__).with_name("ranx_orders.json").read_text())


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


@given(rankings(), st.data())
def test_places_that_are_wanted_are_right_whatever_else_is_left_alone(lists, data):
    values, start, end = laid_out(lists)
    bounds = st.integers(0, len(values))
    pairs = [sorted(pair) for pair in data.draw(st.lists(st.tuples(bounds, bounds), max_size=3))]
    wanted = Stretches(*np.array(pairs, dtype=np.int64).reshape(-1, 2).T)
    whole = quicksort_orders(values, start, end, Stretches(start, end))
    found = quicksort_orders(values, start, end, wanted)
    for low, high in pairs:
        assert found[low:high].tolist() == whole[low:high].tolist()
    assert sorted(found.tolist()) == list(range(len(values)))


def test_values_are_left_as_they_were():
    values = np.array([3.0, 1.0, 2.0] * 20)
    quicksort_orders(values, np.array([0]), np.array([60]), Stretches(np.array([0]), np.array([60])))
    assert values.tolist() == [3.0, 1.0, 2.0] * 20


def test_many_long_lists_are_taken_a_few_at_a_time(monkeypatch):
    monkeypatch.setattr(quicksort, "BLOCK", 100)
    rng = np.random.default_rng(3)
    lists = [rng.integers(0, 30, length).astype(float) for length in (500, 40, 0, 90, 300, 16, 15)]
    values, start, end = laid_out(lists)
    found = quicksort_orders(values, start, end, Stretches(start, end))
    assert local(found, start, end) == [quicksort_order(one.tolist()) for one in lists]


def test_equal_scores_end_up_where_ranx_leaves_them():
    lists = [-np.array(one["scores"], dtype=float) for one in GOLDEN]
    values, start, end = laid_out(lists)
    found = quicksort_orders(values, start, end, Stretches(start, end))
    assert local(found, start, end) == [one["order"] for one in GOLDEN]


def test_ties_of_some_rankings_out_of_many():
    """Three rankings of a hundred equals, of which the first and the last are asked about: places 10 … 19 of each."""
    scores = np.zeros(300)
    number, better, equal = np.array([2, 0]), np.array([10, 10]), np.array([10, 10])
    found = ranx_orders(scores.__getitem__, Stretches(np.arange(3) * 100, np.arange(1, 4) * 100), number, better, equal)
    assert list(found) == [0, 2]
    assert found[0][10:20].tolist() == found[2][10:20].tolist() == quicksort_order([0.0] * 100)[10:20]


@pytest.mark.parametrize("as_file", [False, True])
def test_scores_under_its_rule_are_those_of_its_order(as_file, tmp_path):
    """60 queries of up to 80 documents, most of them tied: mrr of one judged document each, from the order itself."""
    rng = np.random.default_rng(5)
    qrels, run, wanted = {}, {}, {}
    for query in range(60):
        scores = rng.integers(0, 4, rng.integers(1, 80)).tolist()
        judged = int(rng.integers(0, len(scores)))
        run[f"q{query}"] = {f"d{place}": float(score) for place, score in enumerate(scores)}
        qrels[f"q{query}"] = {f"d{judged}": 1}
        wanted[f"q{query}"] = 1 / (quicksort_order([-score for score in scores]).index(judged) + 1)
    if as_file:
        path = tmp_path / "tied.run"
        rows = ((query, doc, score) for query, ranking in run.items() for doc, score in ranking.items())
        path.write_text("".join(f"{query} Q0 {doc} 1 {score} tag\n" for query, doc, score in rows))
    found = assay.evaluate(qrels, path if as_file else run, "mrr", policy=assay.Policy(ties="ranx")).scores("mrr")
    assert found == pytest.approx(wanted)
