"""Run: rankings in any in-memory shape come down to query → document → score; what cannot be ranked is named."""

from collections import OrderedDict, UserDict
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests._variants import for_each

import assay
from assay import DataError, Hit, Policy, Qrels, Run
from assay.model import RankRule

SMALL = {"q1": {"d1": 2.0, "d2": 0.5}, "7": {"9": 3.0}}
"""One small run, and below the ways to write it."""
SAME = {
    "nested dict": SMALL,
    "whole-number ids": {"q1": {"d1": 2, "d2": 0.5}, 7: {9: 3}},
    "NumPy ids": {np.str_("q1"): {np.str_("d1"): 2.0, "d2": 0.5}, np.int64(7): {np.int32(9): 3.0}},
    "NumPy scores": {"q1": {"d1": np.float32(2), "d2": np.array(0.5)}, "7": {"9": np.int64(3)}},
    "fractions": {"q1": {"d1": Fraction(2), "d2": Decimal("0.50")}, "7": {"9": 3}},
    "other mappings": OrderedDict(q1=MappingProxyType({"d1": 2.0, "d2": 0.5}), **{"7": UserDict({"9": 3.0})}),
    "pairs": {"q1": [("d1", 2.0), ("d2", 0.5)], "7": [(9, 3.0)]},
    "pairs as lists in a tuple": {"q1": (["d1", 2.0], ["d2", 0.5]), "7": [["9", 3.0]]},
    "mixed": {"q1": {"d1": 2.0, "d2": 0.5}, "7": [("9", 3)]},
    "pandas": {"q1": pd.Series({"d1": 2.0, "d2": 0.5}), "7": pd.Series([3], index=[9])},
    "hits": {"q1": [Hit("d1", 2.0), Hit("d2", 0.5)], "7": [Hit("9", 3.0)]},
    "dicts": {"q1": [{"doc_id": "d1", "score": 2}, {"doc_id": "d2", "score": 0.5}], "7": [{"doc_id": 9, "score": 3}]},
    "rows": [("q1", "d1", 2.0), ("q1", "d2", 0.5), ("7", "9", 3.0)],
    "what Chroma gives": {
        "q1": {"ids": [["d1", "d2"]], "distances": [[-2.0, -0.5]]},
        "7": {"ids": ["9"], "distances": [-3]},
    },
}
ONCE = {
    "pairs": lambda: {"q1": zip(("d1", "d2"), (2.0, 0.5), strict=True), "7": iter([("9", 3.0)])},
    "hits": lambda: {"q1": (Hit(*one) for one in (("d1", 2.0), ("d2", 0.5))), "7": iter([Hit("9", 3.0)])},
}
"""What can be read once."""
HUGE = 10**400


def plain(run):
    return {query: dict(run[query]) for query in run}


def test_every_shape_reads_the_same_and_stays_as_it_is():
    judged = Qrels({"q1": {"d2": 1}, "7": {"9": 2}})
    for shape, source in SAME.items():
        before = str(source)
        run = Run(source)
        assert plain(run) == SMALL, shape
        assert {type(score) for score in run["q1"].values()} <= {float, int, np.float32, np.float64}, shape
        assert run.query_ids == ("q1", "7")
        assert run.n_retrieved.tolist() == [2, 1]
        assert run.scores.tolist() == [2.0, 0.5, 3.0]
        assert assay.evaluate(judged, source, "map")["map"] == 0.75, shape
        assert str(source) == before, shape
    for shape, make in ONCE.items():
        assert plain(Run(make())) == SMALL, shape
        assert assay.evaluate(judged, make(), "map")["map"] == 0.75, shape


def test_a_list_of_ids_is_ranked_best_first():
    docs = ["b", "a", "c"]
    shapes = (docs, tuple(docs), np.array(docs), np.array(docs, dtype=object), pd.Index(docs), pl.Series(docs))
    for ids in (*shapes, pd.Series(docs, index=["x", "y", "z"])):
        run = Run({"q1": ids})
        assert run.ranked(0) == docs, type(ids)
        assert sorted(set(run.scores), reverse=True) == run.scores.tolist(), type(ids)
    assert Run({"q1": np.array([30, 4])}).ranked(0) == ["30", "4"]
    assert Run({"q1": range(3)}).ranked(0) == ["0", "1", "2"]
    assert Run({"q1": ["ab", "cd"]}).ranked(0) == ["ab", "cd"]  # two letters are no pair


