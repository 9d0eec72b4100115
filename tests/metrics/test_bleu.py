"""bleu: by hand, and against sacrebleu with each of its smoothings."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import BadParameter
from assay.metrics.parsing import parse_metric

from ._answers import EDGES, SOME_WORDS, score, scores, text
from ._cases import close

CAT = ("the cat is on the mat", "the cat sat on the mat")


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("bleu(n=1)", 5 / 6),
        ("bleu(n=2)", math.sqrt(5 / 6 * 3 / 5)),
        ("bleu(n=3)", (5 / 6 * 3 / 5 * 1 / 4) ** (1 / 3)),
        ("bleu(n=4)", (5 / 6 * 3 / 5 * 1 / 4 * 1 / 6) ** (1 / 4)),
        ("bleu", (5 / 6 * 3 / 5 * 1 / 4 * 1 / 6) ** (1 / 4)),
        ("bleu(n=4, smooth=floor)", (5 / 6 * 3 / 5 * 1 / 4 * 0.1 / 3) ** (1 / 4)),
        ("bleu(n=4, smooth=add_k)", (5 / 6 * 4 / 6 * 2 / 5 * 1 / 4) ** (1 / 4)),
        ("bleu(n=4, smooth=none)", 0),
    ],
)
def test_by_hand(metric, expected):
    assert score(metric, *CAT) == close(expected)


def test_an_answer_that_is_too_short_is_lowered():
    assert score("bleu(n=1)", "the cat", "the cat sat on") == close(math.exp(1 - 4 / 2))
    assert score("bleu(n=1)", "the cat sat on", "the cat") == close(2 / 4)


def test_words_are_matched_as_often_as_one_reference_has_them():
    right = ["the cat is on the mat", "there is a cat on the mat"]
    assert score("bleu(n=1)", "the the the the the the the", right) == close(2 / 7)


def test_of_two_references_as_near_in_length_the_shorter_counts():
    assert score("bleu(n=1)", "a b c", ["a b c d", "a b"]) == 1


def test_a_short_answer_can_be_perfect():
    assert score("bleu(n=4)", "Paris", "paris") == 1
    assert score("bleu(n=4)", "東京", "東京") == close(1)


@pytest.mark.parametrize(("answer", "right", "expected"), EDGES)
def test_edges(answer, right, expected):
    assert scores("bleu", (answer, right)) == [expected]


@pytest.mark.parametrize("wrong", ["bleu(n=0)", "bleu(n=5)", "bleu(n=l)", "bleu(smooth=yes)"])
def test_wrong_parameters(wrong):
    with pytest.raises(BadParameter):
        parse_metric(wrong)


def test_spellings():
    assert [parse_metric(one).name for one in ("BLEU-1", "bleu2", "bleu_4", "sentence_bleu")] == [
        "bleu(n=1)",
        "bleu(n=2)",
        "bleu(n=4)",
        "bleu(n=4)",
    ]


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize(("smooth", "theirs"), [("exp", "exp"), ("floor", "floor"), ("add_k", "add-k"), ("none", "none")])
def test_equal_to_sacrebleu(n, smooth, theirs):
    from sacrebleu.metrics import BLEU

    scorer = BLEU(max_ngram_order=n, smooth_method=theirs, effective_order=True, tokenize="none")

    @given(SOME_WORDS, st.lists(SOME_WORDS, min_size=1, max_size=3))
    def check(answer, right):
        texts = [text(one) for one in right]
        expected = scorer.sentence_score(text(answer), texts).score / 100
        assert score(f"bleu(n={n}, smooth={smooth})", text(answer), texts) == pytest.approx(expected, abs=1e-9)

    check()
