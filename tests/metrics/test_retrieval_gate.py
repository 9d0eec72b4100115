"""gate_accuracy, gate_efficiency, gate_recall, gate_cost_saved, retrievals_saved, wasted_retrievals, wrongly_skipped."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics import parse_metric

from ._cases import each_metric
from ._routing import FOUR, decisions, gate, routed

NONE = math.nan
WORKED_OUT = [  # metric, (skipped, needs retrieval) of each query, the score of each, the figure
    ("gate_accuracy", FOUR, [1, 0, 0, 1], 1 / 2),
    ("gate_accuracy", [(True, False), (None, True)], [1, 0], 1 / 2),  # a decision that was not reported is not right
    # seed 004: one of four queries was rightly skipped; the one that was wrongly skipped saves nothing
    ("gate_efficiency", FOUR, [100, 0, 0, 0], 25),
    ("gate_efficiency", [(True, False), (None, False)], [100, 0], 50),  # what was not reported saves nothing
    ("gate_efficiency", [(True, False), (True, None)], [100, NONE], 100),  # nobody knows what the second needs
    ("gate_recall", FOUR, [1, NONE, 0, NONE], 1 / 2),  # two queries need no retrieval, one of them was skipped
    ("gate_recall", [(True, True), (False, True)], [NONE, NONE], NONE),
    ("retrievals_saved", FOUR, [1, 0, 0, 0], 1),
    ("wasted_retrievals", FOUR, [0, 0, 100, 0], 25),
    ("wasted_retrievals", [(False, False), (None, False)], [100, NONE], 100),
    ("wrongly_skipped", FOUR, [0, 100, 0, 0], 25),
    ("wrongly_skipped", [(True, True), (None, True)], [100, NONE], 100),  # who did not report is not blamed
    ("gate_cost_saved", [(*FOUR[0], 3), *((*one, 1) for one in FOUR[1:])], [100, 0, 0, 0], 50),  # 3 of 3 + 1 + 1 + 1
    ("gate_cost_saved", [(True, False, 2), (True, False)], [100, NONE], 100),  # without a cost it does not count
    ("gate_cost_saved", [(True, False)], [NONE], NONE),
    ("gate_cost_saved", [(True, False), (False, True, 2)], [NONE, NONE], NONE),  # a gate that skips may report no cost
    ("gate_cost_saved", [(True, False), (False, True, 2), (True, False, 2)], [NONE, 0, 100], 50),
    ("gate_cost_saved", [(*one, 0) for one in FOUR], [NONE] * 4, NONE),  # everything is free
]


@each_metric(WORKED_OUT)
def test_worked_out_by_hand(rows):
    for metric, queries, scores, figure in rows:
        records = [dict(zip(("gated", "needs_retrieval", "cost"), query, strict=False)) for query in queries]
        found = routed(metric, *records)
        assert found.array(metric).tolist() == pytest.approx(scores, nan_ok=True), (metric, queries)
        assert found[metric] == pytest.approx(figure, nan_ok=True), (metric, queries)


def test_less_waste_is_better():
    for name in ("wasted_retrievals", "wrongly_skipped"):
        assert not parse_metric(name).metric.higher_is_better


def test_queries_without_a_cost_are_noted():
    rows = [{"gated": True, "needs_retrieval": False}, {"gated": False, "needs_retrieval": True, "cost": 2}]
    (note,) = [note for note in routed("gate_cost_saved", *rows).notes if "without a cost" in note]
    assert "undefined" in note
    (note,) = [note for note in routed("gate_cost_saved", *rows, {**rows[0], "cost": 2}).notes if "without a cost" in note]
    assert "undefined" not in note


@given(decisions, st.floats(0.01, 1e6))
def test_laws(rows, cost):
    """Efficiency is a percentage of all queries; the others are parts of it or of what it leaves."""
    names = ("gate_accuracy", "gate_efficiency", "gate_recall", "retrievals_saved", "wasted_retrievals", "wrongly_skipped")
    accuracy, efficiency, recall, saved, wasted, wrong = (gate(name, *rows)[name] for name in names)
    assert saved == sum(skipped and not needed for skipped, needed in rows)
    assert efficiency == pytest.approx(100 * saved / len(rows))
    assert 100 * accuracy + wrong + wasted == pytest.approx(100)
    needless = sum(not needed for _, needed in rows) / len(rows)
    assert (100 * recall * needless if needless else 0.0) == pytest.approx(efficiency)
    assert gate("gate_cost_saved", *rows, cost=cost)["gate_cost_saved"] == pytest.approx(efficiency)
