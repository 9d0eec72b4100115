"""token: relevant from an F1 of 0.3 on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import Document, Query
from assay.datasets import BenchmarkDataset
from assay.relevance.resolution import resolve
from assay.text import words_of

from ._cases import EXPECTED, RETRIEVED, f1, grades_by_text, ground, grounds


def grade(expected, text, relevance="token"):
    made = ground(Query("q", expected=expected), ["d"], documents={"d": text})
    return resolve(made, relevance).qrels["q"]["d"]


def test_seed_003_paris_sentence_has_precision_6_recall_1_f1_75():
    wanted, words = (set(words_of(text)) for text in (EXPECTED, RETRIEVED))
    assert len(wanted & words) / len(words) == 0.6
    assert len(wanted & words) / len(wanted) == 1.0
    assert f1(EXPECTED, RETRIEVED) == pytest.approx(0.75)
    assert grade(EXPECTED, RETRIEVED) == 1.0
    assert [grade(EXPECTED, RETRIEVED, f"token(threshold={level})") for level in (0.75, 0.76)] == [1.0, 0.0]


def test_seed_003_relevant_found_exact_matches_found_and_threshold():
    dataset = BenchmarkDataset("Facts", "1.0")
    dataset.add_query(Query("q1", expected=EXPECTED))
    dataset.add_query(Query("q2", expected="Cats sleep twelve hours."))
    run = {"q1": [{"content": RETRIEVED}], "q2": [{"content": "Most cats sleep for twelve hours a day"}]}
    result = assay.evaluate(dataset, run, "hit@5", relevance="token")
    assert result["hit@5"] == 1.0
    assert result.relevance["exact_matches_found"] == 0
    assert result.relevance["token_threshold"] == 0.3
    run["q2"][0]["content"] = "It is said that CATS sleep -- twelve hours!"
    assert assay.evaluate(dataset, run, "hit@5", relevance="token").relevance["exact_matches_found"] == 1


# one shared word of 10 and 10 makes F1 0.1, three make 0.3, five make 0.5
LEVELS = [(shared, threshold) for shared in range(11) for threshold in (0.1, 0.3, 0.5)]


@pytest.mark.parametrize(("shared", "threshold"), LEVELS)
def test_seed_003_threshold_default_03_strict_05_lenient_01(shared, threshold):
    expected = " ".join(f"w{number}" for number in range(10))
    text = " ".join(f"w{number}" for number in range(10 - shared, 20 - shared))
    relevance = "token" if threshold == 0.3 else f"token(threshold={threshold})"
    assert grade(expected, text, relevance) == (shared >= 10 * threshold)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ("Krampfanfälle", "KRAMPFANFÄLLE!"),
        ("Straße", "STRASSE"),
        ("北京", "北京"),
        ("ﬁne", "fine"),
        ("the the the cat", "Cat, the."),
    ],
)
def test_case_form_punctuation_and_repetition_do_not_matter(expected, text):
    assert grade(expected, text, "token(threshold=1)") == 1.0


def test_other_chinese_shares_nothing():
    assert grade("北京", "上海", "token(threshold=0.1)") == 0.0


@pytest.mark.parametrize("text", ["", "…", "something else"])
def test_a_text_without_a_shared_word_is_not_relevant(text):
    assert grade("Paris", text) == 0.0


def test_the_threshold_has_a_second_name():
    assert resolve(ground(Query("q", expected="a"), ["d"]), "token(f1_threshold=0.5)").settings == {"token_threshold": 0.5}


@given(grounds(), st.sampled_from([0.1, 0.3, 0.5, 0.75, 1.0]))
def test_against_seed_003_pair_by_pair(made, threshold):
    resolved = resolve(made, f"token(threshold={threshold})")
    for query in made.queries.values():
        assert resolved.qrels[query.query_id] == grades_by_text(made, query, f1, threshold)


def test_titles_belong_to_the_text():
    dataset = BenchmarkDataset("Titles")
    dataset.add_document(Document("d", "is a city", title="Paris"))
    dataset.add_query(Query("q", expected="Paris is a city"))
    assert assay.evaluate(dataset, {"q": ["d"]}, "mrr", relevance="token(threshold=1)")["mrr"] == 1.0
