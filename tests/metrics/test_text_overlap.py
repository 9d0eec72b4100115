"""bleu, corpus_bleu and rouge: by hand, against sacrebleu and rouge-score, and against the textbook's table."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.metrics import parse_metric

from ._answers import SOME_WORDS, assert_worked_out, column, edges, score, text
from ._cases import close

CAT = ("the cat is on the mat", "the cat sat on the mat")
BED = ("the cat was found under the bed", "the cat was under the bed")
"""Seven words against six; all six in order."""
WORKED_OUT = [  # metric, what was answered, what is right, score
    ("bleu(n=4)", *CAT, (5 / 6 * 3 / 5 * 1 / 4 * 1 / 6) ** (1 / 4)),
    ("bleu(n=4, smooth=floor)", *CAT, (5 / 6 * 3 / 5 * 1 / 4 * 0.1 / 3) ** (1 / 4)),
    ("bleu(n=4, smooth=add_k)", *CAT, (5 / 6 * 4 / 6 * 2 / 5 * 1 / 4) ** (1 / 4)),
    ("bleu(n=4, smooth=none)", *CAT, 0),
    ("bleu(n=1)", "the cat", "the cat sat on", math.exp(1 - 4 / 2)),  # an answer that is too short is lowered
    # words are matched as often as one reference has them
    ("bleu(n=1)", " ".join(["the"] * 7), ["the cat is on the mat", "there is a cat on the mat"], 2 / 7),
    ("bleu(n=1)", "a b c", ["a b c d", "a b"], 1),  # of two references as near in length the shorter counts
    ("bleu(n=4)", "Paris", "paris", 1),  # a short answer can be perfect
    *edges("bleu"),
    ("corpus_bleu(n=1)", "a b c", "a b c", 1),
    ("corpus_bleu(n=1)", "d", "e", 0),
    *(("corpus_bleu", answer, right, None) for answer, right in ((None, []), ("a", []), ("a", ...))),
    ("rouge(n=2)", *BED, 2 * 4 / (6 + 5)),
    ("rouge(n=l)", *BED, 12 / 13),
    # order matters to the longest common subsequence only
    ("rouge(n=1)", "police killed the gunman", "the gunman killed police", 1),
    ("rouge(n=l)", "police killed the gunman", "the gunman killed police", 0.5),
    ("rouge(n=l)", "東京は首都", "東京が首都", 4 / 5),  # letters of scripts without blanks are words
    ("rouge(n=2)", "Paris", "Paris", 0),  # an answer of one word has no pairs
    # the reference that is most alike by F1 counts for every measure
    ("rouge(n=1)", "it is paris", ["paris", "it is paris of course and nothing else at all"], max(2 / 4, 6 / 13)),
    ("rouge(n=1, measure=precision)", "it is paris", ["paris", "it is paris of course and nothing else at all"], 1 / 3),
    *edges("rouge(n=1)"),
    *edges("rouge(n=l)"),
]


def test_worked_out_by_hand():
    assert_worked_out(WORKED_OUT)


def test_spellings():
    spellings = ["BLEU-1", "bleu2", "sentence_bleu", "ROUGE-L", "rougeL", "rouge_2"]
    names = ["bleu(n=1)", "bleu(n=2)", "bleu(n=4)", "rouge(n=l)", "rouge(n=l)", "rouge(n=2)"]
    assert [parse_metric(spelling).name for spelling in spellings] == names
    for wrong in ("bleu(n=0)", "bleu(n=5)", "bleu(n=l)", "bleu(smooth=yes)", "rouge(n=x)", "rouge(measure=f2)"):
        with pytest.raises(assay.BadParameter):
            parse_metric(wrong)


# ---- bleu

SMOOTHINGS = {"exp": "exp", "floor": "floor", "add_k": "add-k", "none": "none"}
"""Ours → sacrebleu's."""


