"""answer_exact, answer_contains, answer_f1, answer_correct, answer_success, abstention_accuracy and aurc."""

import itertools
import math
import re
import string
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.metrics import curve
from assay.views import Answer

from ._answers import SOME_WORDS, WORDS, assert_worked_out, column, edges, score, text
from ._cases import close

GOETHE = ["Johann Wolfgang von Goethe", "J. W. Goethe", "Goethe"]
WORKED_OUT = [  # metric, what was answered, what is right, score
    ("answer_exact", "  paris. ", "PARIS", 1),
    ("answer_exact", "２９６２ Meter", "2962 meter", 1),
    ("answer_exact", "東京都", "東京", 0),
    ("answer_exact", "the Seine", "Seine", 0),
    ("answer_exact", "-5", "5", 0),
    ("answer_exact", "−5 °C", "-5 °C", 1),
    ("answer_exact", "3-5", "3–5", 1),
    ("answer_exact", "well-known", "well known", 1),
    ("answer_exact", "C++", "C", 0),
    ("answer_exact", "C# or F#", "C or F", 0),
    ("exact_match", "USA", ["United States", "U.S.A.", "USA"], 1),  # any right answer will do
    ("EM", "USA", "usa", 1),
    ("squad_em", "the Seine", "Seine", 1),
    ("answer_exact(tokens=squad)", "an apple", "The apple!", 1),
    *edges("answer_exact"),
    ("answer_contains", "The capital of France is Paris.", "Paris", 1),
    ("answer_contains", "Take note", "no", 0),
    ("answer_contains", "これは東京です", "東京", 1),
    ("answer_contains", "Paris", "Paris in spring", 0),
    ("answer_contains", "it is in the USA", ["United States", "USA"], 1),
    *edges("answer_contains"),
    ("answer_f1", "Goethe", "Johann Wolfgang von Goethe", 2 * 1 / (1 + 4)),
    ("answer_f1", "Anfälle", "Anfa\u0308lle", 1),
    ("answer_f1", "東京", "東京都", 2 * 2 / (2 + 3)),
    ("answer_f1", "Paris is capital certainly indeed", "capital is Paris", 0.75),  # seed 003: P .6, R 1
    ("answer_f1", "Goethe", GOETHE, 1),  # of several right answers the most alike counts
    ("answer_f1", "no no no", "no", 1),
    ("answer_f1(count=bag)", "no no no", "no", 2 * 1 / (3 + 1)),  # repetitions count in a bag only
    ("squad_f1", "the cat", "a cat", 1),  # SQuAD drops English articles
    ("squad_f1", "don't", "dont", 1),  # … and keeps words with apostrophes whole
    ("answer_f1", "don't", "dont", 0),
    *edges("answer_f1"),
    ("answer_success@1", "It is Paris", "Paris", 0),  # nothing relevant at rank 1
    ("answer_success@2", "It is Paris", "Paris", 1),
    ("answer_success@2", "Berlin", "Paris", 0),
    ("answer_success@2", None, "Paris", 0),
    ("answer_success@2", None, [], None),
    ("answer_success@2", "Paris" + "".join(f" w{n}" for n in range(18)), "Paris", 1),  # F1 is 2 / 20, the threshold
    ("answer_success@2", "Paris" + "".join(f" w{n}" for n in range(19)), "Paris", 0),
    ("answer_success(threshold=0.09)@2", "Paris" + "".join(f" w{n}" for n in range(19)), "Paris", 1),
    ("answer_success(threshold=0)@2", "Berlin", "Paris", 1),
    ("answer_success(threshold=0)@2", None, "Paris", 0),  # even a threshold of nothing wants an answer
    ("answer_success@2", Answer("Berlin", correct=1.0), "Paris", 1),  # a judge's mark decides before words
    ("answer_success@2", Answer("Paris", correct=0.0), "Paris", 0),
    ("answer_success@1", Answer("Paris", correct=1.0), "Paris", 0),
    ("answer_correct", Answer("Berlin", correct=1.0), "Paris", 1),
    ("answer_accuracy", Answer("Paris", correct=0.25), ..., 0.25),  # nobody has to know the right answer
    ("answer_correct", "Paris", "Paris", None),  # nobody marked it
    ("answer_correct", ..., "Paris", 0),
    ("abstention_accuracy", None, [], 1),
    ("abstention_accuracy", ..., [], 0),
    ("abstention_accuracy", "Paris", "Paris", None),
    ("abstention_accuracy(over=answerable)", "wrong", "right", 1),  # a wrong answer is still no abstention
    ("abstention_accuracy(over=answerable)", None, "Rome", 0),
    ("abstention_accuracy(over=answerable)", None, [], None),
    ("aurc", Answer("it is Paris", 0.5), "Paris", 1 - 2 / 4),  # the loss of one answer
    ("aurc(loss=exact)", Answer("it is Paris", 0.5), "Paris", 1),
]


def test_worked_out_by_hand():
    assert_worked_out(WORKED_OUT)


# ---- words


@given(WORDS, WORDS)
def test_laws_of_f1(first, second):
    """Symmetric, from 0 to 1; the order of words does not matter; 1 where all words are the same, as where it is exact."""
    if first and second:
        one = score("answer_f1", text(first), text(second))
        assert 0 <= one <= 1
        assert score("answer_f1", text(second), text(first)) == one
        assert score("answer_f1", text(reversed(first)), text(second)) == one
        assert (one == 1) == (set(first) == set(second))
        if score("answer_exact", text(first), text(second)):
            assert one == score("answer_contains", text(first), text(second)) == 1


