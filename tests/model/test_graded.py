"""GradedRun and Hits: what metrics are made of, each method by hand and against a loop."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Policy, Qrels, Run
from assay.arrays import ratio
from assay.views.graded import GradedRun, Hits, graded_run, is_relevant
from assay.views.grading import grade

HITS = Hits(np.array([0, 0, 0, 2, 2]), np.array([1, 4, 6, 2, 3]), np.array([0.0, 2.0, 1.0, -1.0, 3.0]), 3)
"""Three queries: the second has no hit at all."""


def rows(hits):
    return list(zip(hits.query.tolist(), hits.rank.tolist(), hits.grade.tolist(), strict=True))


def graded(qrels, run, **policy):
    return grade(Run(run), Qrels(qrels), Policy(**policy)).run


def test_ratio_is_0_where_there_is_nothing_to_divide_by():
    assert ratio(np.array([1, 2, 0]), np.array([2, 0, 0])).tolist() == [0.5, 0.0, 0.0]
    assert ratio(np.array([1, 2]), 4).tolist() == [0.25, 0.5]
    assert ratio(np.array([1, 2]), 0).tolist() == [0.0, 0.0]
    assert ratio(np.array(3), np.array(4)) == 0.75


def test_hits_count_and_position():
    assert HITS.count.tolist() == [3, 0, 2]
    assert HITS.position.tolist() == [1, 2, 3, 1, 2]
    assert HITS.first_rank().tolist() == [1, 0, 2]


def test_hits_where_and_top():
    assert rows(HITS.where(HITS.grade > 0)) == [(0, 4, 2.0), (0, 6, 1.0), (2, 3, 3.0)]
    assert rows(HITS.top(3)) == [(0, 1, 0.0), (2, 2, -1.0), (2, 3, 3.0)]
    assert rows(HITS.top(np.array([4, 9, 2]))) == [(0, 1, 0.0), (0, 4, 2.0), (2, 2, -1.0)]
    assert HITS.top(None) is HITS
    assert HITS.top(0).count.tolist() == [0, 0, 0]


def test_hits_sums():
    assert HITS.sum(HITS.grade).tolist() == [3.0, 0.0, 2.0]
    assert HITS.running_sum(HITS.grade).tolist() == [0.0, 2.0, 3.0, -1.0, 2.0]
    assert HITS.running_product(1 + HITS.grade).tolist() == [1.0, 3.0, 6.0, 0.0, 0.0]


def test_no_hits_at_all():
    none = HITS.where(np.zeros(5, dtype=bool))
    assert none.sum(none.grade).tolist() == [0.0, 0.0, 0.0]
    assert none.sum(none.grade).dtype == float
    assert none.first_rank().tolist() == [0, 0, 0]
    assert none.running_sum(none.grade).tolist() == []


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 9)), unique=True), st.integers(0, 9))
def test_hits_against_a_loop(places, k):
    places = sorted(places)
    query, rank = (np.array([place[side] for place in places], dtype=np.int64) for side in (0, 1))
    hits = Hits(query, rank, rank / 2, 5)
    of_query = [[rank for number, rank in places if number == wanted] for wanted in range(5)]
    assert hits.count.tolist() == [len(ranks) for ranks in of_query]
    assert hits.first_rank().tolist() == [min(ranks, default=0) for ranks in of_query]
    assert hits.position.tolist() == [place for ranks in of_query for place in range(1, len(ranks) + 1)]
    assert hits.sum(hits.grade).tolist() == [sum(ranks) / 2 for ranks in of_query]
    assert hits.top(k).count.tolist() == [sum(rank <= k for rank in ranks) for ranks in of_query]


@pytest.mark.parametrize(
    ("level", "wanted"),
    [
        (None, [False, False, True, True, True]),
        (1, [False, False, False, True, True]),
        (0.5, [False, False, True, True, True]),
        (0, [False, True, True, True, True]),
        (-5, [False, True, True, True, True]),  # a negative grade is never relevant
        (9, [False] * 5),
    ],
)
def test_relevance_levels(level, wanted):
    assert is_relevant(np.array([-1, 0, 0.5, 1, 2]), level).tolist() == wanted


QRELS = {"q1": {"a": 2, "b": 0, "c": 1, "gone": 3}, "q2": {"a": -1}, "q3": {"a": 1}}
RUN = {"q1": {"x": 9, "c": 8, "b": 7, "y": 6, "a": 5}, "q2": {"a": 1}}


def test_a_graded_run_by_hand():
    run = graded(QRELS, RUN)
    assert run.query_ids == ("q1", "q2", "q3")
    assert run.n_queries == 3
    assert rows(run.retrieved) == [(0, 2, 1.0), (0, 3, 0.0), (0, 5, 2.0), (1, 1, -1.0)]
    assert run.n_retrieved.tolist() == [5, 1, 0]
    assert rows(run.ideal) == [(0, 1, 3.0), (0, 2, 2.0), (0, 3, 1.0), (0, 4, 0.0), (1, 1, -1.0), (2, 1, 1.0)]
    assert run.max_grade == 3
    assert run.judgment.tolist() == [2, 1, 0, 4]  # c b a of q1, a of q2, as they stand in the Qrels


def test_relevant_documents_at_levels():
    run = graded(QRELS, RUN)
    assert rows(run.relevant()) == [(0, 2, 1.0), (0, 5, 2.0)]
    assert run.n_relevant().tolist() == [3, 0, 1]
    assert rows(run.relevant(2)) == [(0, 5, 2.0)]
    assert run.n_relevant(2).tolist() == [2, 0, 0]
    assert run.relevant(2) is run.relevant(2.0)


def test_the_policy_sets_the_level_unless_one_is_given():
    run = graded(QRELS, RUN, rel=2)
    assert run.n_relevant().tolist() == [2, 0, 0]
    assert run.n_relevant(1).tolist() == [3, 0, 1]


# --- ties ----------------------------------------------------------------------------------------------------------

TIED = {"q1": {"x": 2, "a": 2, "b": 1, "c": 1, "y": 1, "d": 0}, "q2": {"a": 1, "b": 1}, "q3": {"a": 1, "x": 1}}
TIED_QRELS = {"q1": {"a": 1, "b": 2, "c": 2, "d": 0}, "q2": {"a": 1, "b": 1}, "q3": {"a": 1}}


def test_ties_by_hand():
    better, equal = graded(TIED_QRELS, TIED).ties
    assert better.tolist() == [0, 2, 2, 5, 0, 0, 0]
    assert equal.tolist() == [2, 3, 3, 1, 2, 2, 2]


def test_without_ties_there_are_none():
    assert graded(QRELS, RUN).ties is None
    assert graded(QRELS, {"q1": {"x": 1.0, "y": 1.0, "a": 2.0}}).ties is None  # none that holds a judged document


def test_hits_are_undecided_where_another_order_could_show():
    """All of q1 but d; q2 holds nothing but equal grades."""
    run = graded(TIED_QRELS, TIED)
    assert [rows(run.retrieved)[number] for number in run.undecided()] == [(0, 2, 1), (0, 4, 2), (0, 5, 2), (2, 2, 1)]
    assert graded(QRELS, RUN).undecided().tolist() == []


def test_condensing_keeps_the_ties_among_judged_documents():
    run = graded(TIED_QRELS, TIED).condensed()
    assert rows(run.retrieved)[:4] == [(0, 1, 1), (0, 2, 2), (0, 3, 2), (0, 4, 0)]
    assert run.ties.better.tolist() == [0, 1, 1, 3, 0, 0, 0]
    assert run.ties.equal.tolist() == [1, 2, 2, 1, 2, 2, 1]


def test_condensing_a_negative_grade_out_of_a_tie():
    run = graded({"q1": {"a": 1, "b": -1}}, {"q1": {"a": 1.0, "b": 1.0}}).condensed()
    assert (run.ties.better.tolist(), run.ties.equal.tolist()) == ([0], [1])
    assert run.undecided().tolist() == []


def test_selecting_queries_takes_their_ties_along():
    run = graded(TIED_QRELS, TIED).select(np.array([False, True, True]))
    assert (run.ties.better.tolist(), run.ties.equal.tolist()) == ([0, 0, 0], [2, 2, 2])
    assert [rows(run.retrieved)[number] for number in run.undecided()] == [(1, 2, 1)]


def test_other_ranks_are_put_in_order():
    run = graded(TIED_QRELS, TIED).reordered(np.array([1, 5, 3, 6, 2, 1, 1]))
    assert rows(run.retrieved) == [(0, 1, 1), (0, 3, 2), (0, 5, 2), (0, 6, 0), (1, 1, 1), (1, 2, 1), (2, 1, 1)]
    assert run.judgment.tolist() == [0, 1, 2, 3, 4, 5, 6]


def test_negative_grades_are_not_judged():
    assert graded(QRELS, RUN).judged.count.tolist() == [3, 0, 0]


def test_condensed_drops_what_nobody_judged():
    run = graded(QRELS, RUN)
    condensed = run.condensed()
    assert rows(condensed.retrieved) == [(0, 1, 1.0), (0, 2, 0.0), (0, 3, 2.0)]
    assert condensed.n_retrieved.tolist() == [3, 0, 0]
    assert condensed.judgment.tolist() == [2, 1, 0]
    assert condensed.ideal is run.ideal
    assert rows(run.retrieved)[0] == (0, 2, 1.0)  # the run itself is as it was
    assert rows(condensed.condensed().retrieved) == rows(condensed.retrieved)


def test_select_renumbers_queries():
    run = graded(QRELS, RUN).select(np.array([False, True, True]))
    assert run.query_ids == ("q2", "q3")
    assert rows(run.retrieved) == [(0, 1, -1.0)]
    assert run.judgment.tolist() == [4]
    assert run.n_retrieved.tolist() == [1, 0]
    assert rows(run.ideal) == [(0, 1, -1.0), (1, 1, 1.0)]
    assert run.n_relevant().tolist() == [0, 1]
    assert run.max_grade == 3  # of the whole Qrels


def test_select_all_and_none():
    run = graded(QRELS, RUN)
    assert run.select(np.ones(3, dtype=bool)) is run
    assert run.select(np.zeros(3, dtype=bool)).n_queries == 0


def test_relevant_is_counted_anew_after_select():
    run = graded(QRELS, RUN)
    assert run.n_relevant().tolist() == [3, 0, 1]
    assert run.select(np.array([False, False, True])).n_relevant().tolist() == [1]


def test_the_ideal_ranking_by_gain():
    run = graded({"q1": {"a": 3, "b": 1, "c": 0, "d": -1}, "q2": {"a": 0}}, {})
    hits, gains = run.ideal_by(lambda grade: np.where(grade > 0, grade, 0.0))
    assert rows(hits) == [(0, 1, 3.0), (0, 2, 1.0)]
    assert gains.tolist() == [3.0, 1.0]


def test_the_ideal_ranking_under_a_gain_that_prefers_lower_grades():
    run = graded({"q1": {"a": 3, "b": 1, "c": 2}, "q2": {"a": 1, "b": 3}}, {})
    hits, gains = run.ideal_by(lambda grade: 10 - grade)
    assert rows(hits) == [(0, 1, 1.0), (0, 2, 2.0), (0, 3, 3.0), (1, 1, 1.0), (1, 2, 3.0)]
    assert gains.tolist() == [9.0, 8.0, 7.0, 9.0, 7.0]


GRADES = st.lists(st.lists(st.integers(-1, 4), max_size=6), min_size=1, max_size=4)


@given(GRADES, st.dictionaries(st.integers(-1, 4), st.sampled_from([0.0, 0.5, 1.0, 3.0])))
def test_the_ideal_ranking_is_sorted_by_gain_whatever_the_gain(grades, table):
    qrels = {f"q{number}": {f"d{place}": grade for place, grade in enumerate(of)} for number, of in enumerate(grades)}
    hits, gains = graded(qrels, {}).ideal_by(lambda grade: np.array([table.get(int(value), 0.0) for value in grade]))
    wanted = [sorted((table.get(grade, 0.0) for grade in of), reverse=True) for of in grades]
    assert gains.tolist() == [gain for of in wanted for gain in of if gain > 0]
    assert [table[int(grade)] for grade in hits.grade] == gains.tolist()
    assert hits.rank.tolist() == hits.position.tolist()


@given(st.permutations(range(5)))
def test_retrieved_judgments_may_come_in_any_order(order):
    qrels = Qrels({"q1": {"a": 1, "b": 2, "c": 0}, "q2": {"a": 3, "b": 1}})
    ranks = np.array([7, 1, 3, 2, 9])
    run = graded_run(qrels, np.array(order), ranks[list(order)], np.array([9, 9]), "bm25")
    assert isinstance(run, GradedRun)
    assert rows(run.retrieved) == [(0, 1, 2.0), (0, 3, 0.0), (0, 7, 1.0), (1, 2, 3.0), (1, 9, 1.0)]
    assert run.judgment.tolist() == [1, 2, 0, 3, 4]
    assert run.tag == "bm25"