BAD_SCORES = [None, "1", "abc", b"1", float("nan"), np.float64("nan"), {}, [1.0], 1j, HUGE, True, False, np.True_]


@for_each("bad", BAD_SCORES)
def test_what_is_no_number_is_refused_with_query_and_document_wherever_it_stands(bad):
    """NumPy would read text as the number it spells, None as nan and True as 1."""
    long = {f"d{number}": 1000.5 - number for number in range(1000)}
    for source in (
        {"q0": {"d1": 2.0, "d0": 1.0}, "q1": {"d1": bad}},
        {"q1": {"d0": 1.0, "d1": bad}},
        {"q0": {"d0": 2.5}, "q1": {**long, "d1": bad}},
        {"q1": [("d1", bad), ("d2", 1.0)]},
    ):
        with pytest.raises(DataError, match=r"q1.*d1"):
            Run(source)
        for judged in (("d1",), ("d1", "x", "y", "z")):
            with pytest.raises(DataError, match=r"q1.*d1"):
                assay.evaluate({"q0": {"d1": 1}, "q1": dict.fromkeys(judged, 1)}, source, ["map"])
    for pairs in ([("d1", bad), ("d1", 1.0)], [("d1", 1.0), ("d1", bad)]):
        with pytest.raises(DataError, match=r"q1.*d1"):
            Run({"q1": pairs}, duplicates="keep_best")


def test_what_is_no_ranking_is_refused():
    for ranked in ("d1", b"d1", 5, None, {"d1", "d2"}, [("a", 1.0), "xyz"], [("a", 1.0), ("b", 1.0, 2.0)], [("a", 1.0), 5]):
        with pytest.raises(DataError, match="q1"):
            Run({"q1": ranked})
    for source in (None, 5, object(), [("q", "a", True)], {"q": [{"id": "a", "score": np.True_}]}):
        with pytest.raises(DataError):
            Run(source)
    for bad in (None, 1.5, True, b"q1", (1,)):
        for source in ({bad: {"d": 1.0}}, {"q1": {bad: 1.0}}, {"q1": [bad, "d"]}):
            with pytest.raises(DataError):
                Run(source)
    for source in ({7: {"d": 1.0}, "7": {"d": 2.0}}, {"q1": {np.int64(7): 1.0, "7": 2.0}}, {"q1": [(7, 1.0), ("7", 0.5)]}):
        with pytest.raises(DataError, match="7"):  # two ids that are one as text
            Run(source)
    assert plain(Run({"q1": {"a": 2.0, 7: 1.0}}).with_text_ids()) == {"q1": {"a": 2.0, "7": 1.0}}
    with pytest.raises(DataError, match="q1"):  # only the first id of a query is looked at before
        Run({"q1": {"7": 2.0, 7: 1.0}}).with_text_ids()


def test_a_document_listed_twice_is_an_error_unless_the_best_is_kept():
    twice = {"q1": [("d1", 1.0), ("d2", 2.0), ("d1", 3.0), ("d2", 0.0)]}
    for source in (twice, {"q1": pd.Series([2.0, 1.0], index=["d1", "d1"])}, {"q1": ["d1", "d1"]}):
        with pytest.raises(DataError, match=r"q1.*d1"):
            Run(source)
    assert plain(Run(twice, duplicates="keep_best")) == {"q1": {"d1": 3.0, "d2": 2.0}}
    assert Run({"q1": ["d1", "d2", "d1"]}, duplicates="keep_best").ranked(0) == ["d1", "d2"]
    assert assay.evaluate({"q1": {"d1": 1}}, twice, "mrr", policy=Policy(duplicates="keep_best"))["mrr"] == 1


