"""Ties are settled by id, descending, whatever the ids look like."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.fusion.ordering import Ids, best_first

IDS = st.one_of(
    st.text(max_size=12),
    st.text("ab\0é漢\ud800", max_size=10),
    st.integers(0, 300).map("a long beginning that all of them share {}".format),
)


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


@pytest.mark.parametrize(
    "names",
    [
        ["a", "ab", "abc", ""],
        ["document-0001", "document-0002", "document-00021", "document-0003"],
        ["clueweb12-0000tw-05-12114", "clueweb12-0000tw-05-12115", "clueweb12-0000tw"],
        ["z", "é", "漢", "😀"],
    ],
)
def test_numbers_never_contradict_the_order_of_ids(names: list[str]) -> None:
    words = dict(zip(names, Ids((names,)).words.tolist(), strict=True))
    ordered = [words[name] for name in sorted(names)]
    assert ordered == sorted(ordered)
    assert len(set(ordered)) > 1


def test_an_id_with_a_nul_leaves_it_to_the_ids() -> None:
    assert Ids((["a\0b", "c"],)).words.tolist() == [0, 0]
