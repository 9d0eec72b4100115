"""gate_accuracy: share of the queries about which the retrieval gate decided rightly."""

import pytest
from hypothesis import given

from ._routing import FOUR, decisions, gate


def test_by_hand():
    """Rightly skipped and rightly retrieved: two of four."""
    assert gate("gate_accuracy", *FOUR).array("gate_accuracy").tolist() == [1.0, 0.0, 0.0, 1.0]


def test_a_decision_that_was_not_reported_is_not_right():
    assert gate("gate_accuracy", (True, False), (None, True))["gate_accuracy"] == 0.5


@given(decisions)
def test_what_is_not_right_is_wrongly_skipped_or_wasted(rows):
    accuracy, wrong, wasted = (gate(name, *rows)[name] for name in ("gate_accuracy", "wrongly_skipped", "wasted_retrievals"))
    assert 100 * accuracy + wrong + wasted == pytest.approx(100)
