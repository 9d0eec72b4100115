"""Run: rankings in any in-memory shape come down to query → document → score; what cannot be ranked is named."""

import copy
from collections import OrderedDict, UserDict
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import DataError, Policy, Qrels, Run
from assay.model.policy import CHOICES, RankRule
from assay.model.run import Rankings

WANTED = {"q1": {"d1": 2.0, "d2": 0.5}, "7": {"9": 3.0}}
"""One small run, and below the ways to write it."""

SAME = {
    "nested dict": WANTED,
    "whole-number ids": {"q1": {"d1": 2, "d2": 0.5}, 7: {9: 3}},
    "NumPy ids": {np.str_("q1"): {np.str_("d1"): 2.0, "d2": 0.5}, np.int64(7): {np.int32(9): 3.0}},
    "NumPy scores": {"q1": {"d1": np.float32(2), "d2": np.float64(0.5)}, "7": {"9": np.int64(3)}},
    "fractions": {"q1": {"d1": Fraction(2), "d2": Fraction(1, 2)}, "7": {"9": 3}},
    "other mappings": OrderedDict(q1=MappingProxyType({"d1": 2.0, "d2": 0.5}), **{"7": UserDict({"9": 3.0})}),
    "pairs": {"q1": [("d1", 2.0), ("d2", 0.5)], "7": [(9, 3.0)]},
    "pairs as lists in a tuple": {"q1": (["d1", 2.0], ["d2", 0.5]), "7": [["9", 3.0]]},
    "mixed": {"q1": {"d1": 2.0, "d2": 0.5}, "7": [("9", 3)]},
}


def plain(run):
    return {query: dict(run[query]) for query in run}


@pytest.mark.parametrize("source", SAME.values(), ids=SAME)
def test_every_shape_reads_the_same(source):
    run = Run(source)
    assert plain(run) == WANTED
    assert run.query_ids == ("q1", "7")
    assert run.n_retrieved.tolist() == [2, 1]
    assert run.scores.tolist() == [2.0, 0.5, 3.0]


@pytest.mark.parametrize("source", SAME.values(), ids=SAME)
def test_no_shape_is_changed_by_reading(source):
    before = copy.deepcopy({query: dict(ranked) for query, ranked in source.items()})
    assay.evaluate({"q1": {"d2": 1}, "7": {"9": 1}}, source, ["map"])
    assert {query: dict(ranked) for query, ranked in source.items()} == before


@pytest.mark.parametrize(
    "ids", [["b", "a", "c"], ("b", "a", "c"), np.array(["b", "a", "c"]), np.array(["b", "a", "c"], dtype=object)]
)
def test_a_list_of_ids_is_ranked_best_first(ids):
    run = Run({"q1": ids})
    assert run.ranked(0) == ["b", "a", "c"]
    assert run.scores.tolist() == sorted(run.scores, reverse=True)
    assert len(set(run.scores)) == 3


def test_ids_of_an_integer_array_are_written_out():
    assert Run({"q1": np.array([30, 4])}).ranked(0) == ["30", "4"]
    assert Run({"q1": range(3)}).ranked(0) == ["0", "1", "2"]


def test_two_letter_ids_are_not_taken_for_pairs():
    assert Run({"q1": ["ab", "cd"]}).ranked(0) == ["ab", "cd"]


def test_empty_rankings_and_empty_runs_are_fine():
    assert plain(Run({})) == {}
    run = Run({"q1": {}, "q2": [], "q3": {"d": 1.0}})
    assert plain(run) == {"q1": {}, "q2": {}, "q3": {"d": 1.0}}
    assert run.n_retrieved.tolist() == [0, 0, 1]


def test_infinite_scores_can_be_ranked():
    assert Run({"q1": {"low": float("-inf"), "mid": 0, "high": float("inf")}}).ranked(0) == ["high", "mid", "low"]


@pytest.mark.parametrize(
    "source",
    [
        {7: {"d": 1.0}, "7": {"d": 2.0}},
        {"q1": {7: 1.0, "7": 2.0}},
        {"q1": {np.int64(7): 1.0, "7": 2.0}},
        {"q1": [7, "7"]},
        {"q1": [(7, 1.0), ("7", 0.5)]},
    ],
)
def test_two_ids_that_are_one_as_text_are_an_error(source):
    with pytest.raises(DataError, match="7"):
        Run(source)


BAD_SCORES = [None, "1", "abc", float("nan"), np.float64("nan"), {}, [1.0], b"1", 1j, pytest.param(10**400, id="huge")]


