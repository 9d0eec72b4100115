"""Reply: what systems say, under many names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import DataError
from assay.text import words_of
from assay.views.answers import Reply, has_words, reply_of


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"answer": "Paris"}, Reply("Paris")),
        ({"response": "Paris", "confidence": 0.5}, Reply("Paris", 0.5)),
        ({"answer": "Paris", "confidence": "0.25"}, Reply("Paris", 0.25)),
        ({"answer": "Paris", "confidence": None}, Reply("Paris")),
        ({"answer": 42}, Reply("42")),
        ({"answer": None}, Reply(None, None, True)),
        ({"answer": ""}, Reply("", None, True)),
        ({"answer": " … "}, Reply(" … ", None, True)),
        ({"answer": "I cannot say", "abstained": True}, Reply("I cannot say", None, True)),
        ({"answer": "Paris", "abstained": "no"}, Reply("Paris")),
        ({"abstained": "TRUE"}, Reply(None, None, True)),
        ({"abstained": False}, None),
        ({"hits": []}, None),
        ({"answer": float("nan")}, Reply(None, None, True)),
        ({"answer": "", "response": "Paris"}, Reply("Paris")),
        ({"prediction_text": "Paris"}, Reply("Paris")),
        ({"answer": "Paris", "abstained": 0.0}, Reply("Paris")),
        ({"answer": "Paris", "abstained": 1.0}, Reply("Paris", None, True)),
        ({"answer": "Paris", "abstained": float("nan")}, Reply("Paris")),
        ({"answer": "Paris", "abstained": "on"}, Reply("Paris", None, True)),
        ({"answer": "Paris", "confidence": float("nan")}, Reply("Paris")),
    ],
)
def test_read(said, expected):
    assert reply_of(said) == expected


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
        reply_of(said)


def test_a_reply_without_a_word_is_an_abstention():
    assert Reply("").abstained
    assert Reply("?!").abstained
    assert not Reply("東").abstained
    assert not Reply("㏇").abstained  # a sign that stands for letters


@given(st.text(max_size=8))
def test_having_words_is_having_tokens(text):
    assert has_words(text) == bool(words_of(text))
