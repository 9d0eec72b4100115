"""gate_efficiency: retrievals that were rightly skipped, as a percentage of all queries."""

import math

import pytest
from hypothesis import given

from ._routing import FOUR, decisions, gate


def test_by_hand():
    """Seed 004: one of four queries was rightly skipped; the one that was wrongly skipped saves nothing."""
    found = gate("gate_efficiency", *FOUR)
    assert found["gate_efficiency"] == 25.0
    assert found.scores("gate_efficiency") == {"q1": 100.0, "q2": 0.0, "q3": 0.0, "q4": 0.0}


def test_what_was_not_reported_saves_nothing():
    found = gate("gate_efficiency", (True, False), (None, False))
    assert found["gate_efficiency"] == 50.0


def test_a_query_of_which_nobody_knows_what_it_needs_does_not_count():
    found = gate("gate_efficiency", (True, False), (True, None))
    assert found["gate_efficiency"] == 100.0
    assert math.isnan(found.scores("gate_efficiency")["q2"])


@given(decisions)
def test_is_a_percentage_of_all_queries(rows):
    expected = 100 * sum(skipped and not needed for skipped, needed in rows) / len(rows)
    assert gate("gate_efficiency", *rows)["gate_efficiency"] == pytest.approx(expected)
