"""Routing: decisions as people write them; experts, confusion and gate over all queries, by hand and against counting."""

import math

import numpy as np
import pytest

from assay import DataError
from assay.views import Decision, Routing, decision_of

EXPERTS = [
    ("code", ("code",)),
    ("code;chat", ("code", "chat")),
    (" code ; chat; ", ("code", "chat")),
    (["code", "chat"], ("code", "chat")),
    (("code", 7), ("code", "7")),
    (np.array(["code", "chat"]), ("code", "chat")),
    ({"chat": 0.2, "code": 0.7}, ("code", "chat")),
    (["code", "code", "chat"], ("code", "chat")),
    (7, ("7",)),
    *((empty, None) for empty in (None, "", "  ", [], float("nan"))),
]
TRUTH_VALUES = [
    *((yes, True) for yes in (True, 1, 1.0, "true", "True", "yes", "1", np.True_, np.int64(1))),
    *((no, False) for no in (False, 0, 0.0, "false", "No", "0", np.False_)),
    *((empty, None) for empty in (None, "", float("nan"))),
]


def test_fields_as_people_write_them():
    for written, read in EXPERTS:
        assert decision_of("q", {"route": written}).routes == read, written
        assert decision_of("q", {"optimal_expert": written}).optimal == read, written
    for name in ("routes", "selected_expert"):
        assert decision_of("q", {name: "code"}) == Decision("q", ("code",))
    for written, read in TRUTH_VALUES:
        assert decision_of("q", {"gated": written}).gated is read, written
        assert decision_of("q", {"needs_retrieval": written}).needs_retrieval is read, written
    assert [decision_of("q", {"cost": cost}).cost for cost in (0, 2.5, "3", None, "")] == [0.0, 2.5, 3.0, None, None]


def test_messages(snapshots):
    wrong = [
        *({"gated": "maybe"}, {"gated": 2}, {"needs_retrieval": [True]}, {"cost": -1}, {"cost": "cheap"}, {"cost": True}),
        *({"cost": float("inf")}, {"route": 1.5}, {"route": [None]}, {"route": {"code": "high"}}),
    ]
    for fields in wrong:
        with pytest.raises(DataError):
            decision_of("q", fields)
    cases = {str(fields): lambda fields=fields: decision_of("q", fields) for fields in wrong}
    snapshots.check_errors("model/routing", cases)


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


def test_experts_by_hand():
    """q5 was answered by the gate, and of q6 nobody knows where it belongs."""
    assert ROUTED.confusion() == {"chat": {"chat": 1}, "code": {"chat": 1, "code": 1}, "law": {"(none)": 1}}
    found = {one.name: (one.n_routed, one.n_optimal, one.n_right) for one in ROUTED.by_expert()}
    assert found == {"chat": (2, 1, 1), "code": (1, 2, 1), "law": (0, 1, 0)}
    chat, code, law = ROUTED.by_expert()
    assert (chat.precision, chat.recall, code.precision, code.recall, law.recall) == (0.5, 1.0, 1.0, 0.5, 0.0)
    assert math.isnan(law.precision)
    plain = {"expert": "law", "routed": 0, "optimal": 1, "right": 0, "precision": None, "recall": 0.0}
    assert ROUTED.to_dict()["experts"][2] == plain
    assert ROUTED.place.tolist() == pytest.approx([1, 2, 1, math.inf, math.nan, math.nan], nan_ok=True)


def test_the_gate_by_hand():
    four = [(True, False), (True, True), (False, False), (False, True), (None, True), (True, None)]
    decisions = [Decision(f"q{n}", gated=gated, needs_retrieval=needed) for n, (gated, needed) in enumerate(four)]
    routing = Routing(tuple(decisions))
    assert routing.gate_counts() == {"saved": 1, "wrongly_skipped": 1, "wasted": 1, "retrieved": 1}
    assert routing.to_dict() == {"gate": routing.gate_counts()}
    assert ROUTED.gate_counts() == {}