@pytest.mark.parametrize("bad", BAD_SCORES, ids=repr)
@pytest.mark.parametrize("judged", [("d1",), ("d1", "x", "y", "z")], ids=["few judged", "many judged"])
def test_what_is_no_number_is_refused_with_query_and_document(bad, judged):
    source = {"q0": {"d1": 2.0, "d0": 1.0}, "q1": {"d1": bad}}
    with pytest.raises(DataError, match=r"q1.*d1"):
        Run(source)
    with pytest.raises(DataError, match=r"q1.*d1"):
        assay.evaluate({"q0": {"d1": 1}, "q1": dict.fromkeys(judged, 1)}, source, ["map"])


@pytest.mark.parametrize("bad", [None, "abc", float("nan"), {}, pytest.param(10**400, id="huge")], ids=repr)
def test_a_bad_score_after_good_ones_is_found_too(bad):
    source = {"q1": {"d0": 1.0, "d1": bad}}
    with pytest.raises(DataError, match=r"q1.*d1"):
        Run(source)
    with pytest.raises(DataError, match=r"q1.*d1"):
        assay.evaluate({"q1": {"d0": 1, "d1": 1}}, source, ["map"])


@pytest.mark.parametrize("bad", [None, "abc", float("nan")], ids=repr)
def test_a_bad_score_in_a_pair_is_refused_even_beside_a_better_one(bad):
    with pytest.raises(DataError, match=r"q1.*d1"):
        Run({"q1": [("d1", bad), ("d2", 1.0)]})
    for pairs in ([("d1", bad), ("d1", 1.0)], [("d1", 1.0), ("d1", bad)]):
        with pytest.raises(DataError, match=r"q1.*d1"):
            Run({"q1": pairs}, duplicates="keep_best")


@pytest.mark.parametrize("ranked", ["d1", b"d1", 5, None, {"d1", "d2"}, 1.5])
def test_a_ranking_must_be_a_mapping_or_a_sequence(ranked):
    with pytest.raises(DataError, match="q1"):
        Run({"q1": ranked})


@pytest.mark.parametrize(
    "pairs", [[("a", 1.0), ("b",)], [("a", 1.0), "xyz"], [("a", 1.0), ("b", 1.0, 2.0)], [("a", 1.0), 5]]
)
def test_pairs_must_all_be_pairs(pairs):
    with pytest.raises(DataError, match="q1"):
        Run({"q1": pairs})


@pytest.mark.parametrize("bad", [None, 1.5, True, b"q1", (1,)], ids=repr)
def test_ids_that_are_neither_text_nor_whole_numbers_are_refused(bad):
    with pytest.raises(DataError):
        Run({bad: {"d": 1.0}})
    with pytest.raises(DataError):
        Run({"q1": {bad: 1.0}})
    with pytest.raises(DataError):
        Run({"q1": [bad, "d"]})


@pytest.mark.parametrize("source", [None, 5, 1.5, object()])
def test_what_holds_no_rankings_is_refused(source):
    with pytest.raises(DataError):
        Run(source)


def test_a_document_listed_twice_is_an_error_unless_the_best_is_kept():
    twice = {"q1": [("d1", 1.0), ("d2", 2.0), ("d1", 3.0)]}
    with pytest.raises(DataError, match=r"q1.*d1"):
        Run(twice)
    assert plain(Run(twice, duplicates="keep_best")) == {"q1": {"d1": 3.0, "d2": 2.0}}
    assert Run({"q1": ["d1", "d2", "d1"]}, duplicates="keep_best").ranked(0) == ["d1", "d2"]


def test_a_run_is_a_copy():
    source = {"q1": {"d1": 1.0}}
    run = Run(source)
    source["q1"]["d2"] = 5.0
    source["q2"] = {}
    assert plain(run) == {"q1": {"d1": 1.0}}
    assert plain(Run(run)) == plain(run)


def test_a_run_made_from_a_run_stays_as_it_was():
    first = Run(Rankings({"q1": {"d1": 1.0}}, "bm25").by_query)
    second = Run(first)
    second["q1"]["d2"] = 9.0
    assert plain(first) == {"q1": {"d1": 1.0}}


def test_the_tag_survives_a_copy():
    assert Run(Run.borrow(Rankings({"q1": {"d1": 1.0}}, "bm25"))).tag == "bm25"


