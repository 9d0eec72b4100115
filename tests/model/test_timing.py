"""Timing: how long each query took."""

import numpy as np

from assay.model.timing import Timing


def test_times_stand_in_the_order_of_the_queries_nan_where_there_is_none():
    timing = Timing.of(("b", "a", "c"), {"a": 1.5, "b": 2, "other": 9.0})
    assert timing.query_ids == ("b", "a", "c")
    np.testing.assert_array_equal(timing.ms, [2.0, 1.5, np.nan])


def test_no_queries_no_times():
    assert Timing.of((), {"a": 1.0}).ms.shape == (0,)
