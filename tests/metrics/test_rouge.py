"""rouge: by hand, against rouge-score, and the longest common subsequence against the table everybody knows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import BadParameter
from assay.metrics.catalog.text_overlap import common_subsequence
from assay.metrics.parsing import parse_metric

from ._answers import EDGES, SOME_WORDS, score, scores, text
from ._cases import close

CAT = ("the cat was found under the bed", "the cat was under the bed")
"""Seven words against six; all six in order."""


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("rouge(n=1)", 12 / 13),
        ("rouge(n=1, measure=recall)", 1),
        ("rouge(n=1, measure=precision)", 6 / 7),
        ("rouge(n=2)", 2 * 4 / (6 + 5)),
        ("rouge(n=2, measure=recall)", 4 / 5),
        ("rouge(n=3)", 2 * 2 / (5 + 4)),
        ("rouge(n=l)", 12 / 13),
        ("rouge", 12 / 13),
    ],
)
def test_by_hand(metric, expected):
    assert score(metric, *CAT) == close(expected)


def test_order_matters_to_the_longest_common_subsequence_only():
    answer, right = "police killed the gunman", "the gunman killed police"
    assert score("rouge(n=1)", answer, right) == 1
    assert score("rouge(n=l)", answer, right) == close(0.5)


def test_letters_of_scripts_without_blanks_are_words():
    assert score("rouge(n=l)", "東京は首都", "東京が首都") == close(4 / 5)


@pytest.mark.parametrize("n", ["1", "2", "l"])
@pytest.mark.parametrize(("answer", "right", "expected"), EDGES)
def test_edges(n, answer, right, expected):
    assert scores(f"rouge(n={n})", (answer, right)) == [expected]


def test_an_answer_of_one_word_has_no_pairs():
    assert score("rouge(n=2)", "Paris", "Paris") == 0


def test_the_reference_that_is_most_alike_by_f1_counts_for_every_measure():
    right = ["paris", "it is paris of course and nothing else at all"]
    assert score("rouge(n=1)", "it is paris", right) == close(max(2 / 4, 6 / 13))
    assert score("rouge(n=1, measure=precision)", "it is paris", right) == close(1 / 3)


@pytest.mark.parametrize(
    ("spelling", "name"),
    [("ROUGE-L", "rouge(n=l)"), ("rougeL", "rouge(n=l)"), ("rouge1", "rouge(n=1)"), ("rouge_2", "rouge(n=2)")],
)
def test_spellings(spelling, name):
    assert parse_metric(spelling).name == name


@pytest.mark.parametrize("wrong", ["rouge(n=0)", "rouge(n=x)", "rouge(measure=f2)"])
def test_wrong_parameters(wrong):
    with pytest.raises(BadParameter, match="one of"):
        parse_metric(wrong)


@pytest.mark.parametrize(("n", "theirs"), [("1", "rouge1"), ("2", "rouge2"), ("3", "rouge3"), ("l", "rougeL")])
def test_equal_to_rouge_score(n, theirs):
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer([theirs], use_stemmer=False)

    @given(SOME_WORDS, st.lists(SOME_WORDS, min_size=1, max_size=3))
    def check(answer, right):
        texts = [text(one) for one in right]
        expected = scorer.score_multi(texts, text(answer))[theirs]
        assert score(f"rouge(n={n})", text(answer), texts) == close(expected.fmeasure)
        single = scorer.score(texts[0], text(answer))[theirs]
        assert score(f"rouge(n={n}, measure=precision)", text(answer), texts[0]) == close(single.precision)
        assert score(f"rouge(n={n}, measure=recall)", text(answer), texts[0]) == close(single.recall)

    check()


def test_equal_to_rouge_score_on_english_sentences():
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL", "rouge2"], use_stemmer=False)
    pairs = [
        ("It's 3.5 km, I think -- maybe 4!", "The distance is 3.5 km."),
        ("E-mail: a_b@c.org", "a b c org"),
        ("UPPER lower MiXed", "upper LOWER mixed"),
    ]
    for answer, right in pairs:
        theirs = scorer.score(right, answer)
        assert score("rouge(n=l)", answer, right) == close(theirs["rougeL"].fmeasure)
        assert score("rouge(n=2)", answer, right) == close(theirs["rouge2"].fmeasure)


def by_table(first, second):
    """The textbook's table."""
    row = [0] * (len(second) + 1)
    for token in first:
        before = row
        row = [0]
        for place, other in enumerate(second, 1):
            row.append(before[place - 1] + 1 if token == other else max(before[place], row[-1]))
    return row[-1]


@given(st.lists(st.sampled_from("abcd"), max_size=150), st.lists(st.sampled_from("abcde"), max_size=150))
def test_the_longest_common_subsequence(first, second):
    assert common_subsequence(first, second) == by_table(first, second) == common_subsequence(second, first)
