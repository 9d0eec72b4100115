"""Replies: the answers view."""

import numpy as np
import pytest

from assay.errors import UsageError
from assay.views.answers import Answer, Answers, ExpectedAnswer, squad_words

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


def test_a_text_is_cut_once():
    assert VIEW.words("some text") is VIEW.words("some text")
    assert VIEW.words("the text", "squad") == ["text"]


def test_words_as_squad_has_them():
    assert squad_words("The U.S.A., an idea; a-b!") == ["usa", "idea", "ab"]


def test_without_a_ranking_nothing_can_be_read_off_it():
    with pytest.raises(UsageError, match="there is no run"):
        VIEW.of_ranking(lambda run: run.n_retrieved, "something")
