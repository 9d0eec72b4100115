"""Timing: how long each query took."""

import numpy as np

from assay.views.timing import Times, Timing


def test_times_stand_in_the_order_of_the_queries_nan_where_there_is_none():
    timing = Timing.of(("b", "a", "c"), Times({"a": 1.5, "b": 2, "other": 9.0}))
    assert timing.query_ids == ("b", "a", "c")
    np.testing.assert_array_equal(timing.ms, [2.0, 1.5, np.nan])


def test_no_queries_no_times():
    assert Timing.of((), Times({"a": 1.0})).ms.shape == (0,)


def test_shares_of_a_batch_are_nobody_s_own_time():
    shared = Timing.of(("a", "b"), Times({"a": 1.0, "b": 1.0}, are_shares=True))
    np.testing.assert_array_equal(shared.ms, [1.0, 1.0])
    np.testing.assert_array_equal(shared.alone, [np.nan, np.nan])
    np.testing.assert_array_equal(Timing.of(("a",), Times({"a": 1.0})).alone, [1.0])
