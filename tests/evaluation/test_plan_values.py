"""Values of a plan: what they may be, and what is said where they are not."""

import pytest

from assay import BadParameter
from assay.execution.plan_file import PlanFaults, known_keys, parse_flag, parse_list, parse_number, parse_texts, parse_whole


@pytest.mark.parametrize(
    ("value", "found"),
    [(True, True), ("yes", True), ("On", True), ("TRUE", True), (False, False), ("no", False), ("off", False)],
)
def test_flags(value, found):
    assert parse_flag(value, "cache", "plan") is found


@pytest.mark.parametrize("value", [1, 0, "", "y", None, []])
def test_no_flags(value):
    with pytest.raises(BadParameter, match=r"^plan: cache is true or false, not "):
        parse_flag(value, "cache", "plan")


@pytest.mark.parametrize(("value", "found"), [(7, 7), ("7", 7), (7.0, 7), ("010", 10), (None, None)])
def test_whole_numbers(value, found):
    assert parse_whole(value, "k", "plan") == found


@pytest.mark.parametrize("value", [0, -1, 2.5, "2.5", "x", True, "²", float("inf"), float("nan"), "9" * 40])
def test_no_whole_numbers(value):
    with pytest.raises(BadParameter, match=r"^plan: k is a whole number from 1 up, not "):
        parse_whole(value, "k", "plan")


def test_whole_numbers_may_be_bounded():
    assert parse_whole(100, "k", "plan", most=100) == 100
    assert parse_whole(0, "k", "plan", least=0) == 0
    with pytest.raises(BadParameter, match=r"^plan: k is at most 100, not 101$"):
        parse_whole(101, "k", "plan", most=100)


@pytest.mark.parametrize(("value", "found"), [(2, 2.0), ("2.5", 2.5), (float("inf"), float("inf"))])
def test_numbers(value, found):
    assert parse_number(value, "timeout", "plan") == found


@pytest.mark.parametrize("value", [0, -1, "soon", True, None, [1], float("nan")])
def test_no_numbers(value):
    with pytest.raises(BadParameter, match=r"^plan: timeout is a number above 0, not "):
        parse_number(value, "timeout", "plan")


def test_lists_and_names():
    assert parse_list((1, 2), "x", "plan", "1") == [1, 2]
    assert parse_list("one", "x", "plan", "1") == ["one"]
    assert parse_texts("one", "x", "plan", "two") == ["one"]
    with pytest.raises(BadParameter, match=r"x has an empty name; write x: \[two\]"):
        parse_texts(["a", " "], "x", "plan", "two")


def test_keys_that_say_nothing_or_are_unknown_are_left_out():
    faults = PlanFaults("plan")
    assert known_keys({"a": 1, "b": None, "c": 2, 4: 5}, ("a", "b"), "plan", faults) == {"a": 1}
    assert len(faults) == 2
    assert known_keys(None, ("a",), "plan", faults) == {}
    assert known_keys([1], ("a",), "plan: x", faults) == {}
    with pytest.raises(BadParameter, match=r"plan: x is a map with a, not \[1\]"):
        faults.raise_if_any()
