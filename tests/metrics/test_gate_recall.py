"""gate_recall: share of the needless retrievals that were skipped."""

import math

import pytest
from hypothesis import given

from ._routing import FOUR, decisions, gate


def test_by_hand():
    """Two queries need no retrieval, one of them was skipped."""
    found = gate("gate_recall", *FOUR)
    assert found["gate_recall"] == 0.5
    assert found.array("gate_recall").tolist() == pytest.approx([1.0, math.nan, 0.0, math.nan], nan_ok=True)


def test_where_every_query_needs_retrieval_nothing_can_be_saved():
    assert math.isnan(gate("gate_recall", (True, True), (False, True))["gate_recall"])


@given(decisions)
def test_times_the_share_of_needless_ones_it_is_the_efficiency(rows):
    needless = sum(not needed for _, needed in rows) / len(rows)
    recall = gate("gate_recall", *rows)["gate_recall"]
    expected = gate("gate_efficiency", *rows)["gate_efficiency"]
    assert (100 * recall * needless if needless else 0.0) == pytest.approx(expected)
