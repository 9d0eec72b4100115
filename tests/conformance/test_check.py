"""Judging one answer: right, a known fault, impossible, unknown, failed, or none at all."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from assay.conformance import Answer, all_cases, ask, judge
from assay.conformance.check import expected, right_answers

CASES = {case.name: case for case in all_cases()}


@pytest.mark.parametrize("case", CASES.values(), ids=str)
def test_every_right_value_agrees_and_every_fault_is_named(case):
    for one in case.values:
        verdict = judge(case, Answer(error="no") if one.value is None else Answer(one.value))
        assert (verdict.kind, verdict.is_wrong) == ("agrees", False)
        assert one in verdict.matched
    for one in case.wrong:
        verdict = judge(case, Answer(one.value))
        assert (verdict.kind, verdict.is_wrong) == ("fault", True)
        assert one.fault[1:] in verdict.says


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("ndcg", 1.1, "ndcg is never above 1"),
        ("recall", -0.2, "recall is never below 0"),
        ("map", math.nan, "not a number"),
        ("map", math.inf, "map is never above 1"),
        ("discount-dcg", math.inf, "dcg is never infinite"),
        ("map", "0.3333333333", "not a number"),
        ("map", True, "not a number"),
        ("hit", [1.0], "not a number"),
        pytest.param("hit", 10**400, "hit is never above 1", id="huge"),
    ],
)
def test_what_no_score_can_be(name, value, says):
    verdict = judge(CASES[name], Answer(value))
    assert verdict.kind == "impossible"
    assert says in verdict.says
    assert str(verdict).startswith(f"{name}: ")


def test_a_fault_that_is_impossible_as_well_says_both():
    verdict = judge(CASES["duplicate-recall"], Answer(2.0))
    assert verdict.kind == "fault"
    assert verdict.says == "Duplicates counted: one document is credited twice. recall is never above 1"


def test_a_number_nobody_knows():
    verdict = judge(CASES["precision"], Answer(0.123))
    assert verdict.kind == "unknown"
    assert "Expected 0.4." in str(verdict)
    assert judge(CASES["discount-dcg"], Answer(7.0)).kind == "unknown"


def test_an_error_is_right_only_where_it_is_a_convention():
    assert judge(CASES["duplicate-ndcg"], Answer(error="twice")).kind == "agrees"
    failed = judge(CASES["ndcg"], Answer(error="ZeroDivisionError"))
    assert (failed.kind, failed.is_wrong) == ("failed", True)
    assert "an error (ZeroDivisionError)" in str(failed)


def test_no_answer():
    verdict = judge(CASES["err"], Answer())
    assert (verdict.kind, verdict.is_wrong, verdict.is_skipped) == ("skipped", False, True)
    assert str(verdict) == "err: skipped"


def test_the_tolerance():
    assert judge(CASES["map"], Answer(0.3333)).is_wrong
    assert not judge(CASES["map"], Answer(0.3333), 1e-4).is_wrong
    assert not judge(CASES["map"], Answer(np.float32(1 / 3))).is_wrong


def test_expected_answers_in_words():
    assert expected(CASES["mrr"]) == ["0.5"]
    assert expected(CASES["duplicate-precision"]) == ["refused with an error", "0.5: counted once"]
    assert right_answers(CASES["recall-k-beyond-ranking"])["0.5"][0].count(" or ") == 1
    assert right_answers(CASES["gain-graded"])["0.607492"] == [
        "the grade itself (trec_eval)",
        "log2(rank + 1) (trec_eval)",
    ]


def test_asking_a_function():
    case = CASES["map"]
    assert ask(lambda metric, qrels, run: (metric, list(qrels), list(run)), case).value == ("map", ["q1"], ["q1"])
    assert not ask(lambda *_: None, case).is_given


@pytest.mark.parametrize(
    ("error", "words"),
    [(KeyError("q1"), "KeyError: 'q1'"), (ValueError(), "ValueError"), (SystemExit(3), "SystemExit: 3")],
)
def test_what_a_function_raises_is_its_answer(error, words):
    def fail(*_):
        raise error

    assert ask(fail, CASES["map"]).error == words


def test_not_implemented_is_no_answer():
    def fail(*_):
        raise NotImplementedError

    assert ask(fail, CASES["map"]) == Answer()


def test_a_function_may_change_what_it_is_given():
    def spoil(metric, qrels, run):
        qrels.clear()
        run["q1"].clear()
        return 0.0

    before = json.dumps(CASES["map"].request)
    ask(spoil, CASES["map"])
    assert json.dumps(CASES["map"].request) == before
