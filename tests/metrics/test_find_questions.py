"""Questions found by words, whole or not, spelled well or not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UnknownName
from assay.metrics.questions import QUESTIONS, find_questions, read_as


def keys(text):
    return [question.key for question in find_questions(text)]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.key)
def test_by_its_key_and_by_what_it_asks(question):
    for text in (question.key, question.asks, question.key.upper(), f"  {question.asks.lower()} "):
        assert find_questions(text) == [question]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("single answer", "single-answer"),
        ("known item", "single-answer"),
        ("find everything", "everything"),
        ("is the order any good", "order"),
        ("incomplete judgments", "judgments"),
        ("rerank", "reranker"),
        ("cross-encoder", "reranker"),
        ("chunkers", "spans"),
        ("HPO", "nearly-right"),
        ("router", "routing"),
        ("MoE", "routing"),
        ("hallucination", "abstention"),
        ("slow", "speed"),
        ("jugdments", "judgments"),
        ("ontolgy", "nearly-right"),
        ("singel anwser", "single-answer"),
        ("latency", "speed"),
        ("ndcg", "order"),
        ("nDCG@10", "order"),
        ("how sure", "abstention"),
        ("false positives", "noise"),
        ("code search", "spans"),
        ("is retrieval slow", "speed"),
    ],
)
def test_by_words(text, key):
    assert keys(text) == [key]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("singel answer", "single answer"),
        ("Singel, anwser?", "single, answer?"),
        ("is the ordr any good", "is the order any good"),
        ("rerank", "rerank"),
        ("single answer", "single answer"),
        ("ndcg", "ndcg"),
        ("Did we find everything?", "Did we find everything?"),
        ("xyzzy", "xyzzy"),
        ("", ""),
    ],
)
def test_what_was_understood(text, read):
    assert read_as(text) == read


def test_one_misspelt_word_among_good_ones_counts_as_well():
    assert keys("singel answer") == keys("single answer") == ["single-answer"]


@given(st.text(max_size=30))
def test_what_was_understood_is_understood_the_same(text):
    assert read_as(read_as(text)) == read_as(text)


def test_several_that_are_as_likely():
    assert keys("answer") == ["single-answer", "answers"]


@pytest.mark.parametrize(
    "text",
    ["", "the", "xyzzy", "?!", "   ", "faithfulness", "groundedness", "translation", "sarcasm", "chatbot"],
)
def test_words_that_say_nothing(text):
    with pytest.raises(UnknownName) as error:
        find_questions(text)
    for question in QUESTIONS:
        assert question.key in str(error.value)


@given(st.text(max_size=30))
def test_anything_finds_something_or_is_refused(text):
    try:
        found = find_questions(text)
    except UnknownName:
        return
    assert found
    assert set(found) <= set(QUESTIONS)
