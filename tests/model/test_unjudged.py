"""with_unjudged_relevant: the run as it would be if the unjudged documents it retrieved had a given grade."""

from unittest.mock import ANY

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Policy, Qrels, Run
from assay.views.grading import grade
from assay.views.tie_orders import open_queries, with_unjudged_relevant


def viewed(*queries, **policy):
    """A graded run; a query is the grade at each rank (None: nobody judged it), and the grades of what was not retrieved."""
    qrels, run = {}, {}
    for number, (ranked, missed) in enumerate(queries):
        judged = {f"d{place}": given for place, given in enumerate(ranked) if given is not None}
        qrels[f"q{number}"] = judged | {f"missed{place}": given for place, given in enumerate(missed)}
        run[f"q{number}"] = [f"d{place}" for place in range(len(ranked))]
    return grade(Run(run), Qrels(qrels), Policy(**policy)).run


def rows(hits):
    return list(zip(hits.query.tolist(), hits.rank.tolist(), hits.grade.tolist(), strict=True))


def test_every_gap_is_filled():
    run = with_unjudged_relevant(viewed(([None, 1, None], [2]), ([], [0]), ([0], [])), None, 2)
    assert rows(run.retrieved) == [(0, 1, 2), (0, 2, 1), (0, 3, 2), (2, 1, 0)]
    assert rows(run.ideal) == [(0, 1, 2), (0, 2, 2), (0, 3, 2), (0, 4, 1), (1, 1, 0), (2, 1, 0)]
    assert run.n_relevant().tolist() == [4, 0, 0]
    assert run.n_retrieved.tolist() == [3, 0, 1]


def test_only_what_is_within_the_cutoff():
    run = with_unjudged_relevant(viewed(([None, 1, None, -1, None], [])), 2, 1)
    assert rows(run.retrieved) == [(0, 1, 1), (0, 2, 1), (0, 4, -1)]
    assert rows(run.ideal) == [(0, 1, 1), (0, 2, 1), (0, 3, -1)]


def test_only_what_is_beyond_the_cutoff():
    run = with_unjudged_relevant(viewed(([None, 1, None, -1, 0], [2]), ([None], [])), None, 3, after=2)
    assert rows(run.retrieved) == [(0, 2, 1), (0, 3, 3), (0, 4, 3), (0, 5, 0)]
    assert run.n_relevant().tolist() == [4, 0]


def test_queries_with_something_unjudged():
    run = viewed(([None, 1, -1], [2, -1]), ([1, 0], []), ([], [1]), ([None], []))
    found = {one.number: (one.grade.tolist(), one.open.tolist(), one.ideal.tolist()) for one in open_queries(run)}
    assert found == {0: ([ANY, 1.0, ANY], [0, 2], [2.0, 1.0]), 3: ([ANY], [0], [])}


def test_a_negative_grade_is_no_judgment():
    run = with_unjudged_relevant(viewed(([-1, 2], [])), None, 2)
    assert rows(run.retrieved) == [(0, 1, 2), (0, 2, 2)]
    assert run.n_relevant().tolist() == [2]


@pytest.mark.parametrize("policy", [{}, {"max_grade": 2}, {"rel": 3}], ids=str)
@pytest.mark.parametrize("given", [1, 3, 4.5])
def test_the_grade_is_the_one_given_whatever_the_scale_and_the_level(policy, given):
    run = with_unjudged_relevant(viewed(([None, 1], [2]), **policy), None, given)
    assert rows(run.retrieved) == [(0, 1, given), (0, 2, 1)]
    assert run.ideal.grade.tolist() == sorted([given, 2, 1], reverse=True)
    assert run.relevant().rank.tolist() == [rank for _, rank, grade in rows(run.retrieved) if grade >= policy.get("rel", 1)]


def test_the_run_itself_stays_as_it_was():
    run = viewed(([None, 1], []))
    before = rows(run.retrieved), rows(run.ideal)
    with_unjudged_relevant(run, None, 1)
    assert (rows(run.retrieved), rows(run.ideal)) == before


RANKED = st.lists(st.sampled_from([None, -1, 0, 1, 3]), max_size=8)


@given(st.lists(st.tuples(RANKED, st.lists(st.integers(0, 3), max_size=3)), min_size=1, max_size=4), st.integers(1, 9))
def test_against_a_loop(queries, k):
    run = viewed(*queries, max_grade=4)
    for cutoff in (k, None):
        filled = with_unjudged_relevant(run, cutoff, 4)
        wanted, found = [], []
        for number, (ranked, missed) in enumerate(queries):
            is_open = [
                (given is None or given < 0) and (cutoff is None or place < cutoff) for place, given in enumerate(ranked)
            ]
            grades = [4 if is_open[place] else given for place, given in enumerate(ranked)]
            wanted += [(number, place + 1, given) for place, given in enumerate(grades) if given is not None]
            found += sorted([*(4 for filled in is_open if filled), *filter(_is_given, (*ranked, *missed))], reverse=True)
        assert rows(filled.retrieved) == wanted
        assert filled.ideal.grade.tolist() == found
        assert np.array_equal(filled.ideal.rank, filled.ideal.position)


def _is_given(grade):
    return grade is not None
