"""routing: experts, confusion and gate over all queries, by hand and against counting."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.views.routing import NO_ROUTE, Decision, Routing

ROUTED = Routing(
    (
        Decision("q1", ("code",), ("code",)),
        Decision("q2", ("chat", "code"), ("code",)),
        Decision("q3", ("chat",), ("chat",)),
        Decision("q4", None, ("law",)),
        Decision("q5", None, ("law",), gated=True),
        Decision("q6", ("chat",)),
    )
)
names = st.sampled_from(("chat", "code", "law"))
rows = st.lists(st.tuples(names, names), min_size=1, max_size=40)


def test_confusion_by_hand():
    """q5 was answered by the gate, and of q6 nobody knows where it belongs."""
    assert ROUTED.confusion() == {"chat": {"chat": 1}, "code": {"chat": 1, "code": 1}, "law": {NO_ROUTE: 1}}


def test_experts_by_hand():
    found = {one.name: (one.n_routed, one.n_optimal, one.n_right) for one in ROUTED.by_expert()}
    assert found == {"chat": (2, 1, 1), "code": (1, 2, 1), "law": (0, 1, 0)}
    chat, code, law = ROUTED.by_expert()
    assert (chat.precision, chat.recall, code.precision, code.recall, law.recall) == (0.5, 1.0, 1.0, 0.5, 0.0)
    assert math.isnan(law.precision)


def test_places_by_hand():
    assert ROUTED.place.tolist() == pytest.approx([1, 2, 1, math.inf, math.nan, math.nan], nan_ok=True)


def test_the_gate_by_hand():
    four = [(True, False), (True, True), (False, False), (False, True), (None, True), (True, None)]
    routing = Routing(
        tuple(Decision(f"q{n}", gated=gated, needs_retrieval=needed) for n, (gated, needed) in enumerate(four))
    )
    assert routing.gate_counts() == {"saved": 1, "wrongly_skipped": 1, "wasted": 1, "retrieved": 1}
    assert routing.to_dict() == {"gate": routing.gate_counts()}
    assert ROUTED.gate_counts() == {}


def test_plain_values_have_none_where_there_is_no_figure():
    assert ROUTED.to_dict()["experts"][2] == {
        "expert": "law",
        "routed": 0,
        "optimal": 1,
        "right": 0,
        "precision": None,
        "recall": 0.0,
    }


def test_queries_of_which_nothing_is_known_are_there():
    routing = Routing.of(("q9", "q1"), {"q1": Decision("q1", ("code",))})
    assert routing.query_ids == ("q9", "q1")
    assert routing.first == [None, "code"]


def test_fingerprints_tell_the_truth_from_the_decisions():
    one, other = (Routing((Decision("q", (route,), ("code",)),)) for route in ("code", "chat"))
    assert one.fingerprints()["judgments"] == other.fingerprints()["judgments"]
    assert one.fingerprints()["rankings"] != other.fingerprints()["rankings"]


@given(rows)
def test_the_diagonal_is_what_is_right_and_margins_add_up(pairs):
    routing = Routing(tuple(Decision(f"q{n}", (sent,), (right,)) for n, (sent, right) in enumerate(pairs)))
    confusion, by_expert = routing.confusion(), routing.by_expert()
    assert sum(confusion[name].get(name, 0) for name in confusion) == sum(sent == right for sent, right in pairs)
    assert {one.name: one.n_routed for one in by_expert if one.n_routed} == Counter(sent for sent, _ in pairs)
    assert {one.name: one.n_optimal for one in by_expert if one.n_optimal} == Counter(right for _, right in pairs)
    assert sum(one.n_right for one in by_expert) == sum(sent == right for sent, right in pairs)


def test_an_expert_may_be_called_none():
    """The column of queries that were sent nowhere has the name of no expert."""
    routing = Routing((Decision("q1", (NO_ROUTE,), (NO_ROUTE,)), Decision("q2", None, (NO_ROUTE,))))
    assert routing.confusion() == {NO_ROUTE: {NO_ROUTE: 1, f"({NO_ROUTE})": 1}}
    (expert,) = routing.by_expert()
    assert (expert.precision, expert.recall) == (1.0, 0.5)
    assert routing.place.tolist() == [1, float("inf")]
