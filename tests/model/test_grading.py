"""Grading: a run meets the judgments. Ranks against a naive sort, rules of the policy by hand, and what metrics read."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import DataError, Policy, Qrels, Run
from assay.model import RankRule
from assay.views import grade, is_relevant, rank_all, settle, with_unjudged_relevant

TIES = ("docid_desc", "docid_asc", "input_order", "reverse_order")
PRECISIONS = ("float64", "float32")


def naive_ranking(ranking, ties, precision="float64"):
    """Documents best first: by score, equals by id or as they were given, or backwards."""
    docs = list(ranking)[:: -1 if ties == "reverse_order" else 1]
    if ties.startswith("docid"):
        docs.sort(key=lambda doc: doc.encode(), reverse=ties == "docid_desc")
    with np.errstate(over="ignore"):
        return sorted(docs, key=lambda doc: -np.dtype(precision).type(ranking[doc]))


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


NEAR = st.sampled_from([1.0, 1.00000001, 1.00000002, 1.0000002, -1e-46, 0.0, 1e39, 2e39, float("inf"), float("-inf")])
"""Scores of which float32 makes one where float64 tells several."""
NEAR_RUNS = st.dictionaries(QUERIES, st.dictionaries(st.one_of(DOCS, QUERIES), NEAR, max_size=9), max_size=4)
NEAR_QRELS = st.dictionaries(QUERIES, st.dictionaries(st.one_of(DOCS, QUERIES), st.integers(-1, 3), max_size=9), max_size=4)
RULES = [RankRule(ties, precision, drop) for ties in TIES for precision in PRECISIONS for drop in (False, True)]


@given(NEAR_RUNS, NEAR_QRELS)
def test_every_rule_ranks_as_a_naive_sort(run, qrels):
    ranked = rank_all(Run(run), Qrels(qrels), RULES)
    for rule in RULES:
        kept = {
            q: {doc: score for doc, score in docs.items() if not (rule.drop_self and doc == q)} for q, docs in run.items()
        }
        found = settle(ranked[rule], Policy(ties=rule.ties, precision=rule.precision, drop_self=rule.drop_self))
        order = {query: enumerate(naive_ranking(kept.get(query, {}), rule.ties, rule.precision), 1) for query in qrels}
        wanted = {query: [(rank, qrels[query][doc]) for rank, doc in order[query] if doc in qrels[query]] for query in qrels}
        assert ranks_and_grades(found) == wanted, rule
        assert found.run.n_retrieved.tolist() == [len(kept.get(query, {})) for query in qrels]
        assert found.missing == tuple(query for query in qrels if query not in run)


def test_negative_grades_may_count_as_judged():
    qrels, run = {"q1": {"a": -2, "b": 1}}, {"q1": {"a": 2.0, "x": 1.5, "b": 1.0}}
    view = graded(qrels, run, negatives="nonrelevant").run
    assert view.retrieved.grade.tolist() == [0, 1]
    assert view.ideal.grade.tolist() == [1, 0]
    assert ranks_and_grades(graded(qrels, run, negatives="nonrelevant", judged_only=True)) == {"q1": [(1, 0), (2, 1)]}
    assert ranks_and_grades(graded(qrels, run, judged_only=True)) == {"q1": [(1, 1)]}


def test_ties_by_hand():
    ids = dict.fromkeys(["Z", "a", "é", "日", "😀"], 1.0)  # broken bytewise
    found = {doc: ranks_and_grades(graded({"q1": {doc: 1}}, {"q1": ids}))["q1"][0][0] for doc in ids}
    assert found == {"😀": 1, "日": 2, "é": 3, "a": 4, "Z": 5}
    zeros = {"q1": {"b": -0.0, "a": 0.0, "c": 0}}
    assert ranks_and_grades(graded({"q1": {"a": 1, "b": 2, "c": 3}}, zeros)) == {"q1": [(1, 3), (2, 2), (3, 1)]}
    beyond_float64 = {"q1": {"a": 2**53 + 1, "b": 2**53}}
    assert ranks_and_grades(graded({"q1": {"a": 1}}, beyond_float64)) == {"q1": [(2, 1)]}


def test_whole_numbers_are_ids_wherever_they_stand():
    for qrels, run, rank in (
        ({"1": {"10": 1}}, {1: {9: 2.0, 10: 1.0}}, 2),
        ({"1": {"7": 1}}, {"1": {"a": 3.0, 8: 2.0, 7: 1.0}}, 3),  # behind a text id, where nothing else matches
        ({"1": {"a": 1}}, {"1": {"a": 1.0, 7: 1.0}}, 1),  # tied with a judged document
    ):
        assert ranks_and_grades(graded(qrels, run)) == {"1": [(rank, 1)]}, run


JUDGED = {"found": {"a": 2, "b": 1}, "missing": {"a": 1}, "barren": {"a": 0}, "empty": {}}
RANKED = {"found": {"x": 3.0, "b": 2.0, "a": 1.0}, "barren": {"a": 1.0}, "extra": {"a": 1.0}, "more": {}}
SCORED = [  # policy, queries that are scored, how many of them have nothing relevant
    ({}, "found missing barren empty", 2),
    ({"missing": "skip"}, "found barren", 1),  # counted among what is left
    ({"no_relevant": "skip"}, "found missing", 2),
    ({"missing": "skip", "no_relevant": "skip"}, "found", 1),
    ({"rel": 2}, "found missing barren empty", 3),
    ({"rel": 2, "no_relevant": "skip"}, "found", 3),
    ({"rel": 0, "no_relevant": "skip"}, "found missing barren", 1),
]


def test_which_queries_are_scored():
    for policy, queries, without_relevant in SCORED:
        grading = graded(JUDGED, RANKED, **policy)
        assert grading.run.query_ids == tuple(queries.split()), policy
        assert grading.missing == ("missing", "empty")
        counts = {"judged": 4, "missing": 2, "without_relevant": without_relevant, "extra": 2, "constant": 0}
        assert grading.counts == counts | {"scored": len(queries.split())}, policy
    empty = graded({"q1": {"a": 1}}, {"q1": {}}, missing="error")  # a query with an empty ranking is not missing
    assert (empty.missing, empty.run.n_retrieved.tolist()) == ((), [0])
    graded(JUDGED, {"found": {"a": 1.0}}, extra="error")


def test_messages(snapshots):
    many = {f"q{number}": {"a": 1} for number in range(100)}
    cases = {
        "missing": lambda: graded(JUDGED, RANKED, missing="error"),
        "many missing": lambda: graded(many, {}, missing="error"),
        "extra": lambda: graded(JUDGED, RANKED, extra="error"),
        "nothing relevant": lambda: graded(JUDGED, RANKED, no_relevant="error"),
        "nothing relevant in what is left": lambda: graded(JUDGED, RANKED, no_relevant="error", missing="skip"),
    }
    snapshots.check_errors("model/grading", cases)


def test_the_largest_grade_is_that_of_the_judgments_or_of_the_policy():
    found = [graded(JUDGED, RANKED), graded(JUDGED, {}), graded(JUDGED, RANKED, max_grade=4), graded({"q1": {"a": -1}}, {})]
    assert [one.run.max_grade for one in found] == [2, 2, 4, 0]


def rows(hits):
    return list(zip(hits.query.tolist(), hits.rank.tolist(), hits.grade.tolist(), strict=True))


def test_relevance_levels():
    grades = np.array([-1, 0, 0.5, 1, 2])
    for level, first in ((None, 2), (1, 3), (0.5, 2), (0, 1), (-5, 1), (9, 5)):  # a negative grade is never relevant
        assert is_relevant(grades, level).tolist() == [False] * first + [True] * (5 - first), level


TWO_QRELS = {"q1": {"a": 2, "b": 0, "c": 1, "gone": 3}, "q2": {"a": -1}, "q3": {"a": 1}}
TWO_RUN = {"q1": {"x": 9, "c": 8, "b": 7, "y": 6, "a": 5}, "q2": {"a": 1}}


def view(qrels=TWO_QRELS, run=TWO_RUN, **policy):
    return graded(qrels, run, **policy).run


def test_a_graded_run_by_hand():
    run = view()
    assert run.query_ids == ("q1", "q2", "q3")
    assert rows(run.retrieved) == [(0, 2, 1.0), (0, 3, 0.0), (0, 5, 2.0), (1, 1, -1.0)]
    assert run.n_retrieved.tolist() == [5, 1, 0]
    assert rows(run.ideal) == [(0, 1, 3.0), (0, 2, 2.0), (0, 3, 1.0), (0, 4, 0.0), (1, 1, -1.0), (2, 1, 1.0)]
    assert run.max_grade == 3
    assert run.judgment.tolist() == [2, 1, 0, 4]  # c b a of q1, a of q2, as they stand in the Qrels
    assert rows(run.relevant()) == [(0, 2, 1.0), (0, 5, 2.0)]
    assert run.n_relevant().tolist() == [3, 0, 1]
    assert (rows(run.relevant(2)), run.n_relevant(2).tolist()) == ([(0, 5, 2.0)], [2, 0, 0])
    assert run.relevant(2) is run.relevant(2.0)
    assert run.judged.count.tolist() == [3, 0, 0]  # negative grades are not judged
    at_two = view(rel=2)
    assert (at_two.n_relevant().tolist(), at_two.n_relevant(1).tolist()) == ([2, 0, 0], [3, 0, 1])


def test_condensed_drops_what_nobody_judged():
    run = view()
    condensed = run.condensed()
    assert rows(condensed.retrieved) == [(0, 1, 1.0), (0, 2, 0.0), (0, 3, 2.0)]
    assert condensed.n_retrieved.tolist() == [3, 0, 0]
    assert condensed.judgment.tolist() == [2, 1, 0]
    assert condensed.ideal is run.ideal
    assert rows(run.retrieved)[0] == (0, 2, 1.0)  # the run itself is as it was
    assert rows(condensed.condensed().retrieved) == rows(condensed.retrieved)


TIED = {"q1": {"x": 2, "a": 2, "b": 1, "c": 1, "y": 1, "d": 0}, "q2": {"a": 1, "b": 1}, "q3": {"a": 1, "x": 1}}
TIED_QRELS = {"q1": {"a": 1, "b": 2, "c": 2, "d": 0}, "q2": {"a": 1, "b": 1}, "q3": {"a": 1}}


def undecided(run):
    """Hits for which another order could show."""
    return [rows(run.retrieved)[number] for number in run.undecided()]


def test_ties_of_judged_documents_by_hand():
    run = view(TIED_QRELS, TIED)
    assert (run.ties.better.tolist(), run.ties.equal.tolist()) == ([0, 2, 2, 5, 0, 0, 0], [2, 3, 3, 1, 2, 2, 2])
    assert undecided(run) == [(0, 2, 1), (0, 4, 2), (0, 5, 2), (2, 2, 1)]  # q2 holds nothing but equal grades
    assert view().ties is None
    assert view(run={"q1": {"x": 1.0, "y": 1.0, "a": 2.0}}).ties is None  # none that holds a judged document
    condensed = run.condensed()
    assert rows(condensed.retrieved)[:4] == [(0, 1, 1), (0, 2, 2), (0, 3, 2), (0, 4, 0)]
    assert condensed.ties.better.tolist() == [0, 1, 1, 3, 0, 0, 0]
    assert condensed.ties.equal.tolist() == [1, 2, 2, 1, 2, 2, 1]
    some = run.select(np.array([False, True, True]))
    assert (some.ties.better.tolist(), some.ties.equal.tolist()) == ([0, 0, 0], [2, 2, 2])
    assert undecided(some) == [(1, 2, 1)]
    moved = run.reordered(np.array([1, 5, 3, 6, 2, 1, 1]))
    assert rows(moved.retrieved) == [(0, 1, 1), (0, 3, 2), (0, 5, 2), (0, 6, 0), (1, 1, 1), (1, 2, 1), (2, 1, 1)]
    assert moved.judgment.tolist() == [0, 1, 2, 3, 4, 5, 6]
    negative = view({"q1": {"a": 1, "b": -1}}, {"q1": {"a": 1.0, "b": 1.0}}).condensed()
    assert (negative.ties.equal.tolist(), negative.undecided().tolist()) == ([1], [])


ROWS = [
    *(("q1", "x", 1, "a"), ("q1", "x", 2, "b"), ("q1", "y", 1, "a"), ("q1", "z", 0, "c")),
    *(("q2", "x", 1, "a"), ("q2", "w", 1, "b"), ("q3", "x", 0, "a")),
]
ABOUT = {"q1": ["y", "u", "x"], "q2": ["w"], "q3": ["x"]}


def test_each_subtopic_is_a_query_of_its_own():
    run = view(ROWS, ABOUT)
    by = run.by_subtopic()
    assert by.query.tolist() == [0, 0, 1, 1]  # a and b, a and b; c and that of q3 have nothing relevant
    assert by.n_subtopics.tolist() == [2, 2, 0]
    assert [row[:2] for row in rows(by.run.retrieved)] == [(0, 1), (0, 3), (1, 3), (3, 1)]
    assert (by.run.n_relevant().tolist(), by.run.n_retrieved.tolist()) == ([2, 1, 1, 1], [3, 3, 1, 1])
    assert by.sum(np.array([1.0, 2.0, 3.0, 4.0])).tolist() == [3, 7, 0]
    assert by.mean(np.array([1.0, 2.0, 3.0, 4.0])).tolist() == [1.5, 3.5, 0]
    assert run.by_subtopic() is by is not run.by_subtopic(2)
    assert (
        run.by_subtopic(2).n_subtopics.tolist() == view(ROWS, ABOUT, rel=2).by_subtopic().n_subtopics.tolist() == [1, 0, 0]
    )
    assert run.condensed().by_subtopic().run.retrieved.rank.tolist() == [1, 2, 2, 1]
    nothing = view(ROWS, {}).by_subtopic()
    assert (nothing.n_subtopics.tolist(), nothing.run.retrieved.rank.tolist()) == ([2, 2, 0], [])


def test_queries_left_out_leave_the_subtopics_of_others_as_they_are():
    run = view(ROWS, ABOUT)
    first, last = run.select(np.array([True, False, True])), run.select(np.array([False, True, True]))
    assert first.by_subtopic().n_subtopics.tolist() == [2, 0]
    assert last.by_subtopic().run.retrieved.rank.tolist() == [1]
    again = last.select(np.array([True, False]))
    assert (again.query_ids, again.by_subtopic().query.tolist()) == (("q2",), [0, 0])
    assert again.by_subtopic().run.n_relevant().tolist() == [1, 1]  # of q1 they would be 2 and 1


def test_without_subtopics_it_is_an_error():
    for run in (view(), with_unjudged_relevant(view(ROWS, ABOUT), None, 1.0)):  # what is made up has no subtopic
        with pytest.raises(DataError, match="subtopic"):
            run.by_subtopic()
