"""Grading: a run meets the judgments. Ranks against a naive sort, and every rule of the policy by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import DataError, Policy, Qrels, Run
from assay.model.policy import CHOICES, RankRule
from assay.model.quicksort import quicksort_order
from assay.model.run import Rankings
from assay.views.grading import grade, rank_all, settle

TIES = ("docid_desc", "docid_asc", "input_order", "reverse_order")


def naive_ranking(ranking, ties, precision="float64"):
    """Documents best first: by score, equals by id or as they were given, or backwards."""
    docs = list(ranking)[:: -1 if ties == "reverse_order" else 1]
    if ties.startswith("docid"):
        docs.sort(key=lambda doc: doc.encode(), reverse=ties == "docid_desc")
    with np.errstate(over="ignore"):
        return sorted(docs, key=lambda doc: -np.dtype(precision).type(ranking[doc]))


def naive_grades(run, qrels, ties):
    """Query → (rank, grade) of the judged documents, down the ranking."""
    return {
        query: [(rank, judged[doc]) for rank, doc in enumerate(naive_ranking(run.get(query, {}), ties), 1) if doc in judged]
        for query, judged in qrels.items()
    }


def ranks_and_grades(grading):
    found = {query: [] for query in grading.run.query_ids}
    hits = grading.run.retrieved
    for query, rank, given_grade in zip(hits.query, hits.rank, hits.grade, strict=True):
        found[grading.run.query_ids[query]].append((rank, given_grade))
    return found


def graded(qrels, run, **policy):
    return grade(Run(run), Qrels(qrels), Policy(**policy))


QUERIES = st.sampled_from(["q1", "q2", "q3", "q4"])
DOCS = st.sampled_from(["a", "b", "B", "a1", "a10", "a2", "é", "日", "\uffff", "😀", ""])
SCORES = st.sampled_from([float("-inf"), -1.0, -0.0, 0.0, 0.1, 0.5, 1, float("inf")])
RUNS = st.dictionaries(QUERIES, st.dictionaries(DOCS, SCORES, max_size=8), max_size=4)
QRELS = st.dictionaries(QUERIES, st.dictionaries(DOCS, st.integers(-1, 3), max_size=8), max_size=4)


@given(RUNS, QRELS, st.sampled_from(TIES))
def test_ranks_are_those_of_a_naive_sort(run, qrels, ties):
    grading = graded(qrels, run, ties=ties)
    assert ranks_and_grades(grading) == naive_grades(run, qrels, ties)
    assert grading.run.query_ids == tuple(qrels)
    assert grading.run.n_retrieved.tolist() == [len(run.get(query, {})) for query in qrels]
    assert grading.missing == tuple(query for query in qrels if query not in run)
    assert grading.n_extra == len(set(run) - set(qrels))


@given(RUNS, QRELS, st.sampled_from(TIES))
def test_a_borrowed_run_is_graded_like_its_copy(run, qrels, ties):
    borrowed = grade(Run.borrow(Rankings(run)), Qrels(qrels), Policy(ties=ties))
    assert ranks_and_grades(borrowed) == ranks_and_grades(graded(qrels, run, ties=ties))


@given(RUNS, QRELS, QUERIES)
def test_a_query_is_graded_the_same_alone_and_in_company(run, qrels, query):
    if query in qrels:
        alone = graded({query: qrels[query]}, run)
        assert ranks_and_grades(alone)[query] == ranks_and_grades(graded(qrels, run))[query]


@given(st.lists(DOCS, unique=True), QRELS)
def test_a_list_of_ids_is_graded_in_its_own_order(docs, qrels):
    for ties in TIES:
        found = ranks_and_grades(graded(qrels, {"q1": docs}, ties=ties))
        wanted = {
            query: [(docs.index(doc) + 1, judged[doc]) for doc in docs if doc in judged] if query == "q1" else []
            for query, judged in qrels.items()
        }
        assert found == wanted


# --- every rule of ranks -------------------------------------------------------------------------------------------

NEAR = st.sampled_from([1.0, 1.00000001, 1.00000002, 1.0000002, -1e-46, 0.0, 1e39, 2e39, float("inf"), float("-inf")])
"""Scores of which float32 makes one where float64 tells several."""
NEAR_RUNS = st.dictionaries(QUERIES, st.dictionaries(st.one_of(DOCS, QUERIES), NEAR, max_size=9), max_size=4)
NEAR_QRELS = st.dictionaries(QUERIES, st.dictionaries(st.one_of(DOCS, QUERIES), st.integers(-1, 3), max_size=9), max_size=4)
RULES = [RankRule(ties, precision, drop) for ties in TIES for precision in CHOICES["precision"] for drop in (False, True)]


@given(NEAR_RUNS, NEAR_QRELS)
def test_every_rule_ranks_as_a_naive_sort(run, qrels):
    ranked = rank_all(Run(run), Qrels(qrels), RULES)
    for rule in RULES:
        kept = {
            q: {doc: score for doc, score in docs.items() if not (rule.drop_self and doc == q)} for q, docs in run.items()
        }
        found = settle(ranked[rule], Policy(ties=rule.ties, precision=rule.precision, drop_self=rule.drop_self))
        wanted = {
            query: [
                (rank, judged[doc])
                for rank, doc in enumerate(naive_ranking(kept.get(query, {}), rule.ties, rule.precision), 1)
                if doc in judged
            ]
            for query, judged in qrels.items()
        }
        assert ranks_and_grades(found) == wanted, rule
        assert found.run.n_retrieved.tolist() == [len(kept.get(query, {})) for query in qrels]
        assert found.missing == tuple(query for query in qrels if query not in run)


@given(NEAR_RUNS, NEAR_QRELS, st.sampled_from(CHOICES["precision"]))
def test_ties_are_known_whatever_breaks_them(run, qrels, precision):
    """For each judged document: how many score higher, and how many the same."""
    view = graded(qrels, run, precision=precision).run
    kind = np.dtype(precision).type
    wanted = []
    with np.errstate(over="ignore"):
        for query, judged in qrels.items():
            scores = {doc: kind(score) for doc, score in run.get(query, {}).items()}
            for doc in naive_ranking(run.get(query, {}), "docid_desc", precision):
                if doc in judged:
                    better = sum(other > scores[doc] for other in scores.values())
                    wanted.append((better, sum(other == scores[doc] for other in scores.values())))
    if view.ties is None:
        assert all(equal == 1 for _, equal in wanted)
    else:
        assert list(zip(view.ties.better.tolist(), view.ties.equal.tolist(), strict=True)) == wanted


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.data())
def test_ranx_leaves_equals_as_its_sort_does(scores, data):
    docs = [f"d{place}" for place in range(len(scores))]
    judged = data.draw(st.lists(st.sampled_from(docs), unique=True, min_size=1))
    order = quicksort_order([-float(score) for score in scores])
    found = graded({"q1": dict.fromkeys(judged, 1)}, {"q1": dict(zip(docs, scores, strict=True))}, ties="ranx")
    assert found.run.retrieved.rank.tolist() == sorted(order.index(docs.index(doc)) + 1 for doc in judged)


def test_documents_named_like_their_query_may_be_dropped():
    qrels, run = {"q1": {"q1": 1, "a": 2}, "q2": {"q1": 3}}, {"q1": {"q1": 2.0, "a": 1.0}, "q2": {"q1": 1.0}}
    assert ranks_and_grades(graded(qrels, run)) == {"q1": [(1, 1), (2, 2)], "q2": [(1, 3)]}
    assert ranks_and_grades(graded(qrels, run, drop_self=True)) == {"q1": [(1, 2)], "q2": [(1, 3)]}
    alone = graded({"q1": {"q1": 1}}, {"q1": {"q1": 1.0}}, drop_self=True, missing="error")
    assert alone.run.n_retrieved.tolist() == [0]


def test_negative_grades_may_count_as_judged():
    qrels, run = {"q1": {"a": -2, "b": 1}}, {"q1": {"a": 2.0, "x": 1.5, "b": 1.0}}
    view = graded(qrels, run, negatives="nonrelevant").run
    assert view.retrieved.grade.tolist() == [0, 1]
    assert view.ideal.grade.tolist() == [1, 0]
    assert ranks_and_grades(graded(qrels, run, negatives="nonrelevant", judged_only=True)) == {"q1": [(1, 0), (2, 1)]}
    assert ranks_and_grades(graded(qrels, run, judged_only=True)) == {"q1": [(1, 1)]}


def test_queries_without_a_relevant_document_may_be_an_error():
    with pytest.raises(DataError, match="2 queries without a relevant document: barren empty"):
        graded(JUDGED, RANKED, no_relevant="error")
    with pytest.raises(DataError, match="1 query without a relevant document: barren"):
        graded(JUDGED, RANKED, no_relevant="error", missing="skip")


def test_rankings_with_one_score_for_all_are_counted():
    run = {"q1": {"a": 1.0, "b": 1.0}, "q2": {"a": 1.0}, "q3": {"a": 1.0, "b": 2.0}, "q4": {}, "q5": {"a": 1.0, "b": 1.0}}
    assert graded({query: {"a": 1} for query in ("q1", "q2", "q3", "q4")}, run).n_constant == 1


@pytest.mark.parametrize(
    ("ties", "rank"),
    [
        ("docid_desc", {"d10": 4, "d2": 3, "d9": 2}),
        ("docid_asc", {"d10": 2, "d2": 3, "d9": 4}),
        ("input_order", {"d2": 2, "d10": 3, "d9": 4}),
        ("reverse_order", {"d2": 4, "d10": 3, "d9": 2}),
    ],
)
def test_ties_by_hand(ties, rank):
    run = {"q1": {"top": 2.0, "d2": 1.0, "d10": 1.0, "d9": 1.0, "last": 0.5}}
    for doc in rank:
        assert ranks_and_grades(graded({"q1": {doc: 1}}, run, ties=ties)) == {"q1": [(rank[doc], 1)]}
    qrels = {"q1": {"d2": 1, "d10": 2, "d9": 3, "top": 4}}
    wanted = [(1, 4), *sorted((rank[doc], qrels["q1"][doc]) for doc in rank)]
    assert ranks_and_grades(graded(qrels, run, ties=ties)) == {"q1": wanted}


def test_ties_are_broken_bytewise():
    run = {"q1": dict.fromkeys(["Z", "a", "é", "日", "😀"], 1.0)}
    found = {doc: ranks_and_grades(graded({"q1": {doc: 1}}, run))["q1"][0][0] for doc in run["q1"]}
    assert found == {"😀": 1, "日": 2, "é": 3, "a": 4, "Z": 5}


def test_zero_ties_with_negative_zero():
    run = {"q1": {"b": -0.0, "a": 0.0, "c": 0}}
    assert ranks_and_grades(graded({"q1": {"a": 1, "b": 2, "c": 3}}, run)) == {"q1": [(1, 3), (2, 2), (3, 1)]}


def test_whole_numbers_that_differ_only_beyond_float64_tie():
    run = {"q1": {"a": 2**53 + 1, "b": 2**53}}
    assert ranks_and_grades(graded({"q1": {"a": 1}}, run)) == {"q1": [(2, 1)]}


def test_queries_come_in_the_order_of_the_judgments():
    qrels = {"q3": {"a": 1}, "q1": {"a": 1}, "q2": {"a": 1}}
    run = {"q2": {"a": 1.0}, "q1": {"x": 2.0, "a": 1.0}, "q3": {"x": 2.0, "y": 1.5, "a": 1.0}}
    grading = graded(qrels, run)
    assert grading.run.query_ids == ("q3", "q1", "q2")
    assert grading.run.retrieved.rank.tolist() == [3, 2, 1]
    assert list(assay.evaluate(qrels, run, ["mrr"]).scores("mrr")) == ["q3", "q1", "q2"]


def test_more_judged_than_retrieved_and_the_reverse():
    few, many = ["a", "b"], [f"d{number}" for number in range(50)]
    judged = dict.fromkeys([*many, "b"], 1)
    assert ranks_and_grades(graded({"q1": judged}, {"q1": {"a": 2.0, "b": 1.0}})) == {"q1": [(2, 1)]}
    ranked = {doc: -float(place) for place, doc in enumerate([*many, "b"])}
    assert ranks_and_grades(graded({"q1": dict.fromkeys(few, 1)}, {"q1": ranked})) == {"q1": [(51, 1)]}


# --- ids -----------------------------------------------------------------------------------------------------------


def test_whole_number_ids_match_text_ids():
    assert ranks_and_grades(graded({"1": {"10": 1}}, {1: {9: 2.0, 10: 1.0}})) == {"1": [(2, 1)]}
    assert ranks_and_grades(graded({1: {10: 1}}, {"1": {"9": 2.0, "10": 1.0}})) == {"1": [(2, 1)]}


def test_whole_numbers_behind_a_text_id_match_when_nothing_else_does():
    assert ranks_and_grades(graded({"q1": {"7": 1}}, {"q1": {"a": 3.0, 8: 2.0, 7: 1.0}})) == {"q1": [(3, 1)]}
    assert ranks_and_grades(graded({"q1": {"7": 1, "x": 1, "y": 1, "z": 1}}, {"q1": {"a": 3.0, 7: 1.0}})) == {"q1": [(2, 1)]}


def test_a_whole_number_tied_with_a_judged_document_is_no_obstacle():
    assert ranks_and_grades(graded({"q1": {"a": 1}}, {"q1": {"a": 1.0, 7: 1.0}})) == {"q1": [(1, 1)]}
    assert ranks_and_grades(graded({"q1": {"a": 1}}, {"q1": {"a": 1.0, 7: 1.0}}, ties="docid_asc")) == {"q1": [(2, 1)]}


# --- the policy ----------------------------------------------------------------------------------------------------

JUDGED = {"found": {"a": 2, "b": 1}, "missing": {"a": 1}, "barren": {"a": 0}, "empty": {}}
RANKED = {"found": {"x": 3.0, "b": 2.0, "a": 1.0}, "barren": {"a": 1.0}, "extra": {"a": 1.0}, "more": {}}


@pytest.mark.parametrize(
    ("policy", "queries", "without_relevant"),
    [
        ({}, "found missing barren empty", 2),
        ({"missing": "skip"}, "found barren", 1),  # counted among what is left
        ({"no_relevant": "skip"}, "found missing", 2),
        ({"missing": "skip", "no_relevant": "skip"}, "found", 1),
        ({"rel": 2}, "found missing barren empty", 3),
        ({"rel": 2, "no_relevant": "skip"}, "found", 3),
        ({"rel": 0, "no_relevant": "skip"}, "found missing barren", 1),
    ],
)
def test_which_queries_are_scored(policy, queries, without_relevant):
    grading = graded(JUDGED, RANKED, **policy)
    assert grading.run.query_ids == tuple(queries.split())
    assert grading.missing == ("missing", "empty")
    assert grading.counts == {
        "judged": 4,
        "scored": len(queries.split()),
        "missing": 2,
        "without_relevant": without_relevant,
        "extra": 2,
        "constant": 0,
    }


def test_a_query_with_an_empty_ranking_is_not_missing():
    grading = graded({"q1": {"a": 1}}, {"q1": {}}, missing="error")
    assert grading.missing == ()
    assert grading.run.n_retrieved.tolist() == [0]


def test_missing_queries_may_be_an_error():
    with pytest.raises(DataError, match=r"2 .*missing.*empty"):
        graded(JUDGED, RANKED, missing="error")


def test_the_error_names_only_some_of_many_missing_queries():
    with pytest.raises(DataError) as caught:
        graded({f"q{number}": {"a": 1} for number in range(100)}, {}, missing="error")
    assert "100" in str(caught.value)
    assert len(str(caught.value)) < 200


def test_extra_queries_may_be_an_error():
    with pytest.raises(DataError, match="2"):
        graded(JUDGED, RANKED, extra="error")
    graded(JUDGED, {"found": {"a": 1.0}}, extra="error")


def test_judged_only_closes_the_gaps():
    assert ranks_and_grades(graded(JUDGED, RANKED))["found"] == [(2, 1), (3, 2)]
    condensed = graded(JUDGED, RANKED, judged_only=True)
    assert ranks_and_grades(condensed)["found"] == [(1, 1), (2, 2)]
    assert condensed.run.n_retrieved.tolist() == [2, 0, 1, 0]


def test_the_largest_grade_is_that_of_the_judgments_or_of_the_policy():
    assert graded(JUDGED, RANKED).run.max_grade == 2
    assert graded(JUDGED, {}).run.max_grade == 2
    assert graded(JUDGED, RANKED, max_grade=4).run.max_grade == 4
    assert graded({"q1": {"a": -1}}, {}).run.max_grade == 0


def test_duplicates_may_keep_the_best_score():
    qrels, run = {"q1": {"a": 1}}, {"q1": [("a", 1.0), ("b", 2.0), ("a", 3.0)]}
    with pytest.raises(DataError, match=r"q1.*a"):
        assay.evaluate(qrels, run, ["mrr"])
    assert assay.evaluate(qrels, run, ["mrr"], policy=Policy(duplicates="keep_best"))["mrr"] == 1


@pytest.mark.parametrize("qrels", [{}, {"q1": {}}])
@pytest.mark.parametrize("run", [{}, {"q1": {}}, {"q1": {"a": 1.0}}])
def test_nothing_judged_is_no_error(qrels, run):
    grading = graded(qrels, run)
    assert grading.run.n_queries == len(qrels)
    assert len(grading.run.retrieved.rank) == 0


@pytest.mark.parametrize("grade_given", [0, -1])
def test_nothing_relevant_is_no_error(grade_given):
    result = assay.evaluate({"q1": {"a": grade_given}}, {"q1": ["a"]}, ["map", "err@10"])
    assert result["map"] == result["err@10"] == 0


def test_qrels_and_run_serve_many_times():
    qrels, run = Qrels(JUDGED), Run(RANKED)
    first = grade(run, qrels, Policy(judged_only=True, missing="skip", rel=2))
    again = grade(run, qrels, Policy())
    assert first.run.n_queries == 2
    assert ranks_and_grades(again) == ranks_and_grades(graded(JUDGED, RANKED))
