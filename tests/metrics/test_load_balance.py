"""load_balance: how evenly queries are spread over the experts."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import entropy

from ._routing import routed, routes


def balance(*chosen, metric="load_balance"):
    return routed(metric, *({"route": route} for route in chosen))


def test_by_hand():
    """Shares ¾ and ¼ of two experts: 0.811 bits of 1."""
    found = balance("code", "code", "code", "chat")
    assert found["load_balance"] == pytest.approx(-(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25)))
    assert np.isnan(found.array("load_balance")).all()  # no query has a balance of its own


def test_evenly_is_1_and_everything_to_one_of_several_is_0():
    assert balance("code", "chat", "law")["load_balance"] == pytest.approx(1.0)
    one = routed("load_balance", {"route": "code", "optimal_expert": "chat"}, {"route": "code", "optimal_expert": "code"})
    assert one["load_balance"] == 0.0


def test_experts_that_nobody_chose_can_be_counted():
    found = balance("code", "chat", metric="load_balance(experts=4)")
    assert found["load_balance(experts=4)"] == pytest.approx(0.5)


def test_with_a_single_expert_there_is_nothing_to_balance():
    assert math.isnan(balance("code", "code")["load_balance"])


def test_only_first_choices_count_and_queries_sent_nowhere_do_not():
    rows = [{"route": ["code", "law"]}, {"route": ["chat", "law"]}, {"gated": True}]
    assert routed("load_balance(experts=2)", *rows)["load_balance(experts=2)"] == pytest.approx(1.0)


@given(routes)
def test_agrees_with_scipy(rows):
    found = routed("load_balance", *({"route": chosen, "optimal_expert": right} for chosen, right in rows))
    n_experts = len({name for chosen, right in rows for name in (*chosen, right)})
    if n_experts < 2:
        assert math.isnan(found["load_balance"])
        return
    counts = list(Counter(chosen[0] for chosen, _ in rows).values())
    assert found["load_balance"] == pytest.approx(entropy(counts, base=n_experts), abs=1e-12)
    assert 0 <= found["load_balance"] <= 1 + 1e-12


def test_there_are_as_many_experts_as_were_chosen_at_least():
    found = balance("code", "chat", "law", "law", metric="load_balance(experts=2)")
    assert found["load_balance(experts=2)"] == balance("code", "chat", "law", "law")["load_balance"]
    assert found.notes[-1] == "load_balance(experts=2): 3 experts were chosen, so there are 3."
    assert not any("experts were" in note for note in balance("code", "chat", metric="load_balance(experts=2)").notes)
