"""abstention_accuracy: leaving open what has no answer."""

import math

import pytest

from ._answers import column, scores

PAIRS = [(None, []), ("something", []), (..., []), ("Paris", "Paris"), (None, "Rome"), (..., "Oslo"), ("x", ...)]


@pytest.mark.parametrize(
    ("over", "expected", "figure"),
    [
        ("unanswerable", [1, 0, 0, None, None, None, None], 1 / 3),
        ("answerable", [None, None, None, 1, 0, 0, None], 1 / 3),
        ("all", [1, 0, 0, 1, 0, 0, None], 2 / 6),
    ],
)
def test_by_hand(over, expected, figure):
    found = column(f"abstention_accuracy(over={over})", *PAIRS)
    assert found.values() == expected
    assert found.summary() == pytest.approx(figure)


def test_a_wrong_answer_is_still_no_abstention():
    assert scores("abstention_accuracy(over=answerable)", ("wrong", "right")) == [1]


def test_where_every_query_has_an_answer_there_is_no_figure():
    assert math.isnan(column("abstention_accuracy", ("a", "a"), (None, "b")).summary())
