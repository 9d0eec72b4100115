"""corpus_bleu: the BLEU of all answers together, against sacrebleu."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay

from ._answers import SOME_WORDS, column, scores, text


def test_by_hand():
    """Three of four words match; the mean of the two answers would be a half."""
    found = column("corpus_bleu(n=1)", ("a b c", "a b c"), ("d", "e"))
    assert found.summary() == pytest.approx(3 / 4)
    assert found.score.tolist() == [1, 0]


def test_missing_answers_make_it_too_short():
    found = column("corpus_bleu(n=1)", ("a b", "a b"), (None, "c d"), (..., ["e f", "g"]))
    assert found.summary() == pytest.approx(math.exp(1 - 5 / 2))


def test_what_has_no_answer_or_is_unknown_is_left_out():
    assert scores("corpus_bleu", (None, []), ("a", []), ("a", ...)) == [None, None, None]
    assert column("corpus_bleu", ("a b c d", "a b c d"), (None, []), ("a", ...)).summary() == pytest.approx(1)
    assert math.isnan(column("corpus_bleu", (None, [])).summary())


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_equal_to_sacrebleu(n):
    from sacrebleu.metrics import BLEU

    scorer = BLEU(max_ngram_order=n, tokenize="none", effective_order=True)

    @given(st.lists(st.tuples(SOME_WORDS, SOME_WORDS), min_size=1, max_size=6))
    def check(pairs):
        answers, right = ([text(one) for one in side] for side in zip(*pairs, strict=True))
        expected = scorer.corpus_score(answers, [right]).score / 100
        found = column(f"corpus_bleu(n={n})", *zip(answers, right, strict=True)).summary()
        assert found == pytest.approx(expected, abs=1e-9)

    check()


def test_it_survives_being_saved(tmp_path):
    from assay.evaluation.saved import result_from_dict

    rows = [{"id": "1", "answer": "a b c", "reference": "a b d"}, {"id": "2", "answer": "e", "reference": "e"}]
    result = assay.evaluate_answers(rows, metrics="corpus_bleu(n=2)")
    again = result_from_dict(result.to_dict())
    assert again["corpus_bleu(n=2)"] == result["corpus_bleu(n=2)"] != pytest.approx(result.array("corpus_bleu_2").mean())
