"""Wanted: what queries and records say is right."""

import pytest

from assay.errors import DataError
from assay.model.records import Query
from assay.views.answers import Wanted, wanted_by, wanted_in


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query("q", expected="Paris"), Wanted(("Paris",))),
        (Query("q"), None),
        (Query("q", expected="…"), None),
        (Query("q", metadata={"answerable": False}), Wanted()),
        (Query("q", expected="not mentioned", metadata={"answerable": False}), Wanted()),
        (Query("q", expected="Paris", metadata={"answerable": True}), Wanted(("Paris",))),
        (Query("q", metadata={"is_impossible": "true"}), Wanted()),
        (
            Query("q", expected="Paris", metadata={"answers": ["Paris", "Lutetia", ""]}),
            Wanted(("Paris", "Lutetia")),
        ),
        (Query("q", metadata={"references": [1, 2.5]}), Wanted(("1", "2.5"))),
    ],
)
def test_of_a_query(query, expected):
    assert wanted_by(query) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"reference": "Paris"}, Wanted(("Paris",))),
        ({"ground_truth": ["a", "b"]}, Wanted(("a", "b"))),
        ({"references": []}, Wanted()),
        ({"references": [""]}, None),
        ({"unanswerable": True, "reference": "x"}, Wanted()),
        ({"answer": "mine"}, None),
        ({"expected_output": "Paris"}, Wanted(("Paris",))),
        ({"references": ()}, Wanted()),
        ({"answers": {"text": ["Paris", "Lutetia"], "answer_start": [1, 2]}}, Wanted(("Paris", "Lutetia"))),
        ({"answers": [{"text": "Paris", "answer_start": 1}]}, Wanted(("Paris",))),
        ({"answers": {"text": [], "answer_start": []}}, Wanted()),
        ({"references": float("nan")}, None),
        ({"references": ["a", float("nan")]}, Wanted(("a",))),
        ({"references": ["a"], "answerable": ""}, Wanted(("a",))),
        ({"references": ["a"], "answerable": float("nan")}, Wanted(("a",))),
        ({"references": ["a"], "answerable": 0.0}, Wanted()),
        ({"references": ["a"], "is_impossible": "on"}, Wanted()),
    ],
)
def test_of_a_record(fields, expected):
    assert wanted_in(fields) == expected


@pytest.mark.parametrize("wrong", [{"references": [{"words": "a"}]}, {"reference": True}, {"reference": float("inf")}])
def test_what_is_no_text_is_told(wrong):
    with pytest.raises(DataError, match="the right answers are text"):
        wanted_in(wrong)
