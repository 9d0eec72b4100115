"""latency_p95: the time within which 95 % of the queries were answered."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ._timing import timed


def test_by_hand():
    """Rank 1 + 0.95 · 20 of 21 is the 20th."""
    assert timed("latency_p95", list(map(float, range(1, 22))))["latency_p95"] == pytest.approx(20.0)


def test_queries_without_an_answer_do_not_count():
    assert timed("latency_p95", [7.0, None, 7.0])["latency_p95"] == pytest.approx(7.0)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=20))
def test_agrees_with_numpy(times):
    assert timed("latency_p95", times)["latency_p95"] == pytest.approx(float(np.quantile(times, 0.95)))
