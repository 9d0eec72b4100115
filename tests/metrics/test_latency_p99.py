"""latency_p99: the time within which 99 % of the queries were answered."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ._timing import timed


def test_by_hand():
    """Rank 1 + 0.99 · 100 of 101 is the 100th."""
    assert timed("latency_p99", list(map(float, range(1, 102))))["latency_p99"] == pytest.approx(100.0)


def test_queries_without_an_answer_do_not_count():
    assert timed("latency_p99", [7.0, None, 7.0])["latency_p99"] == pytest.approx(7.0)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=20))
def test_agrees_with_numpy(times):
    assert timed("latency_p99", times)["latency_p99"] == pytest.approx(float(np.quantile(times, 0.99)))
