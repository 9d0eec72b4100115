"""Subtopics: a run as each subtopic of its queries sees it."""

import numpy as np
import pytest

import assay
from assay.errors import DataError
from assay.model.qrels import Judgments
from assay.views.grading import grade
from assay.views.tie_orders import with_unjudged_relevant

ROWS = [
    *(("q1", "x", 1, "a"), ("q1", "x", 2, "b"), ("q1", "y", 1, "a"), ("q1", "z", 0, "c")),
    *(("q2", "x", 1, "a"), ("q2", "w", 1, "b"), ("q3", "x", 0, "a")),
]
RUN = {"q1": ["y", "u", "x"], "q2": ["w"], "q3": ["x"]}


def graded(run=RUN, **policy):
    return grade(assay.Run(run), assay.Qrels(ROWS), assay.Policy(**policy)).run


def test_each_subtopic_is_a_query_of_its_own():
    by = graded().by_subtopic()
    assert by.query.tolist() == [0, 0, 1, 1]  # a and b, a and b; c and that of q3 have nothing relevant
    assert by.n_subtopics.tolist() == [2, 2, 0]
    hits = by.run.retrieved
    assert list(zip(hits.query.tolist(), hits.rank.tolist(), strict=True)) == [(0, 1), (0, 3), (1, 3), (3, 1)]
    assert by.run.n_relevant().tolist() == [2, 1, 1, 1]
    assert by.run.n_retrieved.tolist() == [3, 3, 1, 1]
    assert by.sum(np.array([1.0, 2.0, 3.0, 4.0])).tolist() == [3, 7, 0]
    assert by.mean(np.array([1.0, 2.0, 3.0, 4.0])).tolist() == [1.5, 3.5, 0]


def test_at_a_level_fewer_subtopics_count():
    by = graded().by_subtopic(2)
    assert by.n_subtopics.tolist() == [1, 0, 0]
    assert graded(rel=2).by_subtopic().n_subtopics.tolist() == [1, 0, 0]


def test_it_is_worked_out_once():
    run = graded()
    assert run.by_subtopic() is run.by_subtopic()
    assert run.by_subtopic(2) is not run.by_subtopic()


def test_queries_left_out_leave_the_others_as_they_are():
    run = graded()
    first, last = run.select(np.array([True, False, True])), run.select(np.array([False, True, True]))
    assert first.by_subtopic().n_subtopics.tolist() == [2, 0]
    assert last.by_subtopic().run.retrieved.rank.tolist() == [1]
    again = last.select(np.array([True, False]))
    assert again.query_ids == ("q2",)
    assert again.by_subtopic().query.tolist() == [0, 0]


def test_without_unjudged_documents_ranks_move_up():
    assert graded().condensed().by_subtopic().run.retrieved.rank.tolist() == [1, 2, 2, 1]


def test_nothing_retrieved_still_has_its_subtopics():
    by = graded({}).by_subtopic()
    assert by.n_subtopics.tolist() == [2, 2, 0]
    assert by.run.retrieved.rank.tolist() == []


@pytest.mark.parametrize("run", [grade(assay.Run(RUN), assay.Qrels({"q1": {"x": 1}}), assay.Policy()).run, None])
def test_without_subtopics_it_is_an_error(run):
    run = run or with_unjudged_relevant(graded(), None, 1.0)  # what is made up has no subtopic
    with pytest.raises(DataError, match="subtopic"):
        run.by_subtopic()


def test_documents_of_one_grade_are_not_the_same_where_judgments_are_per_subtopic():
    rows = [("q", "x", 1, "a"), ("q", "y", 1, "b")]
    run = assay.Run({"q": {"x": 1.0, "y": 1.0}})
    assert grade(run, assay.Qrels(rows), assay.Policy()).run.undecided().tolist() == [0, 1]
    assert grade(run, assay.Qrels({"q": {"x": 1, "y": 1}}), assay.Policy()).run.undecided().tolist() == []


def test_a_second_column_stands_for_the_subtopic_when_asked():
    qrels = assay.Qrels(Judgments({"q": {"x": 1, "y": 1}}, iterations={"q": {"x": "1", "y": "2"}}))
    assert qrels.subtopics is None
    found = grade(assay.Run({"q": ["y"]}), qrels, assay.Policy()).run.by_subtopic()
    assert found.n_subtopics.tolist() == [2]
    assert found.run.retrieved.query.tolist() == [1]
