"""Answers: what systems say and what is right, under many names; and the view that metrics read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import DataError, Query
from assay.text import words_of
from assay.views import Answer, ExpectedAnswer, expected_answer, parse_answer, parse_expected_answer

NAN, INFINITE = float("nan"), float("inf")
SAID = [  # fields, what they say
    ({"response": "Paris", "confidence": 0.5}, Answer("Paris", 0.5)),
    ({"answer": "Paris", "confidence": "0.25"}, Answer("Paris", 0.25)),
    ({"answer": "Paris", "confidence": NAN}, Answer("Paris")),
    ({"answer": 42}, Answer("42")),
    ({"answer": None}, Answer(None, None, True)),
    ({"answer": " … "}, Answer(" … ", None, True)),
    ({"answer": NAN}, Answer(None, None, True)),
    ({"answer": "", "response": "Paris"}, Answer("Paris")),
    ({"answer": "I cannot say", "abstained": True}, Answer("I cannot say", None, True)),
    *(({"answer": "Paris", "abstained": no}, Answer("Paris")) for no in ("no", 0.0, NAN)),
    *(({"answer": "Paris", "abstained": yes}, Answer("Paris", None, True)) for yes in (1.0, "on")),
    ({"abstained": "TRUE"}, Answer(None, None, True)),
    ({"abstained": False}, None),
    ({"hits": []}, None),
]
RIGHT = [  # fields, the right answers
    ({"reference": "Paris"}, ("Paris",)),
    ({"ground_truth": ["a", "b"]}, ("a", "b")),
    ({"references": ()}, ()),
    *(({"references": nothing}, None) for nothing in ([""], NAN)),
    ({"references": ["a", NAN]}, ("a",)),
    ({"unanswerable": True, "reference": "x"}, ()),
    ({"answer": "mine"}, None),
    ({"answers": {"text": ["Paris", "Lutetia"], "answer_start": [1, 2]}}, ("Paris", "Lutetia")),
    ({"answers": [{"text": "Paris", "answer_start": 1}]}, ("Paris",)),
    ({"answers": {"text": [], "answer_start": []}}, ()),
    *(({"references": ["a"], "answerable": empty}, ("a",)) for empty in ("", NAN)),
    *(({"references": ["a"], name: value}, ()) for name, value in (("answerable", 0.0), ("is_impossible", "on"))),
]
OF_A_QUERY = [  # expected, metadata, the right answers
    ("Paris", {}, ("Paris",)),
    (None, {}, None),
    ("…", {}, None),
    (None, {"answerable": False}, ()),
    ("not mentioned", {"answerable": False}, ()),
    ("Paris", {"answerable": True}, ("Paris",)),
    (None, {"is_impossible": "true"}, ()),
    ("Paris", {"answers": ["Paris", "Lutetia", ""]}, ("Paris", "Lutetia")),
    (None, {"references": [1, 2.5]}, ("1", "2.5")),
]


def test_what_is_said_and_what_is_right():
    for fields, expected in SAID:
        assert parse_answer(fields) == expected, fields
    for fields, right in RIGHT:
        assert parse_expected_answer(fields) == (None if right is None else ExpectedAnswer(right)), fields
    for expected, metadata, right in OF_A_QUERY:
        found = expected_answer(Query("q", expected=expected, metadata=metadata))
        assert found == (None if right is None else ExpectedAnswer(right)), (expected, metadata)


def test_messages(snapshots):
    said = {
        "a list": {"answer": ["Paris"]},
        "a truth value": {"answer": True},
        "infinite": {"answer": INFINITE},
        "a confidence in words": {"answer": "a", "confidence": "high"},
        "an infinite confidence": {"answer": "a", "confidence": INFINITE},
        "no confidence in words": {"answer": "a", "confidence": "nan"},
        "abstained perhaps": {"answer": "a", "abstained": "maybe"},
    }
    right = {"words": {"references": [{"words": "a"}]}, "yes": {"reference": True}, "an infinity": {"reference": INFINITE}}
    cases = {case: lambda fields=fields: parse_answer(fields) for case, fields in said.items()}
    cases |= {f"right: {case}": lambda fields=fields: parse_expected_answer(fields) for case, fields in right.items()}
    for call in cases.values():
        with pytest.raises(DataError):
            call()
    snapshots.check_errors("model/answers", cases)


@given(st.text(max_size=8))
def test_an_answer_without_a_word_is_an_abstention(text):
    assert Answer(text).abstained == (not words_of(text))
    assert not Answer("東").abstained
    assert not Answer("㏇").abstained  # a sign that stands for letters
