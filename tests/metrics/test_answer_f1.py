"""answer_f1: by hand, against SQuAD's formula, and what must not matter."""

import re
import string
from collections import Counter

import pytest
from hypothesis import given

from ._answers import EDGES, SOME_WORDS, WORDS, score, scores, text
from ._cases import close

PARIS = ("The capital of France is Paris.", "Paris is the capital")


@pytest.mark.parametrize(
    ("answer", "right", "expected"),
    [
        ("Paris", "Paris", 1),
        ("paris!", "PARIS", 1),
        ("Paris", "London", 0),
        ("It is Paris", "Paris", 2 * 1 / (3 + 1)),
        ("Goethe", "Johann Wolfgang von Goethe", 2 * 1 / (1 + 4)),
        ("no no no", "no", 1),
        ("Anfälle", "anfälle", 1),
        ("Anfälle", "Anfa\u0308lle", 1),
        ("東京", "東京都", 2 * 2 / (2 + 3)),
        ("the answer is 42", "42", 2 * 1 / (4 + 1)),
        (*PARIS, 2 * 4 / (6 + 4)),
    ],
)
def test_by_hand(answer, right, expected):
    assert score("answer_f1", answer, right) == close(expected)


def test_seed_003_paris_sentence():
    """Three of five words are right, and all that are wanted are there: P .6, R 1, F1 .75."""
    assert score("answer_f1", "Paris is capital certainly indeed", "capital is Paris") == close(0.75)


@pytest.mark.parametrize(("answer", "right", "expected"), EDGES)
def test_edges(answer, right, expected):
    assert scores("answer_f1", (answer, right)) == [expected]


def test_of_several_right_answers_the_most_alike_counts():
    assert score("answer_f1", "Goethe", ["Johann Wolfgang von Goethe", "J. W. Goethe", "Goethe"]) == 1
    assert score("answer_f1", "Tokyo", ["東京", "Tokyo"]) == 1


def test_repetitions_count_in_a_bag_only():
    assert score("answer_f1", "no no no", "no") == 1
    assert score("answer_f1(count=bag)", "no no no", "no") == close(2 * 1 / (3 + 1))


def squad_f1(answer: str, right: str) -> float:
    """SQuAD's F1 as its paper and script describe it."""

    def tokens(sentence):
        bare = "".join(letter for letter in sentence.lower() if letter not in string.punctuation)
        return re.sub(r"\b(a|an|the)\b", " ", bare).split()

    ours, theirs = tokens(answer), tokens(right)
    if not ours or not theirs:
        return float(ours == theirs)
    shared = sum((Counter(ours) & Counter(theirs)).values())
    if not shared:
        return 0.0
    precision, recall = shared / len(ours), shared / len(theirs)
    return 2 * precision * recall / (precision + recall)


@given(SOME_WORDS, SOME_WORDS)
def test_squad_f1_is_that_of_squad(answer, right):
    assert score("squad_f1", text(answer), text(right)) == close(squad_f1(text(answer), text(right)))


def test_squad_drops_english_articles_and_keeps_words_with_apostrophes_whole():
    assert score("squad_f1", "the cat", "a cat") == 1
    assert score("squad_f1", "don't", "dont") == 1
    assert score("answer_f1", "don't", "dont") == 0


@given(WORDS, WORDS)
def test_symmetric_within_range_and_order_does_not_matter(first, second):
    if first and second:
        one = score("answer_f1", text(first), text(second))
        assert 0 <= one <= 1
        assert score("answer_f1", text(second), text(first)) == one
        assert score("answer_f1", text(reversed(first)), text(second)) == one
        assert (one == 1) == (set(first) == set(second))
