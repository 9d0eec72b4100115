"""decision: fields as people write them, and what is no route, no answer to yes or no, and no cost."""

import numpy as np
import pytest

from assay.errors import DataError
from assay.views.routing import Decision, decision_of


@pytest.mark.parametrize(
    ("written", "read"),
    [
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
    ],
)
def test_experts_are_a_name_a_list_or_scores(written, read):
    assert decision_of("q", {"route": written}).routes == read
    assert decision_of("q", {"optimal_expert": written}).optimal == read


@pytest.mark.parametrize("name", ["routes", "selected_expert"])
def test_routes_go_by_several_names(name):
    assert decision_of("q", {name: "code"}) == Decision("q", ("code",))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        *((yes, True) for yes in (True, 1, 1.0, "true", "True", "yes", "1", np.True_, np.int64(1))),
        *((no, False) for no in (False, 0, 0.0, "false", "No", "0", np.False_)),
        *((empty, None) for empty in (None, "", float("nan"))),
    ],
)
def test_true_and_false_in_the_words_people_use(written, read):
    assert decision_of("q", {"gated": written}).gated is read
    assert decision_of("q", {"needs_retrieval": written}).needs_retrieval is read


def test_a_cost_is_a_number_also_as_text():
    assert [decision_of("q", {"cost": cost}).cost for cost in (0, 2.5, "3", None, "")] == [0.0, 2.5, 3.0, None, None]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"gated": "maybe"}, "gated is true or false, not 'maybe'"),
        ({"gated": 2}, "gated is true or false, not 2"),
        ({"needs_retrieval": [True]}, "needs_retrieval is true or false"),
        ({"cost": -1}, "cost is a number from 0 up, not -1"),
        ({"cost": "cheap"}, "cost is a number from 0 up, not 'cheap'"),
        ({"cost": float("inf")}, "cost is a number from 0 up"),
        ({"cost": True}, "cost is a number from 0 up"),
        ({"route": 1.5}, "route is the name of an expert, or a list of names, not 1.5"),
        ({"route": [None]}, "route is the name of an expert"),
        ({"route": {"code": "high"}}, "the score of expert code is 'high', not a number"),
    ],
)
def test_what_cannot_be_is_named(fields, says):
    with pytest.raises(DataError) as caught:
        decision_of("q", fields)
    assert says in str(caught.value)


def test_the_right_expert_is_the_chosen_one_of_several_else_the_first():
    assert Decision("q", ("chat",), ("law", "chat")).actual == "chat"
    assert Decision("q", ("code",), ("law", "chat")).actual == "law"
    assert Decision("q", ("code",)).actual is None
