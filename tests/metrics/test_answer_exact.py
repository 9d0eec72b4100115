"""answer_exact: the same words in the same order."""

import pytest
from hypothesis import given

from assay.metrics.parsing import parse_metric

from ._answers import EDGES, WORDS, score, scores, text


@pytest.mark.parametrize(
    ("answer", "right", "expected"),
    [
        ("Paris", "Paris", 1),
        ("  paris. ", "PARIS", 1),
        ("It is Paris", "Paris", 0),
        ("Wolfgang Johann", "Johann Wolfgang", 0),
        ("２９６２ Meter", "2962 meter", 1),
        ("straße", "STRASSE", 1),
        ("東京", "東京", 1),
        ("東京都", "東京", 0),
        ("the Seine", "Seine", 0),
        ("-5", "5", 0),
        ("−5 °C", "-5 °C", 1),
        ("3-5", "3–5", 1),
        ("well-known", "well known", 1),
        ("C++", "C", 0),
        ("c++.", "C++", 1),
        ("C# or F#", "C or F", 0),
        ("blood group A+", "blood group A", 0),
        ("1 + 2", "1 2", 1),
    ],
)
def test_by_hand(answer, right, expected):
    assert score("answer_exact", answer, right) == expected


@pytest.mark.parametrize(("answer", "right", "expected"), EDGES)
def test_edges(answer, right, expected):
    assert scores("answer_exact", (answer, right)) == [expected]


def test_any_right_answer_will_do():
    assert score("exact_match", "USA", ["United States", "U.S.A.", "USA"]) == 1


def test_as_squad_does_it():
    assert score("squad_em", "the Seine", "Seine") == 1
    assert score("answer_exact(tokens=squad)", "an apple", "The apple!") == 1


@given(WORDS, WORDS)
def test_exact_means_f1_of_one(first, second):
    if first and second and score("answer_exact", text(first), text(second)):
        assert score("answer_f1", text(first), text(second)) == 1
        assert score("answer_contains", text(first), text(second)) == 1


@pytest.mark.parametrize("spelling", ["em", "EM", "exact_match"])
def test_it_is_read_by_the_names_people_know(spelling):
    assert parse_metric(spelling).name == "answer_exact"
