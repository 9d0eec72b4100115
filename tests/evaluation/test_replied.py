"""Answers that providers report with their hits, scored in an evaluation."""

import json
import math

import pytest

import assay
from assay.evaluation import parse_reported_answers, result_from_dict
from assay.execution import ExecutionOptions, execute_plan, make_plan
from assay.execution.retrieve import wrap_retriever
from assay.views import Answer

DATASET = [
    {"id": "1", "question": "Capital of France?", "expected": "Paris", "relevant_ids": ["d1"]},
    {"id": "2", "question": "Who wrote Faust?", "expected": "Goethe", "relevant_ids": ["d2"]},
    {"id": "3", "question": "Mayor of the Moon?", "answerable": False, "relevant_ids": ["d3"]},
]
SAID = {"Capital of France?": "It is Paris", "Who wrote Faust?": "Schiller", "Mayor of the Moon?": None}
METRICS = ["ndcg@5", "answer_f1", "answer_success@1", "abstention_accuracy", "aurc"]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "golden.json"
    path.write_text(json.dumps(DATASET))
    return path


def talks(query, k=5):
    return {"hits": [{"id": "d1", "score": 1.0}], "answer": SAID[query], "confidence": 0.5}


def mute(query, k=5):
    return ["d1"]


def breaks(query, k=5):
    if "Faust" in query:
        raise ValueError("no")
    return talks(query)


def test_a_provider_that_answers(file):
    result = assay.run(file, talks, METRICS)
    assert [name for name in result if name not in result.beside] == METRICS
    assert result.scores("answer_f1") == pytest.approx({"1": 0.5, "2": 0, "3": 1})
    rows = result.table.by_query()
    assert [rows[query]["answer_success@1"] for query in "123"] == [1, 0, None]
    assert result["abstention_accuracy"] == 1
    assert result["aurc"] == pytest.approx((0.75 + 0.75 + 0.5) / 3)


def test_it_is_the_same_as_scoring_the_answers_alone(file):
    answers = {row["id"]: SAID[row["question"]] for row in DATASET}
    apart = assay.evaluate_answers(answers, file, ["answer_f1", "abstention_accuracy"])
    assert assay.run(file, talks, ["answer_f1"])["answer_f1"] == apart["answer_f1"]


def test_a_provider_that_reports_none_has_no_score_and_it_is_told(file):
    result = assay.run(file, mute, METRICS)
    assert math.isnan(result["answer_f1"])
    assert math.isnan(result["aurc"])
    assert any("mute reported no answer in words" in note for note in result.notes)
    assert result["ndcg@5"] == pytest.approx(1 / 3)


def test_a_query_that_failed_scores_nothing(file):
    result = assay.run(file, breaks, ["answer_f1"], policy=assay.Policy(missing="skip"), retries=0)
    assert result.scores("answer_f1") == pytest.approx({"1": 0.5, "2": 0, "3": 1})
    assert list(result.failures) == ["2"]


def test_a_benchmark_without_answers_is_refused_before_anything_is_asked(tmp_path):
    path = tmp_path / "bare.json"
    path.write_text(json.dumps([{"id": "1", "question": "?", "relevant_ids": ["d"]}]))
    asked = []
    plan = make_plan(
        {"benchmarks": [str(path)], "providers": [wrap_retriever(asked.append)], "metrics": ["answer_f1"]}, "test"
    )
    with pytest.raises(assay.UsageError, match="answer_f1 needs expected answers, and no query of bare has one"):
        execute_plan(plan, ExecutionOptions(home=tmp_path / "home"))
    assert not asked


def carried_out(tmp_path, file, function, **how):
    plan = make_plan(
        {"benchmarks": [str(file)], "providers": [wrap_retriever(function)], "metrics": ["answer_f1"], "retries": 0}, "test"
    )
    return execute_plan(plan, ExecutionOptions(home=tmp_path / "home", **how))


def test_answers_survive_a_resume(tmp_path, file):
    (first,) = carried_out(tmp_path, file, talks)
    (again,) = carried_out(tmp_path, file, talks, resume=True)
    assert again.scores("answer_f1") == first.scores("answer_f1")
    assert again.provenance["counts"]["cached"] == 3


def flawed_and_mended():
    """A system that fails on one query, the same system mended, and the queries that the mended one is asked."""
    asked = []

    def flawed(query, k=5):
        return breaks(query)

    def mended(query, k=5):
        asked.append(query)
        return talks(query)

    flawed.__name__ = mended.__name__ = "system"
    return flawed, mended, asked


def test_only_what_failed_is_answered_again(tmp_path, file):
    flawed, mended, asked = flawed_and_mended()
    (first,) = carried_out(tmp_path, file, flawed)
    assert first.said == {
        "1": {"answer": "It is Paris", "confidence": 0.5},
        "3": {"answer": None, "confidence": 0.5},
    }
    (before,) = (result_from_dict(json.loads(json.dumps(first.to_dict()))),)
    said = []
    (result,) = carried_out(tmp_path, file, mended, before=[before], say=said.append)
    (whole,) = carried_out(tmp_path, file, talks)
    assert (asked, said, result.failures) == (["Who wrote Faust?"], [], {})
    assert result.scores("answer_f1") == pytest.approx({"1": 0.5, "2": 0, "3": 1})
    assert (result.table.summary()["answer_f1"], result.said) == (whole["answer_f1"], whole.said)


def test_all_are_asked_again_where_a_result_does_not_keep_what_was_said(tmp_path, file):
    flawed, mended, asked = flawed_and_mended()
    before = [one.with_fields(said={}) for one in carried_out(tmp_path, file, flawed)]
    said = []
    (result,) = carried_out(tmp_path, file, mended, before=before, say=said.append)
    assert result.scores("answer_f1") == pytest.approx({"1": 0.5, "2": 0, "3": 1})
    assert (len(asked), result.failures) == (3, {})
    told = "golden/system: all queries are asked again, for that result does not keep what was said to them"
    assert said == [told]


def test_what_cannot_be_read_counts_as_none_and_is_told():
    replies, notes = parse_reported_answers(
        {"1": {"answer": "a"}, "2": {"answer": "b", "confidence": "high"}, "3": None, "4": {}}
    )
    assert replies == {"1": Answer("a")}
    assert notes == ["1 answer of no use, taken as none; 2: a confidence is a number, not 'high'."]


def test_why_no_answer_is_of_use_is_told_beside_that_there_is_none(file):
    def lists(query, k=10):
        return {"hits": [], "answer": True}

    notes = assay.run(file, lists, ["answer_f1"]).notes
    assert any("an answer is text, or null where there is none, not True" in note for note in notes)
    assert any("reported no answer in words" in note for note in notes)
