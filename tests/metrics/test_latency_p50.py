"""latency_p50: the time within which 50 % of the queries were answered."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ._timing import timed


def test_by_hand():
    """Halfway between the two in the middle."""
    assert timed("latency_p50", [4.0, 1.0, 3.0, 2.0])["latency_p50"] == pytest.approx(2.5)


def test_queries_without_an_answer_do_not_count():
    assert timed("latency_p50", [7.0, None, 7.0])["latency_p50"] == pytest.approx(7.0)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=20))
def test_agrees_with_numpy(times):
    assert timed("latency_p50", times)["latency_p50"] == pytest.approx(float(np.quantile(times, 0.50)))
