"""Seed 003, relevance by text: every row and printed example."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import Document, Query
from assay.compat.memorybench import MRRMetric, PrecisionAtKMetric, RecallAtKMetric, SuccessAtKMetric
from assay.datasets import BenchmarkDataset
from assay.evaluation import evaluate_answers
from assay.metrics import parse_metric
from assay.text import words_of

pytestmark = pytest.mark.filterwarnings("ignore::assay.compat.memorybench.DifferenceWarning")

EXPECTED = "Paris is the capital of France."
RETRIEVED = "Paris is the capital and most populous city of France..."
RESULTS = [
    {"expected": EXPECTED, "actual": "Paris", "retrievedContext": [{"id": "c1", "content": RETRIEVED}]},
    {
        "expected": "Cats sleep twelve hours.",
        "actual": "They sleep twelve hours",
        "retrievedContext": [{"id": "c2", "content": "Most cats sleep for twelve hours a day"}],
    },
]
WORDS = st.lists(st.sampled_from(["Paris", "capital", "of", "Anfälle", "猫", "12"]), max_size=6).map(" ".join)


def f1(expected, chunk):
    """The algorithm as it stands there."""
    wanted, words = set(words_of(expected)), set(words_of(chunk))
    overlap = len(wanted & words)
    if not overlap:
        return 0.0
    precision, recall = overlap / len(words), overlap / len(wanted)
    return 2 * precision * recall / (precision + recall)


def relevant(expected, text, relevance):
    """Whether one text is relevant to one expected answer."""
    dataset = BenchmarkDataset("One", queries={"q": Query("q", expected=expected)})
    found = assay.evaluate(dataset, {"q": [{"id": "c", "content": text}]}, "hit@1", relevance=relevance)
    return found["hit@1"] == 1


# Problem statement
def test_worked_paris_sentence_has_precision_6_recall_1_f1_75():
    wanted, words = set(words_of(EXPECTED)), set(words_of(RETRIEVED))
    assert (len(wanted & words) / len(words), len(wanted & words) / len(wanted)) == (0.6, 1.0)
    assert f1(EXPECTED, RETRIEVED) == pytest.approx(0.75)
    assert relevant(EXPECTED, RETRIEVED, "token")
    assert relevant(EXPECTED, RETRIEVED, "token(threshold=0.75)")
    assert not relevant(EXPECTED, RETRIEVED, "token(threshold=0.76)")
    assert not relevant(EXPECTED, RETRIEVED, "substring"), "as it was before"


# Solution
@given(WORDS.filter(words_of), WORDS, st.sampled_from([0.1, 0.3, 0.5]))
def test_printed_algorithm_decides_alike(expected, chunk, threshold):
    assert relevant(expected, chunk, f"token(threshold={threshold})") == (f1(expected, chunk) >= threshold - 1e-12)


def test_row_lower_case_tokens_without_punctuation_as_sets():
    tokens = {"Paris, IS the!": ["paris", "is", "the"], "Anfälle": ["anfälle"], "猫は寝る": list("猫は寝る")}
    assert {text: words_of(text) for text in tokens} == tokens
    assert relevant("the the the cat", "Cat, the.", "token(threshold=1)")


def test_row_relevant_when_f1_is_03_strict_05_lenient_01():
    expected, text = "a b c d e", "a b c d e " + " ".join(f"w{number}" for number in range(18))  # F1 10 ÷ 28
    decided = {threshold: relevant(expected, text, f"token(threshold={threshold})") for threshold in (0.1, 0.3, 0.5)}
    assert decided == {0.1: True, 0.3: True, 0.5: False}
    assert relevant(expected, text, "token")


# Test results
def test_printed_recall_at_5_metric_test_results():
    found = RecallAtKMetric(5).compute(RESULTS)
    assert (found["name"], found["value"]) == ("recall_at_5", 1.0)
    details = found["details"]
    assert (details["total"], details["relevantFound"], details["exactMatchFound"], details["f1Threshold"]) == (2, 2, 0, 0.3)


def test_row_details_of_a_result_relevant_found_exact_matches_found_threshold():
    dataset = BenchmarkDataset("Two")
    for number, one in enumerate(RESULTS):
        dataset.add_query(Query(f"q{number}", expected=one["expected"]))
    run = {f"q{number}": one["retrievedContext"] for number, one in enumerate(RESULTS)}
    found = assay.evaluate(dataset, run, "hit@5").relevance
    assert (found["relevant_found"], found["exact_matches_found"], found["token_threshold"]) == (2, 0, 0.3)


def test_printed_files_modified_share_the_threshold_and_the_details():
    for metric in (RecallAtKMetric(5), PrecisionAtKMetric(5), MRRMetric()):
        assert metric.f1_threshold == 0.3, metric.name
        assert type(metric)(*([5] if metric.k else []), f1_threshold=0.5).f1_threshold == 0.5, metric.name
        assert {"relevantFound", "exactMatchFound", "f1Threshold"} <= metric.compute(RESULTS)["details"].keys(), metric.name


def test_row_recall_at_k_of_the_document_is_hit_and_recall_is_recall():
    contexts = [{"id": f"x{n}", "content": "cats" if n in (0, 5) else "?"} for n in range(6)]
    found = RecallAtKMetric(5).compute([{"expected": "cats", "retrievedContext": contexts}])
    assert found["value"] == pytest.approx(1 / 2)
    assert found["details"]["relevantFound"] / found["details"]["total"] == 1.0


# Counting relevant items
def test_row_relevant_items_are_counted_over_the_corpus_when_it_is_at_hand_else_over_what_was_retrieved():
    dataset = BenchmarkDataset("Counted", queries={"q": Query("q", expected="cats sleep")})
    alone = assay.evaluate(dataset, {"q": [{"id": "a", "content": "cats sleep"}]}, "recall@5")
    assert (alone["recall@5"], alone.relevance["counted_over"]) == (1.0, {"retrieved": 1})
    for doc in ("a", "b"):
        dataset.add_document(Document(doc, "cats sleep"))
    whole = assay.evaluate(dataset, {"q": ["a"]}, "recall@5")
    assert (whole["recall@5"], whole.relevance["counted_over"]) == (0.5, {"scope": 1})


# Alternatives and future improvements
def test_row_coverage_of_the_expected_tokens_for_long_chunks():
    long = f"{EXPECTED} " + " ".join(f"word{number}" for number in range(60))
    assert not relevant(EXPECTED, long, "token")
    assert relevant(EXPECTED, long, "coverage")


def test_row_exact_substring_hybrid_and_bm25():
    for relevance in ("substring", "hybrid", "lexical"):
        assert relevant("capital of France", "Paris is the capital of France", relevance), relevance
        assert not relevant("capital of France", "Cats sleep", relevance), relevance


def test_row_document_ids_come_first_where_they_are_known():
    found = RecallAtKMetric(5).compute([{**RESULTS[0], "metadata": {"relevantIds": ["other"]}}])
    assert (found["value"], found["details"]["strategyUsed"]) == (0.0, "qrels")


# Answers
def test_row_success_at_k_needs_a_chunk_with_f1_01_and_an_answer_marked_correct():
    right = [{**one, "correct": True} for one in RESULTS]
    wrong, lost = {**RESULTS[0], "correct": False}, {**right[0], "retrievedContext": []}
    long = {
        **right[0],
        "retrievedContext": [{"id": "c", "content": "Paris " + " ".join(f"w{n}" for n in range(14))}],
    }  # F1 2 ÷ 21
    found = SuccessAtKMetric(5).compute([*right, wrong, lost, long])
    assert (found["name"], found["value"]) == ("success_at_5", 2 / 5)
    counts = {"successes": 2, "correctButNoRelevant": 2, "incorrectWithRelevant": 1, "total": 5}
    assert found["details"] == {**counts, "k": 5, "f1Threshold": 0.1}
    short = {
        **right[0],
        "retrievedContext": [{"id": "c", "content": "Paris " + " ".join(f"w{n}" for n in range(13))}],
    }  # 2 ÷ 20
    assert SuccessAtKMetric(5).compute([short])["value"] == 1.0
    by_id = {**wrong, "correct": True, "metadata": {"relevantIds": ["other"]}}
    assert SuccessAtKMetric(5).compute([by_id])["value"] == 1.0, "ids have no effect, as in success.ts"


def test_row_success_is_an_alias_of_hit_and_answer_success_is_the_other():
    assert parse_metric("success@5").name == parse_metric("success_5").name == "hit@5"
    assert parse_metric("answer_success@5").name == "answer_success@5"
    assert parse_metric("answer_success@5").params["threshold"] == 0.1


def test_row_answer_metrics_by_hand():
    """Three words, six expected, two of them shared and in the same order."""
    dataset = BenchmarkDataset("Answered", queries={"q": Query("q", expected=EXPECTED)})
    run = {"q": [{"id": "c", "content": RETRIEVED}]}
    names = ["answer_f1", "rouge(n=l)", "bleu(n=1)", "answer_success@5"]
    found = evaluate_answers({"q": "Paris is nice"}, dataset, names, run=run)
    assert found["answer_f1"] == found["rouge(n=l)"] == pytest.approx(2 * 2 / (3 + 6))
    assert found["bleu(n=1)"] == pytest.approx(2 / 3 * math.exp(1 - 6 / 3))
    assert found["answer_success@5"] == 1.0
    assert evaluate_answers({"q": "Berlin"}, dataset, names, run=run)["answer_success@5"] == 0.0
    assert evaluate_answers({"q": "Paris is nice"}, dataset, names, run={"q": []})["answer_success@5"] == 0.0


def test_row_token_f1_is_public():
    paris = "Paris is the capital and most populous city of France..."
    assert assay.metrics.token_f1(paris, "Paris is the capital of France.") == pytest.approx(0.75)
    assert assay.metrics.token_f1(paris, ["Rome", "Paris is the capital of France."]) == pytest.approx(0.75)
    assert assay.metrics.token_f1("a a b", "a b", count="bag") == pytest.approx(0.8)
    assert (assay.metrics.token_f1("", ""), assay.metrics.token_f1("a", ""), assay.metrics.token_f1("a", [])) == (
        1.0,
        0.0,
        0.0,
    )
