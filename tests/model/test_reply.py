"""Reply: what systems say, under many names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import DataError
from assay.text import words_of
from assay.views.answers import Answer, has_words, parse_answer


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"answer": "Paris"}, Answer("Paris")),
        ({"response": "Paris", "confidence": 0.5}, Answer("Paris", 0.5)),
        ({"answer": "Paris", "confidence": "0.25"}, Answer("Paris", 0.25)),
        ({"answer": "Paris", "confidence": None}, Answer("Paris")),
        ({"answer": 42}, Answer("42")),
        ({"answer": None}, Answer(None, None, True)),
        ({"answer": ""}, Answer("", None, True)),
        ({"answer": " … "}, Answer(" … ", None, True)),
        ({"answer": "I cannot say", "abstained": True}, Answer("I cannot say", None, True)),
        ({"answer": "Paris", "abstained": "no"}, Answer("Paris")),
        ({"abstained": "TRUE"}, Answer(None, None, True)),
        ({"abstained": False}, None),
        ({"hits": []}, None),
        ({"answer": float("nan")}, Answer(None, None, True)),
        ({"answer": "", "response": "Paris"}, Answer("Paris")),
        ({"prediction_text": "Paris"}, Answer("Paris")),
        ({"answer": "Paris", "abstained": 0.0}, Answer("Paris")),
        ({"answer": "Paris", "abstained": 1.0}, Answer("Paris", None, True)),
        ({"answer": "Paris", "abstained": float("nan")}, Answer("Paris")),
        ({"answer": "Paris", "abstained": "on"}, Answer("Paris", None, True)),
        ({"answer": "Paris", "confidence": float("nan")}, Answer("Paris")),
    ],
)
def test_read(said, expected):
    assert parse_answer(said) == expected


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"answer": ["Paris"]}, "an answer is text"),
        ({"answer": True}, "an answer is text"),
        ({"answer": float("inf")}, "an answer is text"),
        ({"answer": "a", "confidence": "high"}, "a confidence is a number, not 'high'"),
        ({"answer": "a", "confidence": float("inf")}, "finite"),
        ({"answer": "a", "confidence": "nan"}, "finite"),
        ({"answer": "a", "abstained": "maybe"}, "abstained is true or false, not 'maybe'"),
    ],
)
def test_what_is_none_is_told(said, message):
    with pytest.raises(DataError, match=message):
        parse_answer(said)


def test_a_reply_without_a_word_is_an_abstention():
    assert Answer("").abstained
    assert Answer("?!").abstained
    assert not Answer("東").abstained
    assert not Answer("㏇").abstained  # a sign that stands for letters


@given(st.text(max_size=8))
def test_having_words_is_having_tokens(text):
    assert has_words(text) == bool(words_of(text))
