"""routing_accuracy: share of the queries that were sent to an expert they belong to."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ._routing import routed, routes


def test_by_hand():
    """Seed 004: two of three queries were sent where they belong."""
    rows = [("code", "code"), ("chat", "code"), ("law", "law")]
    found = routed("routing_accuracy", *({"route": route, "optimal_expert": right} for route, right in rows))
    assert found.scores("routing_accuracy") == {"q1": 1.0, "q2": 0.0, "q3": 1.0}
    assert found["routing_accuracy"] == pytest.approx(2 / 3)


def test_with_several_choices_a_right_one_among_the_first_is_enough():
    rows = ({"route": ["chat", "law", "code"], "optimal_expert": "code"}, {"route": "code;chat", "optimal_expert": "chat"})
    assert [routed(f"routing_accuracy@{n}", *rows)[f"routing_accuracy@{n}"] for n in (1, 2, 3)] == [0.0, 0.5, 1.0]
    assert routed("routing_accuracy(n=2)", *rows)["routing_accuracy@2"] == 0.5


def test_any_of_several_right_experts_will_do():
    rows = [{"route": route, "optimal_expert": ["law", "chat"]} for route in ("chat", "law", "code")]
    assert routed("routing_accuracy", *rows)["routing_accuracy"] == pytest.approx(2 / 3)


def test_a_query_sent_nowhere_is_wrong_unless_the_gate_answered_it():
    known = {"route": "code", "optimal_expert": "code"}
    nowhere, skipped = {"optimal_expert": "code"}, {"optimal_expert": "code", "gated": True}
    found = routed("routing_accuracy", known, nowhere, skipped, {"route": "code"})
    assert found.array("routing_accuracy").tolist() == pytest.approx([1.0, 0.0, math.nan, math.nan], nan_ok=True)
    assert found["routing_accuracy"] == 0.5


def test_without_any_route_there_is_nothing_to_score():
    found = routed("routing_accuracy", {"gated": True, "needs_retrieval": False, "optimal_expert": "code"})
    assert math.isnan(found["routing_accuracy"])


@given(routes, st.integers(1, 5))
def test_agrees_with_the_definition_and_grows_with_the_choices(rows, n):
    records = [{"route": chosen, "optimal_expert": right} for chosen, right in rows]
    expected = sum(right in chosen[:n] for chosen, right in rows) / len(rows)
    name = f"routing_accuracy@{n}"
    assert routed(name, *records)[name] == pytest.approx(expected)
    assert routed(name, *records)[name] <= routed(f"routing_accuracy@{n + 1}", *records)[f"routing_accuracy@{n + 1}"]
