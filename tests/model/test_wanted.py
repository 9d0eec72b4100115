"""Wanted: what queries and records say is right."""

import pytest

from assay.errors import DataError
from assay.model.records import Query
from assay.views.answers import ExpectedAnswer, expected_answer, parse_expected_answer


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query("q", expected="Paris"), ExpectedAnswer(("Paris",))),
        (Query("q"), None),
        (Query("q", expected="…"), None),
        (Query("q", metadata={"answerable": False}), ExpectedAnswer()),
        (Query("q", expected="not mentioned", metadata={"answerable": False}), ExpectedAnswer()),
        (Query("q", expected="Paris", metadata={"answerable": True}), ExpectedAnswer(("Paris",))),
        (Query("q", metadata={"is_impossible": "true"}), ExpectedAnswer()),
        (
            Query("q", expected="Paris", metadata={"answers": ["Paris", "Lutetia", ""]}),
            ExpectedAnswer(("Paris", "Lutetia")),
        ),
        (Query("q", metadata={"references": [1, 2.5]}), ExpectedAnswer(("1", "2.5"))),
    ],
)
def test_of_a_query(query, expected):
    assert expected_answer(query) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"reference": "Paris"}, ExpectedAnswer(("Paris",))),
        ({"ground_truth": ["a", "b"]}, ExpectedAnswer(("a", "b"))),
        ({"references": []}, ExpectedAnswer()),
        ({"references": [""]}, None),
        ({"unanswerable": True, "reference": "x"}, ExpectedAnswer()),
        ({"answer": "mine"}, None),
        ({"expected_output": "Paris"}, ExpectedAnswer(("Paris",))),
        ({"references": ()}, ExpectedAnswer()),
        ({"answers": {"text": ["Paris", "Lutetia"], "answer_start": [1, 2]}}, ExpectedAnswer(("Paris", "Lutetia"))),
        ({"answers": [{"text": "Paris", "answer_start": 1}]}, ExpectedAnswer(("Paris",))),
        ({"answers": {"text": [], "answer_start": []}}, ExpectedAnswer()),
        ({"references": float("nan")}, None),
        ({"references": ["a", float("nan")]}, ExpectedAnswer(("a",))),
        ({"references": ["a"], "answerable": ""}, ExpectedAnswer(("a",))),
        ({"references": ["a"], "answerable": float("nan")}, ExpectedAnswer(("a",))),
        ({"references": ["a"], "answerable": 0.0}, ExpectedAnswer()),
        ({"references": ["a"], "is_impossible": "on"}, ExpectedAnswer()),
    ],
)
def test_of_a_record(fields, expected):
    assert parse_expected_answer(fields) == expected


@pytest.mark.parametrize("wrong", [{"references": [{"words": "a"}]}, {"reference": True}, {"reference": float("inf")}])
def test_what_is_no_text_is_told(wrong):
    with pytest.raises(DataError, match="the right answers are text"):
        parse_expected_answer(wrong)