def squad_f1(answer: str, right: str) -> float:
    """SQuAD's F1 as its paper and script describe it."""

    def tokens(sentence):
        bare = "".join(letter for letter in sentence.lower() if letter not in string.punctuation)
        return re.sub(r"\b(a|an|the)\b", " ", bare).split()

    ours, theirs = tokens(answer), tokens(right)
    if not ours or not theirs:
        return float(ours == theirs)
    shared = sum((Counter(ours) & Counter(theirs)).values())
    return 2 * shared / (len(ours) + len(theirs))


@given(SOME_WORDS, SOME_WORDS)
def test_squad_f1_is_that_of_squad(answer, right):
    assert score("squad_f1", text(answer), text(right)) == close(squad_f1(text(answer), text(right)))


# ---- answer_success


def test_success_reads_the_run_and_the_answers():
    rows = [("both", "Paris", "d1"), ("late", "Rome", "d2"), ("wrong", "Oslo", "d1")]
    queries = {name: assay.Query(name, expected=right) for name, right, _ in rows}
    dataset = assay.BenchmarkDataset("Answers", queries=queries, qrels={name: {doc: 1} for name, _, doc in rows})
    run = {query: {"d1": 3.0, "d3": 2.0, "d2": 1.0} for query, _, _ in rows}
    answers = {"both": "It is Paris", "late": "Rome", "wrong": "Berlin"}
    result = assay.evaluate_answers(answers, dataset, ["answer_success@1", "answer_success@3"], run=run)
    assert result.scores("answer_success@1") == {"both": 1, "late": 0, "wrong": 0}
    assert result.scores("answer_success@3") == {"both": 1, "late": 1, "wrong": 0}
    with pytest.raises(assay.UsageError, match="answer_success@5"):
        assay.evaluate_answers(answers, dataset, "answer_success@5")


# ---- abstention_accuracy


def test_abstentions_are_averaged_over_what_is_asked():
    pairs = [(None, []), ("something", []), (..., []), ("Paris", "Paris"), (None, "Rome"), (..., "Oslo"), ("x", ...)]
    for over, figure in (("unanswerable", 1 / 3), ("answerable", 1 / 3), ("all", 2 / 6)):
        assert column(f"abstention_accuracy(over={over})", *pairs).summary() == close(figure), over
    assert math.isnan(column("abstention_accuracy", ("a", "a"), (None, "b")).summary())  # every query has an answer


# ---- aurc


def test_the_curve_of_risk_and_coverage():
    """Right, wrong, right: risks 0, 1/2, 1/3."""
    found = column("aurc", (Answer("c", 0.1), "c"), (Answer("a", 0.9), "a"), (Answer("x", 0.5), "b"))
    assert found.summary() == close((0 + 1 / 2 + 1 / 3) / 3)
    assert found.score.tolist() == [0, 0, 1]
    points = [tuple(point) for point in curve(found.score, found.weight)]
    assert points == [(close(1 / 3), 0, 0.9, False), (close(2 / 3), close(1 / 2), 0.5, False), (1, close(1 / 3), 0.1, False)]
    assert curve(np.zeros(0), np.zeros((0, 2))) == []


def test_answers_without_a_confidence_come_after_all_others_and_what_was_left_open_last():
    """Leaving open is right where there is no answer, and a loss where there is one."""
    found = column("aurc", (None, []), (Answer("a", -5), "a"), (None, "b"), (..., "c"))
    assert found.score.tolist() == [0, 0, 1, 1]
    last = curve(found.score, found.weight)[-1]
    assert (last.coverage, last.risk, last.confidence) == (1, 0.5, None)
    assert found.summary() == close((0 + 1 / 3 + 4 / 9 + 1 / 2) / 4)
    found = column("aurc", (Answer("x"), "b"), (Answer("a", -5), "a"), (None, []))
    assert found.summary() == close((0 + 1 / 2 + 1 / 3) / 3)
    points = curve(found.score, found.weight)
    assert [(one.confidence, one.is_open) for one in points] == [(-5, False), (None, False), (None, True)]
    assert math.isnan(column("aurc", (Answer("a"), "a"), (None, "b")).summary())  # without any confidence


ONE_ANSWER = st.tuples(st.sampled_from(["a b c d", "a b", "a x", "x"]), st.integers(0, 2), st.booleans())


@given(st.lists(ONE_ANSWER, min_size=1, max_size=6).filter(lambda rows: not all(is_open for _, _, is_open in rows)))
def test_equals_count_as_if_in_every_order(rows):
    pairs = [(None if is_open else Answer(answer, confidence), "a b c d") for answer, confidence, is_open in rows]
    found = column("aurc", *pairs)
    keys = [(1, 0) if is_open else (0, -confidence) for _, confidence, is_open in rows]
    areas = []
    for order in itertools.permutations(range(len(rows))):
        ranked = sorted(order, key=lambda place: keys[place])
        areas.append(np.mean(np.cumsum(found.score[ranked]) / np.arange(1, len(rows) + 1)))
    assert found.summary() == close(np.mean(areas))
