"""Kernels of fusion: exact sums, ties settled by id, and blocks of queries, none of which shows in a figure by itself."""

from __future__ import annotations

from math import fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.fusion import RankedLists, fuse, lists
from assay.fusion.lists import sums
from assay.fusion.ordering import Ids, best_first
from assay.model import Run

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: value if abs(value) > 1e-9 else 0.0)
IDS = st.one_of(
    st.text(max_size=12),
    st.text("ab\0é漢\ud800", max_size=10),
    st.integers(0, 300).map("a long beginning that all of them share {}".format),
)


def total(values):
    return sums(np.zeros(len(values), dtype=np.int64), np.array(values), 1, len(values))[0]


@given(st.lists(NUMBERS, min_size=3, max_size=40))
def test_sums_are_as_exact_as_fsum(values):
    assert total(values) == fsum(values)


def test_very_large_and_very_small_values():
    for values in ([1e308, 1e308 / 2, 5.0], [1e-320, 1e-320, 1e-320], [0.0, 0.0, 0.0], [1.0, 1e-200, 1e-201]):
        found = sums(np.array([0, 0, 1]), np.array(values), 3, 3).tolist()
        assert found == pytest.approx([values[0] + values[1], values[2], 0.0], rel=1e-15, abs=0), values
    assert sums(np.array([], dtype=np.int64), np.array([]), 2, 5).tolist() == [0, 0]


@given(st.lists(st.lists(IDS, unique=True, max_size=12), max_size=4), st.data())
def test_equal_values_come_by_id_descending(docs: list[list[str]], data: st.DataObject) -> None:
    ids = Ids(tuple(docs))
    length = np.array([len(names) for names in docs], dtype=np.int64)
    n_ids = int(length.sum())
    values = np.array(data.draw(st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=n_ids, max_size=n_ids)))
    places = best_first(values, np.cumsum(length) - length, length, ids, np.arange(n_ids))
    first = 0
    for names in docs:
        given_values = dict(zip(names, values[first : first + len(names)].tolist(), strict=True))
        expected = sorted(sorted(names, reverse=True), key=lambda name: -given_values[name])
        assert [ids.flat[place] for place in places[first : first + len(names)]] == expected
        first += len(names)


def test_some_queries_at_a_time_give_the_same(monkeypatch):
    runs = [
        {"q1": {"b": 1.0, "a": 2.0}, "q2": {}, "q3": {"x": 0.0}},
        {"q3": {"y": 5.0, "x": 5.0}, "q4": {"z": 1.0}, "q1": {"c": 3.0, "a": 3.0, "b": 3.0}},
    ]
    at_once = fuse(runs, "comb_mnz")
    for rows in (1, 3, 4):
        monkeypatch.setattr(lists, "BLOCK_ROWS", rows)
        assert len(list(RankedLists.in_blocks([Run(run) for run in runs]))) > 1
        in_blocks = fuse(runs, "comb_mnz")
        assert (dict(in_blocks), list(in_blocks)) == (dict(at_once), list(at_once)), rows