def test_messages(snapshots):
    sources = {
        "a score in words": {"q": {"a": 1, "b": "high"}},
        "a truth value": {"q": {"a": 1, "b": True}},
        "a document twice": {"q": [("a", 2.0), ("a", 1.0)]},
        "two ids that are one": {"q": {7: 1.0, "7": 2.0}},
        "a set": {"q": {"a"}},
        "a pair and no pair": {"q": [("a", 1.0), ("b",)]},
        "an id that is a number": {"q": {1.5: 1.0}},
        "nothing": None,
        "columns of two lengths": {"q": {"ids": ["a"], "distances": [1, 2]}},
        "columns of two queries": {"q": {"ids": [["a"], ["b"]]}},
    }
    snapshots.check_errors("model/runs", {case: lambda source=source: Run(source) for case, source in sources.items()})


def test_a_run_is_a_copy_and_a_mapping(tmp_path):
    source = {"q1": {"d1": 1.0}}
    run = Run(source)
    source["q1"]["d2"], source["q2"] = 5.0, {}
    second = Run(run)
    second["q1"]["d2"] = 9.0
    assert plain(run) == {"q1": {"d1": 1.0}}
    run = Run(SMALL)
    assert list(run) == list(run.keys()) == ["q1", "7"]
    assert (len(run), "q1" in run, "q9" in run, run.get("q9")) == (2, True, False, None)
    assert run[7] == run["7"] == {"9": 3.0}
    assert run == SMALL == dict(run.items())
    with pytest.raises(KeyError):
        run["q9"]
    assert repr(run) == "Run(2 queries, 3 documents)"
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 1.0 bm25\n", "utf-8")
    assert Run(Run(tmp_path / "a.run")).tag == "bm25"


IDS = st.text("aAb10é\uffff\U00010000", min_size=1, max_size=3)
SCORES = st.sampled_from([0.0, 1.0, 1.0 + 1e-12, 1e300, 1e301, -1.0, 0.5, float("inf")]) | st.floats(-9, 9)
"""Some are equal, and some are only in single precision."""


def sorted_by(ranking, rule):
    """The documents by score, equals by the bytes of their ids or as given."""
    docs = list(ranking)
    if rule.ties in ("docid_asc", "docid_desc"):
        docs.sort(key=str.encode, reverse=rule.ties == "docid_desc")
    with np.errstate(over="ignore"):
        return sorted(docs, key=lambda doc: np.dtype(rule.precision).type(ranking[doc]), reverse=True)


@given(
    rankings=st.lists(st.dictionaries(IDS, SCORES, max_size=8), max_size=3),
    ties=st.sampled_from(["docid_desc", "docid_asc", "input_order"]),
    precision=st.sampled_from(["float64", "float32"]),
)
def test_in_order_is_a_plain_sort_by_every_rule(rankings, ties, precision):
    run = Run({f"q{number}": ranking for number, ranking in enumerate(rankings)})
    rule = RankRule(ties, precision, drop_self=False)
    found = [run.in_order(place, rule) for place in range(len(rankings))]
    assert found == [sorted_by(ranking, rule) for ranking in rankings]


@for_each("ties", ["docid_desc", "docid_asc", "input_order", "reverse_order", "ranx", "expected", "error"])
def test_in_order_ranks_where_evaluate_does(ties):
    scores = {f"d{number}": float(number % 7) + (1e-12 if number % 2 else 0.0) for number in range(40)}
    run = Run([{"query_id": "q", "doc_id": doc, "score": score, "rank": 1} for doc, score in scores.items()])
    for precision in ("float64", "float32"):
        rule = Policy(ties=ties, precision=precision).rank_rule
        order = run.in_order(0, rule)
        assert sorted(order) == sorted(scores)
        policy = Policy(ties=rule.ties, precision=precision)
        for place, doc in list(enumerate(order, 1))[::6]:
            assert assay.evaluate({"q": {doc: 1}}, run, "mrr", policy=policy)["mrr"] == pytest.approx(1 / place)
