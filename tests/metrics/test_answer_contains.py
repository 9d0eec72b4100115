"""answer_contains: the right answer stands in what was answered."""

import pytest
from hypothesis import given

from ._answers import EDGES, SOME_WORDS, score, scores, text


@pytest.mark.parametrize(
    ("answer", "right", "expected"),
    [
        ("The capital of France is Paris.", "Paris", 1),
        ("Take note", "no", 0),
        ("von Goethe, Johann", "Johann Goethe", 0),
        ("It was Johann Goethe!", "johann goethe", 1),
        ("これは東京です", "東京", 1),
        ("京東", "東京", 0),
        ("Paris", "Paris in spring", 0),
    ],
)
def test_by_hand(answer, right, expected):
    assert score("answer_contains", answer, right) == expected


@pytest.mark.parametrize(("answer", "right", "expected"), EDGES)
def test_edges(answer, right, expected):
    assert scores("answer_contains", (answer, right)) == [expected]


def test_any_right_answer_will_do():
    assert score("answer_contains", "it is in the USA", ["United States", "USA"]) == 1


@given(SOME_WORDS, SOME_WORDS, SOME_WORDS)
def test_more_words_around_it_change_nothing(before, right, after):
    assert score("answer_contains", text([*before, *right, *after]), text(right)) == 1
