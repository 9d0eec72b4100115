"""Answers: what systems say and what is right, under many names; and the view that metrics read."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import DataError, Query, UsageError
from assay.text import words_of
from assay.views import Answer, Answers, ExpectedAnswer, expected_answer, parse_answer, parse_expected_answer

NAN, INFINITE = float("nan"), float("inf")
SAID = [  # fields, what they say
    ({"answer": "Paris"}, Answer("Paris")),
    ({"response": "Paris", "confidence": 0.5}, Answer("Paris", 0.5)),
    ({"answer": "Paris", "confidence": "0.25"}, Answer("Paris", 0.25)),
    ({"answer": "Paris", "confidence": None}, Answer("Paris")),
    ({"answer": "Paris", "confidence": NAN}, Answer("Paris")),
    ({"answer": 42}, Answer("42")),
    ({"answer": None}, Answer(None, None, True)),
    ({"answer": ""}, Answer("", None, True)),
    ({"answer": " … "}, Answer(" … ", None, True)),
    ({"answer": NAN}, Answer(None, None, True)),
    ({"answer": "", "response": "Paris"}, Answer("Paris")),
    ({"prediction_text": "Paris"}, Answer("Paris")),
    ({"answer": "I cannot say", "abstained": True}, Answer("I cannot say", None, True)),
    ({"answer": "Paris", "abstained": "no"}, Answer("Paris")),
    ({"answer": "Paris", "abstained": 0.0}, Answer("Paris")),
    ({"answer": "Paris", "abstained": 1.0}, Answer("Paris", None, True)),
    ({"answer": "Paris", "abstained": NAN}, Answer("Paris")),
    ({"answer": "Paris", "abstained": "on"}, Answer("Paris", None, True)),
    ({"abstained": "TRUE"}, Answer(None, None, True)),
    ({"abstained": False}, None),
    ({"hits": []}, None),
]
RIGHT = [  # fields, the right answers
    ({"reference": "Paris"}, ("Paris",)),
    ({"ground_truth": ["a", "b"]}, ("a", "b")),
    ({"expected_output": "Paris"}, ("Paris",)),
    ({"references": []}, ()),
    ({"references": ()}, ()),
    ({"references": [""]}, None),
    ({"references": NAN}, None),
    ({"references": ["a", NAN]}, ("a",)),
    ({"unanswerable": True, "reference": "x"}, ()),
    ({"answer": "mine"}, None),
    ({"answers": {"text": ["Paris", "Lutetia"], "answer_start": [1, 2]}}, ("Paris", "Lutetia")),
    ({"answers": [{"text": "Paris", "answer_start": 1}]}, ("Paris",)),
    ({"answers": {"text": [], "answer_start": []}}, ()),
    ({"references": ["a"], "answerable": ""}, ("a",)),
    ({"references": ["a"], "answerable": NAN}, ("a",)),
    ({"references": ["a"], "answerable": 0.0}, ()),
    ({"references": ["a"], "is_impossible": "on"}, ()),
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


VIEW = Answers(
    ("a", "b", "c", "d", "e"),
    (Answer("x", 0.5), Answer(None), None, Answer("y", 0.9), Answer("z")),
    (ExpectedAnswer(("x",)), ExpectedAnswer(("x",)), ExpectedAnswer(("x",)), ExpectedAnswer(), None),
)


def test_what_is_known_of_each_query():
    assert VIEW.is_known.tolist() == [True, True, True, True, False]
    assert VIEW.is_answerable.tolist() == [True, True, True, False, False]
    assert VIEW.is_given.tolist() == [True, True, False, True, True]
    assert VIEW.has_abstained.tolist() == [False, True, False, False, False]
    np.testing.assert_array_equal(VIEW.confidence, [0.5, np.nan, np.nan, 0.9, np.nan])


def test_only_answers_to_what_can_be_answered_are_compared():
    assert list(VIEW.answered()) == [(0, ["x"], [["x"]])]
    np.testing.assert_array_equal(VIEW.compared(lambda *_: 0.25), [0.25, 0, 0, 0, np.nan])
    assert VIEW.words("some text") is VIEW.words("some text")
    assert VIEW.words("The U.S.A., an idea; a-b!", "squad") == ["usa", "idea", "ab"]
    with pytest.raises(UsageError, match="something"):
        VIEW.of_ranking(lambda run: run.n_retrieved, "something")
