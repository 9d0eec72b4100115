"""The report: what passes, which fault is found, and which conventions are told."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

import assay
from assay.conformance import Answer, all_cases, check_answers, check_function
from assay.evaluation.profiles import find_profile

from ._code import Code

EXAMPLE = Path(__file__).parents[2] / "examples" / "my_metrics.py"


def assay_itself(policy=None):
    """assay as the code under test."""
    return lambda metric, qrels, run: assay.evaluate(qrels, run, metric, policy=policy)[metric]


def conventions(report):
    return {finding.topic: finding.conventions for finding in report.findings}


def test_assay_passes_its_own_kit():
    report = check_function(assay_itself())
    assert report.passed
    assert len(report.agreeing) == len(all_cases())
    assert {finding.in_assay for finding in report.findings} == {""}
    assert {len(finding.conventions) for finding in report.findings} == {1}
    assert report.table().startswith(f"{len(all_cases())} of {len(all_cases())} cases agree.\n")
    assert report.table().endswith("\nThe same numbers in assay: assay score qrels.txt run.txt\n")


@pytest.mark.parametrize(
    ("topic", "policy", "flags"),
    [
        ("ties", {"ties": "docid_asc"}, "--ties docid_asc"),
        ("ties", {"ties": "input_order"}, "--ties input_order"),
        ("ties", {"ties": "reverse_order"}, "--ties reverse_order"),
        ("ties", {"ties": "expected"}, "--ties expected"),
        ("score precision", {"precision": "float32"}, "--precision float32"),
        ("missing queries", {"missing": "skip"}, "--missing skip"),
        ("missing queries", {"missing": "error"}, "--missing error"),
        ("queries without relevant documents", {"no_relevant": "skip"}, "--no-relevant skip"),
        ("queries without judgments", {"extra": "error"}, "--extra error"),
        ("negative grades", {"negatives": "nonrelevant"}, "--negatives nonrelevant"),
        ("duplicates", {"duplicates": "keep_best"}, "--duplicates keep-best"),
    ],
)
def test_a_policy_is_told_by_its_flags(topic, policy, flags):
    report = check_function(assay_itself(assay.Policy(**policy)))
    assert report.passed
    assert {finding.topic: finding.in_assay for finding in report.findings if finding.in_assay} == {topic: flags}
    assert f" → {flags}\n" in report.table()


@pytest.mark.parametrize("profile", ["trec_eval-9", "trec_eval-10", "pytrec_eval", "ranx", "ir_measures", "beir", "mteb"])
def test_a_profile_is_recognised(profile):
    def tool(metric, qrels, run):
        has = find_profile(profile).has
        bound = next(case.bound for case in all_cases() if case.metric == metric)
        return None if has and bound.metric.name not in has else assay.evaluate(qrels, run, metric, profile=profile)[metric]

    report = check_function(tool)
    assert report.passed
    assert profile in report.profiles
    assert f"--profile {profile} (" in report.table()


def test_plain_code_that_is_right_passes():
    report = check_function(Code())
    assert report.passed, report
    assert {verdict.case.bound.metric.name for verdict in report.skipped} == {"bpref", "err", "rbp"}
    assert conventions(report)["duplicates"] == ("counted once",)


@pytest.mark.parametrize(
    ("decision", "topic", "words"),
    [
        ({"ties": "asc"}, "ties", "by ascending id"),
        ({"ties": "input"}, "ties", "in the order given"),
        ({"ties": "reversed"}, "ties", "in the reverse"),
        ({"gain": "exp"}, "gain", "2^grade − 1"),
        ({"gain": "binary"}, "gain", "1 for every relevant document"),
        ({"discount": "jk2002"}, "discount", "log2(rank) from rank 2 on"),
        ({"discount": "jk2002", "gain": "exp"}, "gain", "2^grade − 1"),
        ({"map_over": "min"}, "map", "÷ min(k"),
    ],
)
def test_another_convention_is_told_and_is_not_wrong(decision, topic, words):
    report = check_function(Code(**decision))
    assert report.passed, report
    (told,) = conventions(report)[topic]
    assert told.startswith(words)


@pytest.mark.parametrize(
    ("mistake", "case", "words"),
    [
        ({"ideal": "retrieved"}, "ideal-unretrieved", "Ideal over the retrieved documents only"),
        ({"ideal": "retrieved", "gain": "exp"}, "gain-graded", "Ideal over the retrieved documents only"),
        ({"ideal": "uncut"}, "ideal-cut", "IDCG not cut at k"),
        ({"ideal": "uncut"}, "ideal-perfect", "IDCG not cut at k"),
        ({"recall_is_hit": True}, "recall-more-than-k", "Recall that is Hit"),
        ({"precision_over": "retrieved"}, "precision-short-ranking", "Precision over the returned length"),
        ({"precision_over": "retrieved"}, "f1-short-ranking", "Precision over the returned length"),
        ({"map_over": "found"}, "map-more-than-k", "Divided by the relevant documents found"),
        ({"counts_duplicates": True}, "duplicate-recall", "Duplicates counted"),
        ({"counts_duplicates": True}, "duplicate-ndcg", "Duplicates counted"),
        ({"is_sorted": False}, "unsorted-run", "The order of the dictionary is trusted"),
        ({"judged_is_relevant": True}, "grade-0", "Every judged document counts as relevant"),
        ({"judged_is_relevant": True}, "level-precision", "Every judged document counts as relevant"),
        ({"negative_gains": True}, "negative-grade-ndcg", "A negative grade takes gain away"),
        ({"negative_gains": True, "gain": "exp"}, "negative-grade-ndcg", "2^grade − 1 of a negative grade"),
    ],
)
def test_a_known_fault_is_found_and_named(mistake, case, words):
    report = check_function(Code(**mistake))
    assert not report.passed
    found = {verdict.case.name: verdict for verdict in report.wrong}
    assert found[case].kind == "fault"
    assert found[case].says.startswith(words)
    assert words in report.table()


def test_ids_compared_as_numbers():
    report = check_function(Code(ties="numeric"), all_cases(topics=["ids"]))
    assert conventions(report)["ids"] == ("compared as numbers",)


def test_ranks_from_zero():
    report = check_function(Code(first_rank=0), all_cases(["mrr"]))
    assert {verdict.kind for verdict in report.wrong} == {"fault", "failed"}
    assert "Ranks counted from 0" in {verdict.says for verdict in report.wrong}


def test_two_rules_in_one_topic_are_told():
    def mixes(metric, qrels, run):
        return Code(ties="input" if metric.startswith("mrr") else "desc")(metric, qrels, run)

    report = check_function(mixes)
    assert report.passed
    (finding,) = [finding for finding in report.findings if finding.is_mixed]
    assert finding.topic == "ties"
    assert "mixed: in the order given (BEIR's mrr) in ties-mrr, ties-numeric-ids; by descending id" in report.table()


def test_conventions_that_the_answers_do_not_tell_apart():
    cases = all_cases(topics=["map"])
    report = check_answers(cases, {"map-fewer-than-k": Answer(1 / 4)})
    assert "÷ all relevant documents (trec_eval) or ÷ min(k" in report.table()
    assert "do not tell" in report.table()


def test_a_metric_that_is_wrong_anyway_shows_no_convention():
    report = check_function(Code(recall_is_hit=True))
    assert conventions(report)["ties"] == ("by descending id (trec_eval)",)
    assert "recall" not in conventions(report)


def test_answers_by_hand():
    cases = all_cases(["map"], ["plain", "map"])
    report = check_answers(cases, {"map": Answer(1 / 3), "map-more-than-k": Answer(0.9)})
    assert [verdict.kind for verdict in report.verdicts] == ["agrees", "unknown", "skipped"]
    assert not report.passed


def test_the_report_as_data():
    answers = {"map": Answer(float("nan")), "hit": Answer(1), "err": Answer(error="no"), "mrr": Answer([1])}
    data = check_answers(all_cases(["map", "hit", "err", "mrr"], ["plain", "err"]), answers).to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["schema"] == "assay.conformance/1"
    assert (data["passed"], data["counts"]) == (False, {"agree": 1, "wrong": 3, "skipped": 0})
    assert {case["id"]: case["value"] for case in data["cases"]} == {"map": "nan", "hit": 1.0, "err": None, "mrr": "[1]"}


def test_errors_are_no_refusals_where_everything_fails():
    answers = {case.name: Answer(error="KeyError: 'q1'") for case in all_cases()}
    report = check_answers(all_cases(), answers)
    assert (len(report.agreeing), len(report.wrong)) == (0, len(all_cases()))
    assert report.findings == []
    assert check_answers(all_cases(topics=["duplicates"]), answers).passed


def test_the_example_is_right_and_breaks_ties_by_input_order():
    example = importlib.util.spec_from_file_location("example_of_metrics", EXAMPLE)
    module = importlib.util.module_from_spec(example)
    example.loader.exec_module(module)
    report = check_function(module.score)
    assert report.passed
    assert {finding.topic: finding.in_assay for finding in report.findings if finding.in_assay} == {
        "ties": "--ties input_order"
    }
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) < 60