@given(SOME_WORDS, st.lists(SOME_WORDS, min_size=1, max_size=3), st.sampled_from([1, 2, 4]), st.sampled_from([*SMOOTHINGS]))
def test_bleu_is_that_of_sacrebleu(answer, right, n, smooth):
    from sacrebleu.metrics import BLEU

    scorer = BLEU(max_ngram_order=n, smooth_method=SMOOTHINGS[smooth], effective_order=True, tokenize="none")
    texts = [text(one) for one in right]
    expected = scorer.sentence_score(text(answer), texts).score / 100
    assert score(f"bleu(n={n}, smooth={smooth})", text(answer), texts) == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.tuples(SOME_WORDS, SOME_WORDS), min_size=1, max_size=6), st.integers(1, 4))
def test_corpus_bleu_is_that_of_sacrebleu(pairs, n):
    from sacrebleu.metrics import BLEU

    answers, right = ([text(one) for one in side] for side in zip(*pairs, strict=True))
    expected = BLEU(max_ngram_order=n, tokenize="none", effective_order=True).corpus_score(answers, [right]).score / 100
    found = column(f"corpus_bleu(n={n})", *zip(answers, right, strict=True)).summary()
    assert found == pytest.approx(expected, abs=1e-9)


def test_corpus_bleu_is_that_of_all_answers_together():
    """Three of four words match; the mean of the two answers would be a half."""
    assert column("corpus_bleu(n=1)", ("a b c", "a b c"), ("d", "e")).summary() == close(3 / 4)
    too_short = column("corpus_bleu(n=1)", ("a b", "a b"), (None, "c d"), (..., ["e f", "g"]))
    assert too_short.summary() == close(math.exp(1 - 5 / 2))
    assert column("corpus_bleu", ("a b c d", "a b c d"), (None, []), ("a", ...)).summary() == close(1)
    assert math.isnan(column("corpus_bleu", (None, [])).summary())


# ---- rouge

ROUGE_NAMES = {"1": "rouge1", "2": "rouge2", "3": "rouge3", "l": "rougeL"}


@pytest.fixture(scope="module")
def rouge_scorer():
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(list(ROUGE_NAMES.values()), use_stemmer=False)


@pytest.mark.slow  # nltk, which it imports
@given(answer=SOME_WORDS, right=st.lists(SOME_WORDS, min_size=1, max_size=3))
def test_rouge_is_that_of_rouge_score(rouge_scorer, answer, right):
    texts = [text(one) for one in right]
    several, single = rouge_scorer.score_multi(texts, text(answer)), rouge_scorer.score(texts[0], text(answer))
    for n, theirs in ROUGE_NAMES.items():
        assert score(f"rouge(n={n})", text(answer), texts) == close(several[theirs].fmeasure), n
        assert score(f"rouge(n={n}, measure=precision)", text(answer), texts[0]) == close(single[theirs].precision), n
        assert score(f"rouge(n={n}, measure=recall)", text(answer), texts[0]) == close(single[theirs].recall), n


@pytest.mark.slow
def test_rouge_of_english_sentences(rouge_scorer):
    for answer, right in (
        ("It's 3.5 km, I think -- maybe 4!", "The distance is 3.5 km."),
        ("E-mail: a_b@c.org", "a b c org"),
        ("UPPER lower MiXed", "upper LOWER mixed"),
    ):
        theirs = rouge_scorer.score(right, answer)
        assert score("rouge(n=l)", answer, right) == close(theirs["rougeL"].fmeasure), answer
        assert score("rouge(n=2)", answer, right) == close(theirs["rouge2"].fmeasure), answer


def longest_common_subsequence(first, second):
    """The textbook's table."""
    row = [0] * (len(second) + 1)
    for token in first:
        before = row
        row = [0]
        for place, other in enumerate(second, 1):
            row.append(before[place - 1] + 1 if token == other else max(before[place], row[-1]))
    return row[-1]


@given(
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=150), st.lists(st.sampled_from("abcde"), min_size=1, max_size=150)
)
def test_the_longest_common_subsequence_of_long_answers(first, second):
    expected = longest_common_subsequence(first, second) / len(second)
    assert score("rouge(n=l, measure=recall)", text(first), text(second)) == close(expected)
