"""Faults of a plan: told together, and with the exit code of the first."""

import pytest

from assay.errors import BadParameter, DataError, NothingSelected, ProviderError, UnknownName
from assay.execution.plan_file import PlanFaults


def fail(error):
    raise error


def test_what_works_is_handed_on():
    faults = PlanFaults("plan")
    assert faults.attempt(int, "7") == 7
    faults.raise_if_any()
    assert len(faults) == 0


def test_a_single_one_is_raised_as_it_is():
    faults = PlanFaults("plan")
    error = UnknownName("metric", "x")
    assert faults.attempt(fail, error) is None
    with pytest.raises(UnknownName) as caught:
        faults.raise_if_any()
    assert caught.value is error


@pytest.mark.parametrize(
    ("first", "kind"),
    [
        (UnknownName("metric", "x"), BadParameter),
        (DataError("a: 2 faults", ["a:1: x", "a:2: y"]), DataError),
        (ProviderError("x"), ProviderError),
        (NothingSelected("x"), NothingSelected),
    ],
)
def test_several_are_one_with_the_exit_code_of_the_first(first, kind):
    faults = PlanFaults("plan.yaml")
    faults.add(first)
    faults.add(BadParameter("last"))
    with pytest.raises(kind) as caught:
        faults.raise_if_any()
    assert caught.value.exit_code == first.exit_code
    lines = str(caught.value).split("\n")
    assert (lines[0], lines[-1]) == ("plan.yaml: 2 faults", "  last")
    assert [line.strip() for line in lines[1:-1]] == [line.strip() for line in str(first).split("\n")]


def test_the_same_words_are_told_once():
    faults = PlanFaults("plan")
    faults.add(BadParameter("x"))
    faults.add(BadParameter("x"))
    assert len(faults) == 1


def test_bugs_are_not_hidden():
    with pytest.raises(ZeroDivisionError):
        PlanFaults("plan").attempt(fail, ZeroDivisionError())
