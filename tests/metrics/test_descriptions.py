"""Metrics described in words, and the questions that they answer."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import UnknownName
from assay.metrics import (
    all_metrics,
    describe,
    describe_all,
    describe_question,
    explain,
    find_questions,
    parse_metrics,
    read_as,
    written,
)

METRICS = all_metrics()
NAMES = {"precision": "precision@k", "ndcg": "ndcg[@k]", "iprec": "iprec@recall", "f": "f1@k", "bpref": "bpref"}
RANGES = {"map": "0 … 1", "dcg": "0 … ∞", "utility": "−∞ … ∞", "relstring": "text"}


def test_names_ranges_and_defaults():
    assert {name: written(METRICS[name]) for name in NAMES} == NAMES
    assert {name: describe(METRICS[name])["range"] for name in RANGES} == RANGES
    defaults = {param["name"]: param["default"] for param in describe(METRICS["bpm"])["parameters"]}
    assert defaults == {"k": "required", "t": "1", "min_grade": "0", "max_grade": "none"}
    rows = describe_all()
    assert len(rows) == len(METRICS)
    assert {"name": "mrr[@k]", "parameters": "rel, judged_only", "range": "0 … 1", "meaning": METRICS["mrr"].meaning} in rows


def test_a_description_is_plain_and_complete():
    for metric in METRICS.values():
        facts, text = describe(metric), explain(metric)
        assert json.loads(json.dumps(facts)) == facts
        assert [param["name"] for param in facts["parameters"]] == [param.name for param in metric.params]
        told = (metric.meaning, metric.formula, metric.edge_cases, metric.cite, *metric.spellings)
        assert all(fact in text for fact in (*told, *(param.meaning for param in metric.params))), metric.name


def test_explanations(snapshots):
    for name in ("ndcg", "unjudged", "q_measure"):
        snapshots.check(f"metrics/explain_{name}", explain(METRICS[name]))


# ---- questions


@pytest.fixture(scope="module")
def questions():
    with pytest.raises(UnknownName) as error:
        find_questions("xyzzy")
    keys = re.findall(r"[a-z-]+", str(error.value).partition("choose from ")[2].partition(";")[0])
    return {key: find_questions(key)[0] for key in keys}


def test_every_metric_answers_a_question(questions):
    """Else add it to a question of src/assay/metrics/questions.py, with an example in docs/metrics/which-metric-when.md."""
    ours = {name for name, one in METRICS.items() if one.function.__module__.startswith("assay.")}
    assert ours <= {name for question in questions.values() for name in question.metrics} <= set(METRICS)
    for question in questions.values():
        assert len(set(question.metrics)) == len(question.metrics)
        assert [metric.name for metric in question.records()] == list(question.metrics)
        assert {metric.metric.name for metric in parse_metrics(question.start)} & set(question.metrics), question.key
        assert question.asks.endswith("?")
        assert question.advice.endswith(".")
        assert json.loads(json.dumps(describe_question(question))) == describe_question(question)
    assert len({question.asks for question in questions.values()}) == len(questions)


def test_a_question_is_found_by_its_key_and_by_what_it_asks(questions):
    for question in questions.values():
        for text in (question.key, question.asks, question.key.upper(), f"  {question.asks.lower()} "):
            assert find_questions(text) == [question]


BY_WORDS = """known item = single-answer; find everything = everything; is the order any good = order; rerank = reranker
    incomplete judgments = judgments; chunkers = spans; HPO = nearly-right; MoE = routing; slow = speed; nDCG@10 = order
    jugdments = judgments; ontolgy = nearly-right; singel anwser = single-answer; how sure = abstention
    false positives = noise; code search = spans; hallucination = judged-answers; refuse = abstention"""
READ_AS = {"Singel, anwser?": "single, answer?", "is the ordr any good": "is the order any good", "xyzzy": "xyzzy", "": ""}


def test_words():
    for text, key in (pair.split(" = ") for pair in re.split(r"; |\n *", BY_WORDS)):
        assert find_questions(text)[0].key == key, text
    assert {text: read_as(text) for text in READ_AS} == READ_AS
    assert [question.key for question in find_questions("answer")] == ["single-answer", "answers", "judged-answers"]


def test_words_that_say_nothing(questions):
    for text in ("", "the", "?!", "politeness", "sarcasm"):
        with pytest.raises(UnknownName) as error:
            find_questions(text)
        assert all(key in str(error.value) for key in questions), text


@given(st.text("aeinrst -?ß", max_size=30))
def test_any_text_finds_something_or_is_refused(text):
    assert read_as(read_as(text)) == read_as(text)
    try:
        found = find_questions(text)
    except UnknownName:
        return
    assert found
