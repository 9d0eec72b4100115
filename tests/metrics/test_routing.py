"""The gate before retrieval, routing_accuracy and load_balance."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import evaluate_routing

from ._cases import close

NONE = math.nan
FOUR = ((True, False), (True, True), (False, False), (False, True))
"""(Was retrieval skipped, is it needed): rightly skipped, wrongly skipped, wasted, rightly retrieved."""
DECISIONS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30)
EXPERTS = st.sampled_from(("chat", "code", "law", "math"))
SENT = st.lists(st.tuples(st.lists(EXPERTS, min_size=1, max_size=4, unique=True), EXPERTS), min_size=1, max_size=30)
"""(Choices in order, the right expert), for some queries."""


def routed(metric, *rows):
    """A result over these records, numbered from q1."""
    return evaluate_routing([{"query_id": f"q{number}", **row} for number, row in enumerate(rows, 1)], [metric])


def gate(metric, *decisions, **more):
    """The figure over decisions, and what else all have."""
    return routed(metric, *({"gated": gated, "needs_retrieval": needed, **more} for gated, needed in decisions))[metric]


def sent(metric, *rows):
    """The figure over (choices, right experts); None where there is none."""
    records = [{"route": route, "optimal_expert": right} for route, right in rows]
    found = routed(metric, *({name: value for name, value in row.items() if value} for row in records))
    return found[metric]


GATE = [  # metric, (skipped, needs retrieval) of each query and what it cost, the score of each, the figure
    ("gate_accuracy", FOUR, [1, 0, 0, 1], 1 / 2),
    ("gate_accuracy", [(True, False), (None, True)], [1, 0], 1 / 2),  # a decision that was not reported is not right
    # seed 004: one of four queries was rightly skipped; the one that was wrongly skipped saves nothing
    ("gate_efficiency", FOUR, [100, 0, 0, 0], 25),
    ("gate_efficiency", [(True, False), (None, False)], [100, 0], 50),  # what was not reported saves nothing
    ("gate_efficiency", [(True, False), (True, None)], [100, NONE], 100),  # nobody knows what the second needs
    ("gate_recall", FOUR, [1, NONE, 0, NONE], 1 / 2),  # two queries need no retrieval, one of them was skipped
    ("retrievals_saved", FOUR, [1, 0, 0, 0], 1),
    ("wasted_retrievals", FOUR, [0, 0, 100, 0], 25),
    ("wasted_retrievals", [(False, False), (None, False)], [100, NONE], 100),
    ("wrongly_skipped", FOUR, [0, 100, 0, 0], 25),
    ("wrongly_skipped", [(True, True), (None, True)], [100, NONE], 100),  # who did not report is not blamed
    ("gate_cost_saved", [(*FOUR[0], 3), *((*one, 1) for one in FOUR[1:])], [100, 0, 0, 0], 50),  # 3 of 3 + 1 + 1 + 1
    ("gate_cost_saved", [(True, False, 2), (True, False)], [100, NONE], 100),  # without a cost it does not count
    ("gate_cost_saved", [(True, False), (False, True, 2)], [NONE, NONE], NONE),  # a gate that skips may report no cost
    ("gate_cost_saved", [(True, False), (False, True, 2), (True, False, 2)], [NONE, 0, 100], 50),
    ("gate_cost_saved", [(*one, 0) for one in FOUR], [NONE] * 4, NONE),  # everything is free
]
ROUTES = [(["chat", "law", "code"], "code"), ("code;chat", "chat")]
ROUTING = [  # metric, (choices, right experts) of each query, the figure
    # seed 004: two of three queries were sent where they belong
    ("routing_accuracy", [("code", "code"), ("chat", "code"), ("law", "law")], 2 / 3),
    ("routing_accuracy@1", ROUTES, 0),
    ("routing_accuracy@2", ROUTES, 1 / 2),  # a right one among the first is enough
    ("routing_accuracy(n=3)", ROUTES, 1),
    ("routing_accuracy", [(one, ["law", "chat"]) for one in ("chat", "law", "code")], 2 / 3),
    ("load_balance", [(one, None) for one in "aaab"], -(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25))),
    ("load_balance", [("code", "chat"), ("code", "code")], 0),  # all to one of several
    ("load_balance(experts=4)", [(one, None) for one in "ab"], 1 / 2),  # experts that nobody chose can be counted
    ("load_balance", [("a", None), ("a", None)], NONE),  # a single expert
]
WORKED_OUT = [*GATE, *ROUTING]


def test_worked_out_by_hand():
    for metric, queries, scores, figure in GATE:
        records = [dict(zip(("gated", "needs_retrieval", "cost"), query, strict=False)) for query in queries]
        found = routed(metric, *records)
        assert found.array(metric).tolist() == pytest.approx(scores, nan_ok=True), (metric, queries)
        assert found[metric] == pytest.approx(figure, nan_ok=True), (metric, queries)
    for metric, rows, figure in ROUTING:
        assert sent(metric, *rows) == pytest.approx(figure, nan_ok=True), (metric, rows)


# ---- the gate


def test_queries_without_a_cost_are_noted():
    rows = [{"gated": True, "needs_retrieval": False}, {"gated": False, "needs_retrieval": True, "cost": 2}]
    (note,) = [note for note in routed("gate_cost_saved", *rows).notes if "no cost" in note]
    assert "undefined" in note
    (note,) = [note for note in routed("gate_cost_saved", *rows, {**rows[0], "cost": 2}).notes if "no cost" in note]
    assert "undefined" not in note


@given(DECISIONS, st.floats(0.01, 1e6))
def test_laws_of_the_gate(rows, cost):
    """Efficiency is a percentage of all queries; the others are parts of it or of what it leaves."""
    names = ("gate_accuracy", "gate_efficiency", "gate_recall", "retrievals_saved", "wasted_retrievals", "wrongly_skipped")
    accuracy, efficiency, recall, saved, wasted, wrong = (gate(name, *rows) for name in names)
    assert saved == sum(skipped and not needed for skipped, needed in rows)
    assert efficiency == pytest.approx(100 * saved / len(rows))
    assert 100 * accuracy + wrong + wasted == pytest.approx(100)
    needless = sum(not needed for _, needed in rows) / len(rows)
    assert (100 * recall * needless if needless else 0.0) == pytest.approx(efficiency)
    assert gate("gate_cost_saved", *rows, cost=cost) == pytest.approx(efficiency)


# ---- routing


def test_a_query_sent_nowhere_is_wrong_unless_the_gate_answered_it():
    known = {"route": "code", "optimal_expert": "code"}
    nowhere, skipped = {"optimal_expert": "code"}, {"optimal_expert": "code", "gated": True}
    found = routed("routing_accuracy", known, nowhere, skipped, {"route": "code"})
    assert found.array("routing_accuracy").tolist() == pytest.approx([1.0, 0.0, math.nan, math.nan], nan_ok=True)
    assert found["routing_accuracy"] == 0.5
    nothing = routed("routing_accuracy", {"gated": True, "needs_retrieval": False, "optimal_expert": "code"})
    assert math.isnan(nothing["routing_accuracy"])


@given(SENT, st.integers(1, 5))
def test_accuracy_agrees_with_its_definition_and_grows_with_the_choices(rows, n):
    names = [f"routing_accuracy@{n}", f"routing_accuracy@{n + 1}"]
    found, more = (sent(name, *rows) for name in names)
    assert found == close(sum(right in chosen[:n] for chosen, right in rows) / len(rows))
    assert found <= more


@given(SENT)
def test_balance_is_the_entropy_of_the_choices(rows):
    found = sent("load_balance", *rows)
    n_experts = len({name for chosen, right in rows for name in (*chosen, right)})
    if n_experts < 2:
        assert math.isnan(found)
        return
    shares = [count / len(rows) for count in Counter(chosen[0] for chosen, _ in rows).values()]
    assert found == close(-sum(share * math.log(share, n_experts) for share in shares))
    assert 0 <= found <= 1 + 1e-12


def test_only_first_choices_are_balanced_and_queries_sent_nowhere_are_not():
    rows = [{"route": ["code", "law"]}, {"route": ["chat", "law"]}, {"gated": True}]
    found = routed("load_balance(experts=2)", *rows)
    assert found["load_balance(experts=2)"] == close(1.0)
    assert np.isnan(found.array("load_balance(experts=2)")).all()  # no query has a balance of its own


def test_there_are_as_many_experts_as_were_chosen_at_least():
    found = routed("load_balance(experts=2)", *({"route": route} for route in "abcc"))
    assert found["load_balance(experts=2)"] == sent("load_balance", *((one, None) for one in "abcc"))
    assert found.notes[-1].startswith("load_balance(experts=2): 3 experts")
    enough = routed("load_balance(experts=2)", *({"route": route} for route in "ab"))
    assert not any("experts were" in note for note in enough.notes)
