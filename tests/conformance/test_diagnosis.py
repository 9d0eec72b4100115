"""Diagnosis: one thing that explains many wrong answers."""

from __future__ import annotations

import pytest

from assay.conformance import Answer, all_cases, check_answers, check_function

from ._code import Code

PERCENT = "Your numbers are percentages, rounded to {}: divide them by 100; --tolerance {} lets them pass then."
FAILS = "It fails in every case, the first time with {}."


def scaled(change, code=None):
    """Code whose every number is changed."""

    def score(metric, qrels, run):
        value = (code or Code())(metric, qrels, run)
        return None if value is None else change(value)

    return score


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda value: 100 * value, "Your numbers are percentages: divide them by 100."),
        (lambda value: round(value, 2), "Your numbers are rounded to 2 digits: --tolerance 0.005 lets them pass."),
        (lambda value: round(value, 3), "Your numbers are rounded to 3 digits: --tolerance 0.0005 lets them pass."),
        (lambda value: round(value, 4), "Your numbers are rounded to 4 digits: --tolerance 0.00005 lets them pass."),
        (
            lambda value: round(100 * value, 2),
            PERCENT.format("2 digits", "0.00005"),
        ),
        (
            lambda value: round(100 * value, 1),
            PERCENT.format("1 digit", "0.0005"),
        ),
    ],
)
def test_numbers_that_are_all_changed_alike(change, says):
    report = check_function(scaled(change))
    assert not report.passed
    assert report.diagnosis.says == says
    assert report.diagnosis.explains == {verdict.case.name for verdict in report.wrong}
    assert report.to_dict()["diagnosis"] == says


@pytest.mark.parametrize("digits", [2, 3, 4, 5])
def test_the_tolerance_that_is_named_lets_them_pass(digits):
    code = scaled(lambda value: round(value, digits))
    says = check_function(code).diagnosis.says
    assert check_function(code, tolerance=float(says.split("--tolerance ")[1].split()[0])).passed


def test_what_else_is_wrong_is_not_explained_away():
    report = check_function(scaled(lambda value: round(value, 4), Code(recall_is_hit=True)))
    assert report.diagnosis.says.endswith(
        f" This explains {len(report.diagnosis.explains)} of {len(report.wrong)} wrong answers."
    )
    assert "recall-more-than-k" not in report.diagnosis.explains


@pytest.mark.parametrize(
    "code", [Code(recall_is_hit=True), Code(ideal="retrieved"), Code(is_sorted=False), lambda *_: 1.0, lambda *_: 0.0]
)
def test_other_mistakes_have_no_common_cause(code):
    report = check_function(code)
    assert not report.passed
    assert report.diagnosis is None
    assert report.to_dict()["diagnosis"] == ""


def test_what_is_right_needs_no_diagnosis():
    assert check_function(Code()).diagnosis is None


def test_one_wrong_answer_is_looked_at_by_itself():
    assert check_answers(all_cases(["map"]), {"map": Answer(33.3333333)}).diagnosis is None
    assert check_answers(all_cases(["map"]), {"map": Answer(error="KeyError: 1")}).diagnosis is None


def test_some_shares_among_percentages_are_no_percentages():
    answers = {"map": Answer(33.3333333), "mrr": Answer(50.0), "recall": Answer(2 / 3)}
    assert check_answers(all_cases(topics=["plain"]), answers).diagnosis is None


@pytest.mark.parametrize(
    ("errors", "says"),
    [
        (["KeyError: 'a'", "KeyError: 'b'"], FAILS.format("KeyError: 'a'")),
        (["no reason given"] * 2, FAILS.format("no reason given")),
        (
            ["TypeError: score() missing 1 required positional argument: 'k'."] * 2,
            FAILS.format("TypeError: score() missing 1 required positional argument: 'k'")
            + " It must take (metric, qrels, run).",
        ),
        (["KeyError: 'a'", "ValueError: b"], None),
    ],
)
def test_the_same_exception_everywhere(errors, says):
    answers = dict(zip(("mrr", "map"), (Answer(error=error) for error in errors), strict=True))
    found = check_answers(all_cases(topics=["plain"]), answers).diagnosis
    assert (found and found.says) == says
