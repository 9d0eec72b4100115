"""gate_cost_saved: cost of the retrievals that were rightly skipped, as a percentage of the cost of retrieving always."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ._routing import FOUR, decisions, gate, routed


def test_by_hand():
    """A dear retrieval was saved: 3 of 3 + 1 + 1 + 1."""
    rows = [{"gated": gated, "needs_retrieval": needed, "cost": 1} for gated, needed in FOUR]
    found = routed("gate_cost_saved", {**rows[0], "cost": 3}, *rows[1:])
    assert found["gate_cost_saved"] == 50.0
    assert found.scores("gate_cost_saved") == {"q1": 100.0, "q2": 0.0, "q3": 0.0, "q4": 0.0}


def test_queries_without_a_cost_do_not_count():
    skipped = {"gated": True, "needs_retrieval": False}
    assert routed("gate_cost_saved", {**skipped, "cost": 2}, skipped)["gate_cost_saved"] == 100.0
    assert math.isnan(routed("gate_cost_saved", skipped)["gate_cost_saved"])


def test_where_everything_is_free_nothing_can_be_saved():
    assert math.isnan(gate("gate_cost_saved", *FOUR, cost=0)["gate_cost_saved"])


@given(decisions, st.floats(0.01, 1e6))
def test_is_the_efficiency_where_all_cost_the_same(rows, cost):
    assert gate("gate_cost_saved", *rows, cost=cost)["gate_cost_saved"] == pytest.approx(
        gate("gate_efficiency", *rows)["gate_efficiency"]
    )


def test_what_was_saved_is_unknown_where_no_skipped_query_has_a_cost():
    """A provider that skips mostly reports no cost: that is not 0 % saved."""
    rows = [{"gated": True, "needs_retrieval": False}, {"gated": False, "needs_retrieval": True, "cost": 2}]
    found = routed("gate_cost_saved", *rows)
    assert math.isnan(found["gate_cost_saved"])
    assert (
        "1 query without a cost, left out of gate_cost_saved, which is undefined: no skipped query has one (q1)."
        in found.notes
    )
    found = routed("gate_cost_saved", *rows, {"gated": True, "needs_retrieval": False, "cost": 2})
    assert found["gate_cost_saved"] == 50.0
    assert "1 query without a cost, left out of gate_cost_saved (q1)." in found.notes