def test_a_run_is_a_mapping():
    run = Run(WANTED)
    assert list(run) == list(run.keys()) == ["q1", "7"]
    assert len(run) == 2
    assert "q1" in run
    assert "q9" not in run
    assert run[7] == run["7"] == {"9": 3.0}
    assert run.get("q9") is None
    assert run == WANTED
    assert dict(run.items()) == WANTED
    with pytest.raises(KeyError):
        run["q9"]
    assert repr(run) == "Run(2 queries, 3 documents)"


def test_ranked_sorts_only_by_score_and_keeps_equals_in_order():
    run = Run({"q1": {"b": 1.0, "a": 1.0, "c": 2.0}, "q2": {"z": 3.0, "y": 3.0}})
    assert run.ranked(0) == ["c", "b", "a"]
    assert run.ranked(1) == ["z", "y"]


def test_text_ids_can_be_enforced():
    run = Run({"q1": {"a": 2.0, 7: 1.0}})  # only the first id of a query is looked at
    assert plain(run.with_text_ids()) == {"q1": {"a": 2.0, "7": 1.0}}
    with pytest.raises(DataError, match="q1"):
        Run({"q1": {"7": 2.0, 7: 1.0}}).with_text_ids()


def test_the_same_run_scores_the_same_in_every_shape():
    qrels = Qrels({"q1": {"d2": 1}, "7": {"9": 2}})
    found = {shape: assay.evaluate(qrels, source, ["map"])["map"] for shape, source in SAME.items()}
    assert set(found.values()) == {0.75}, found


IDS = st.text("aAb10é\uffff\U00010000", min_size=1, max_size=3)
SCORES = st.sampled_from([0.0, 1.0, 1.0 + 1e-12, 1e300, 1e301, -1.0, 0.5, float("inf")])
"""Some are equal, and some are only in single precision."""


def plainly_sorted(ranking, rule):
    """The documents by score, equals by the bytes of their ids or as given."""
    docs = list(ranking)
    if rule.ties in ("docid_asc", "docid_desc"):
        docs.sort(key=str.encode, reverse=rule.ties == "docid_desc")
    with np.errstate(over="ignore"):
        return sorted(docs, key=lambda doc: np.dtype(rule.precision).type(ranking[doc]), reverse=True)


@given(
    rankings=st.lists(
        st.dictionaries(IDS, SCORES, max_size=8) | st.dictionaries(IDS, st.floats(-9, 9), max_size=8), max_size=3
    ),
    ties=st.sampled_from(["docid_desc", "docid_asc", "input_order"]),
    precision=st.sampled_from(["float64", "float32"]),
)
def test_in_order_is_a_plain_sort_by_every_rule(rankings, ties, precision):
    run = Run({f"q{number}": ranking for number, ranking in enumerate(rankings)})
    rule = RankRule(ties, precision, drop_self=False)
    found = [run.in_order(place, rule) for place in range(len(rankings))]
    assert found == [plainly_sorted(ranking, rule) for ranking in rankings]


@pytest.mark.parametrize("ties", CHOICES["ties"])
@pytest.mark.parametrize("precision", CHOICES["precision"])
def test_in_order_ranks_where_evaluate_does(ties, precision):
    rule = Policy(ties=ties, precision=precision).rank_rule
    scores = {f"d{number}": float(number % 7) + (1e-12 if number % 2 else 0.0) for number in range(40)}
    run = Run([{"query_id": "q", "doc_id": doc, "score": score, "rank": 1} for doc, score in scores.items()])
    order = run.in_order(0, rule)
    assert sorted(order) == sorted(scores)
    for place, doc in enumerate(order, 1):
        policy = Policy(ties=rule.ties, precision=precision)
        assert assay.evaluate({"q": {doc: 1}}, run, "mrr", policy=policy)["mrr"] == pytest.approx(1 / place)


def test_in_order_of_nothing_is_nothing():
    assert Run({"q": {}}).in_order(0, Policy().rank_rule) == []


def test_a_deferred_run_makes_its_rankings_when_they_are_looked_at() -> None:
    made = []

    def make() -> list[dict[str, float]]:
        made.append(1)
        return [{"a": 2.0, "b": 1.0}, {"c": 3.0}]

    run = Run.deferred(("q1", "q2"), np.array([2, 1]), np.array([2.0, 1.0, 3.0]), make, "fused")
    assert (len(run), run.n_retrieved.tolist(), run.tag, made) == (2, [2, 1], "fused", [])
    assert run["q1"] == {"a": 2.0, "b": 1.0}
    assert run == {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 3.0}}
    assert made == [1]
