"""Which metric when: every metric answers a question, and what the questions name exists."""

import pytest

from assay.metrics.parsing import parse_metrics
from assay.metrics.questions import QUESTIONS, questions_of
from assay.metrics.registry import all_metrics

ADVICE = (
    "add it to the question it answers in src/assay/metrics/questions.py (or a question of its own, with an example in "
    "docs/metrics/which-metric-when.md), then run make docs"
)


@pytest.mark.parametrize(
    "name", [name for name, one in all_metrics().items() if one.function.__module__.startswith("assay.")]
)
def test_every_metric_answers_a_question(name):
    assert questions_of(name), f"{name} answers no question: {ADVICE}"


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.key)
def test_every_metric_of_a_question_exists_and_stands_there_once(question):
    assert set(question.metrics) <= set(all_metrics())
    assert len(set(question.metrics)) == len(question.metrics)
    assert [metric.name for metric in question.records()] == list(question.metrics)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.key)
def test_what_to_begin_with_can_be_written(question):
    named = {metric.metric.name for metric in parse_metrics(question.start)}
    assert named & set(question.metrics)


def test_keys_and_questions_differ():
    assert len({question.key for question in QUESTIONS}) == len({question.asks for question in QUESTIONS}) == len(QUESTIONS)
    assert all(question.asks.endswith("?") and question.advice.endswith(".") for question in QUESTIONS)
