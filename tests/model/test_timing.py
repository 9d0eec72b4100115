"""Timing and reranking: how long each query took; two rankings side by side."""

import numpy as np

from assay import Policy, Qrels, Run
from assay.views import Reranking, Times, Timing, grade


def test_times_stand_in_the_order_of_the_queries_nan_where_there_is_none():
    timing = Timing.of(("b", "a", "c"), Times({"a": 1.5, "b": 2, "other": 9.0}))
    assert timing.query_ids == ("b", "a", "c")
    np.testing.assert_array_equal(timing.ms, [2.0, 1.5, np.nan])
    np.testing.assert_array_equal(timing.alone, timing.ms)
    assert Timing.of((), Times({"a": 1.0})).ms.shape == (0,)


def test_shares_of_a_batch_are_nobody_s_own_time():
    shared = Timing.of(("a", "b"), Times({"a": 1.0, "b": 1.0}, are_shares=True))
    np.testing.assert_array_equal(shared.ms, [1.0, 1.0])
    np.testing.assert_array_equal(shared.alone, [np.nan, np.nan])


def test_only_queries_that_both_rankings_have_count_and_scores_follow_them():
    qrels = Qrels({query: {"a": 1} for query in ("q1", "q2", "q3")})

    def graded(*queries):
        return grade(Run({query: {"a": 1.0} for query in queries}), qrels, Policy(missing="skip")).run

    for first, last in ((("q1", "q3"), ("q2", "q3", "q1")), (("q3", "q1", "q2"), ("q1", "q2", "q3"))):
        view = Reranking(graded(*first), graded(*last))
        assert set(view.query_ids) == {*first} & {*last}
        numbers = [float(query[1]) for query in view.query_ids]
        before, after = view.each(lambda run: np.array([float(query[1]) for query in run.query_ids]))
        assert before.tolist() == after.tolist() == numbers
