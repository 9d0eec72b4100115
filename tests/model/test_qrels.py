"""Qrels: grades per query and document, flat and validated; sets of ids mean grade 1."""

from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import DataError, Qrels

SMALL = {"q1": {"d1": 1.0, "d2": 0.0}, "7": {"9": 1.0}}
SAME = {
    "nested dict": {"q1": {"d1": 1, "d2": 0}, "7": {"9": 1}},
    "booleans": {"q1": {"d1": True, "d2": False}, "7": {"9": np.True_}},
    "NumPy grades": {"q1": {"d1": np.int64(1), "d2": np.float32(0)}, "7": {"9": np.uint8(1)}},
    "whole-number ids": {"q1": {"d1": 1, "d2": 0}, 7: {9: 1}},
    "NumPy ids": {np.str_("q1"): {"d1": 1, "d2": 0}, np.int64(7): {np.int16(9): 1}},
    "other mappings": MappingProxyType({"q1": MappingProxyType({"d1": 1, "d2": 0}), "7": {"9": 1}}),
    "a set beside a mapping": {"q1": {"d1": 1, "d2": 0}, "7": {"9"}},
    "pandas": {"q1": pd.Series({"d1": 1, "d2": 0}), "7": pd.Series(["9"])},
}


def test_every_shape_reads_the_same():
    for shape, source in SAME.items():
        before = str(source)
        qrels = Qrels(source)
        assert dict(qrels) == SMALL, shape
        assert (qrels.query_ids, qrels.subtopics) == (("q1", "7"), None)
        assert str(source) == before, shape


def test_what_cannot_be_judgments_is_refused():
    for bad in (None, "1", float("nan"), float("-inf"), np.float32("nan"), [1], {}, 1j, 10**400):
        with pytest.raises(DataError, match=r"(?s)d1.*q1|q1.*d1"):
            Qrels({"q0": {"d0": 1}, "q1": {"d0": 1, "d1": bad}})
    for judged in ("d1", b"d1", 5, None):
        with pytest.raises(DataError, match="q1"):
            Qrels({"q1": judged})
    for bad in (None, 1.5, True, b"x"):
        for source in ({bad: {"d": 1}}, {"q1": {bad: 1}}, {"q1": [bad]}, bad):
            with pytest.raises(DataError):
                Qrels(source)


def test_messages(snapshots):
    sources = {
        "a grade in words": {"q1": {"d1": "high"}},
        "a grade that is not a number": {"q1": {"d1": float("nan")}},
        "a text": {"q1": "d1"},
        "two ids that are one": {"q1": {7: 1, "7": 2}},
        "an id that is a number": {"q1": {1.5: 1}},
        "nothing": None,
    }
    snapshots.check_errors("model/qrels", {case: lambda source=source: Qrels(source) for case, source in sources.items()})


def test_qrels_are_a_copy_and_a_mapping():
    source = {"q1": {"d1": 1}}
    qrels = Qrels(source)
    source["q1"] |= {"d1": 3, "d2": 3}
    qrels["q1"]["d1"] = 5
    assert qrels == {"q1": {"d1": 1}}
    qrels = Qrels(SAME["nested dict"])
    assert list(qrels) == ["q1", "7"]
    assert (len(qrels), "q1" in qrels, "q9" in qrels, qrels.get("q9")) == (2, True, False, None)
    assert qrels[7] == qrels["7"] == {"9": 1}
    with pytest.raises(KeyError):
        qrels["q9"]
    assert repr(qrels) == "Qrels(2 queries, 3 judgments)"


NESTED = st.dictionaries(
    st.text(max_size=2), st.dictionaries(st.text(max_size=2), st.integers(-2, 4), max_size=4), max_size=4
)


@given(NESTED)
def test_reading_back_gives_what_was_put_in(source):
    qrels = Qrels(source)
    assert dict(qrels) == dict(Qrels(qrels)) == source
    by_query = [sorted(judged.values(), reverse=True) for judged in source.values()]
    assert qrels.descending.tolist() == [grade for grades in by_query for grade in grades]


def test_a_copy_keeps_the_subtopics():
    first = Qrels([("q1", "d1", 1, "a"), ("q1", "d1", 2, "b"), ("q1", "d2", 1, "b")])
    second = Qrels(first)
    assert second["q1"] == first["q1"] == {"d1": 2, "d2": 1}
    assert second.subtopics.subtopic == first.subtopics.subtopic
    assert second.subtopics.judgment.tolist() == first.subtopics.judgment.tolist()
