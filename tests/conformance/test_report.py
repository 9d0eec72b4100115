"""The report: what passes, which fault is found, and which conventions are told."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest

import assay
from assay.conformance import Answer, all_cases, check_answers, check_function, render_report
from assay.text import display_width

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


POLICIES = [
    *((("ties", tie), f"--ties {tie}") for tie in ("docid_asc", "input_order", "reverse_order", "expected")),
    *((("missing", choice), f"--missing {choice}") for choice in ("skip", "error")),
    (("precision", "float32"), "--precision float32"),
    (("no_relevant", "skip"), "--no-relevant skip"),
    (("extra", "error"), "--extra error"),
    (("negatives", "nonrelevant"), "--negatives nonrelevant"),
    (("duplicates", "keep_best"), "--duplicates keep-best"),
]
CONVENTIONS = [
    ({"ties": "asc"}, "ties", "by ascending id"),
    ({"ties": "input"}, "ties", "in the given order"),
    ({"ties": "reversed"}, "ties", "in the reverse"),
    ({"gain": "exp"}, "gain", "2^grade − 1"),
    ({"gain": "binary"}, "gain", "1 for every relevant document"),
    ({"discount": "jk2002"}, "discount", "log2(rank) from rank 2 "),
    ({"discount": "jk2002", "gain": "exp"}, "gain", "2^grade − 1"),
    ({"map_over": "min"}, "map", "÷ min(k"),
]
MISTAKES = [
    ({"ideal": "retrieved"}, "ideal-unretrieved", "Ideal computed from the retrieved documents only"),
    ({"ideal": "retrieved", "gain": "exp"}, "gain-graded", "Ideal computed from the retrieved documents only"),
    ({"ideal": "uncut"}, "ideal-cut", "IDCG is not cut at k"),
    ({"ideal": "uncut"}, "ideal-perfect", "IDCG is not cut at k"),
    ({"recall_is_hit": True}, "recall-more-than-k", "Recall that is Hit"),
    ({"precision_over": "retrieved"}, "precision-short-ranking", "Precision divided by the number of returned documents"),
    ({"precision_over": "retrieved"}, "f1-short-ranking", "Precision divided by the number of returned documents"),
    ({"map_over": "found"}, "map-more-than-k", "Divided by the relevant documents found"),
    ({"counts_duplicates": True}, "duplicate-recall", "Duplicates are counted"),
    ({"counts_duplicates": True}, "duplicate-ndcg", "Duplicates are counted"),
    ({"is_sorted": False}, "unsorted-run", "The order of the dictionary is used"),
    ({"judged_is_relevant": True}, "grade-0", "Every judged document counts as relevant"),
    ({"judged_is_relevant": True}, "level-precision", "Every judged document counts as relevant"),
    ({"negative_gains": True}, "negative-grade-ndcg", "A negative grade has a negative gain"),
    ({"negative_gains": True, "gain": "exp"}, "negative-grade-ndcg", "2^grade − 1 of a negative grade"),
]


def test_a_policy_is_told_by_its_flags():
    for (field, choice), flags in POLICIES:
        report = check_function(assay_itself(assay.Policy(**{field: choice})))
        assert report.passed, flags
        assert [finding.in_assay for finding in report.findings if finding.in_assay] == [flags]


def profile_is_recognised(profile):
    def tool(metric, qrels, run):
        try:
            return assay.evaluate(qrels, run, metric, profile=profile)[metric]
        except assay.UsageError:  # it has no such metric
            return None

    report = check_function(tool)
    return report.passed and profile in report.profiles


def test_a_profile_is_recognised():
    assert profile_is_recognised("pytrec_eval")


@pytest.mark.slow
def test_every_profile_is_recognised():
    for profile in ("trec_eval-9", "trec_eval-10", "ranx", "ir_measures", "beir", "mteb"):
        assert profile_is_recognised(profile), profile


def test_answers_of_one_topic_tell_profiles_apart():
    def profiles(name, answer, topic):
        twice = dict.fromkeys((case.name for case in all_cases(topics=[topic]) if case.name.startswith(name)), answer)
        return check_answers(all_cases(topics=[topic]), twice).profiles

    assert profiles("ties-mrr", Answer(0.25), "ties") == {}, "a few cases do not tell tools apart"
    assert profiles("duplicate-recall", Answer(1.0), "duplicates") == {}


def test_plain_code_that_is_right_passes():
    report = check_function(Code())
    assert report.passed, report
    assert report.diagnosis is None
    assert {verdict.case.bound.metric.name for verdict in report.skipped} == {"bpref", "err", "rbp"}
    assert conventions(report)["duplicates"] == ("counted once",)


def test_another_convention_is_told_and_is_not_wrong():
    for decision, topic, words in CONVENTIONS:
        report = check_function(Code(**decision))
        assert report.passed, report
        (convention,) = conventions(report)[topic]
        assert convention.startswith(words)


def test_a_known_fault_is_found_and_named():
    for mistake, case, words in MISTAKES:
        report = check_function(Code(**mistake))
        assert not report.passed
        found = {verdict.case.name: verdict for verdict in report.wrong}
        assert found[case].kind == "fault", mistake
        assert found[case].says.startswith(words), mistake


def test_ids_compared_as_numbers_and_ranks_from_zero():
    report = check_function(Code(ties="numeric"), all_cases(topics=["ids"]))
    assert conventions(report)["ids"] == ("compared as numbers",)
    report = check_function(Code(first_rank=0), all_cases(["mrr"]))
    assert {verdict.kind for verdict in report.wrong} == {"fault", "failed"}
    assert "Ranks counted from 0" in {verdict.says for verdict in report.wrong}


def test_a_metric_that_is_wrong_anyway_shows_no_convention():
    report = check_function(Code(recall_is_hit=True))
    assert conventions(report)["ties"] == ("by descending id (trec_eval)",)
    assert "recall" not in conventions(report)


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


# Diagnosis: one thing that explains many wrong answers
def scaled(change, code=None):
    """Code whose every number is changed."""

    def score(metric, qrels, run):
        value = (code or Code())(metric, qrels, run)
        return None if value is None else change(value)

    return score


def answers_of(**values):
    return {name: value if isinstance(value, Answer) else Answer(value) for name, value in values.items()}


def failing(*errors):
    answers = dict(zip(("mrr", "map"), (Answer(error=error) for error in errors), strict=True))
    return check_answers(all_cases(topics=["plain"]), answers)


def test_numbers_that_are_all_changed_alike():
    changes = [lambda value: 100 * value, lambda value: round(value, 3), lambda value: round(100 * value, 1)]
    for change in changes:
        report = check_function(scaled(change))
        assert not report.passed
        assert report.diagnosis.explains == {verdict.case.name for verdict in report.wrong}
        assert report.to_dict()["diagnosis"] == report.diagnosis.says
    for digits in (2, 5):
        code = scaled(lambda value, digits=digits: round(value, digits))
        says = check_function(code).diagnosis.says
        assert check_function(code, tolerance=float(says.split("--tolerance ")[1].split()[0])).passed, digits
    partly = check_function(scaled(lambda value: round(value, 4), Code(recall_is_hit=True)))
    assert "recall-more-than-k" not in partly.diagnosis.explains


def test_other_mistakes_have_no_common_cause():
    for code in (Code(recall_is_hit=True), lambda *_: 1.0):
        report = check_function(code)
        assert (report.passed, report.diagnosis, report.to_dict()["diagnosis"]) == (False, None, "")
    assert check_answers(all_cases(["map"]), answers_of(map=33.3333333)).diagnosis is None
    assert check_answers(all_cases(["map"]), answers_of(map=Answer(error="KeyError: 1"))).diagnosis is None
    mixed = answers_of(map=33.3333333, mrr=50.0, recall=2 / 3)
    assert check_answers(all_cases(topics=["plain"]), mixed).diagnosis is None, "some shares among percentages"
    assert failing("KeyError: 'a'", "ValueError: b").diagnosis is None


# In words
def report_on(answers, **cases):
    return check_answers(all_cases(**cases), answers)


WRONG = report_on({"map": Answer(0.5), "map-more-than-k": Answer(1 / 3)}, metrics=["map"], topics=["plain", "map"])


def mixes(metric, qrels, run):
    return Code(ties="input" if metric.startswith("mrr") else "desc")(metric, qrels, run)


def test_reports_in_words(snapshots):
    percentages = answers_of(map=33.3333333, mrr=50.0, hit=0.3, recall=200 / 3)
    three = {"gain-at-1": Answer(3 / 7), "missing-query": Answer(0.25), "empty-ranking": Answer(0.25)}
    argument = "TypeError: score() missing 1 required positional argument: 'k'."
    twice = Code(gain="exp", discount="jk2002", map_over="min")
    reports = {
        "all right": check_function(assay_itself()),
        "one wrong": WRONG,
        "one answer": report_on(answers_of(map=1 / 3), metrics=["map"], topics=["plain", "map"]),
        "two answers": report_on({"duplicate-precision": Answer(1)}, topics=["duplicates"]),
        "mixed": check_function(mixes, all_cases(topics=["ties"])),
        "not told apart": report_on({"map-fewer-than-k": Answer(1 / 4)}, topics=["map"]),
        "not in assay": report_on({"bpref": Answer(2 / 3)}, topics=["bpref"]),
        "spelled otherwise": report_on(three),
        "spelled in two ways": check_function(twice, all_cases(["ndcg", "map"])),
        "a profile": check_function(assay_itself(assay.Policy(ties="docid_asc"))),
        "percentages": report_on(percentages, topics=["plain"]),
        "rounded": check_function(scaled(lambda value: round(value, 3))),
        "rounded percentages": check_function(scaled(lambda value: round(100 * value, 1))),
        "rounded, and wrong": check_function(scaled(lambda value: round(value, 4), Code(recall_is_hit=True))),
        "failing": failing("KeyError: 'a'", "KeyError: 'b'"),
        "failing without a reason": failing("no reason given", "no reason given"),
        "another signature": failing(argument, argument),
    }
    text = "".join(f"## {name}\n{report.table()}\n" for name, report in reports.items())
    snapshots.check("conformance/reports", text)


def test_lines_fit_the_terminal_and_colour_only_repeats_what_words_say():
    answers = {case.name: Answer(0.123) for case in all_cases()}
    for width in (40, 100):
        lines = render_report(check_answers(all_cases(), answers), width).splitlines()
        assert max(map(display_width, lines)) <= max(width, 42)
    coloured = render_report(WRONG, colour=True)
    assert coloured.startswith("\x1b[1;31m")
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == render_report(WRONG) == str(WRONG) == WRONG.table()
    text = render_report(report_on({"map": Answer(error="\x1b[31m\nred " + "x" * 1000)}, metrics=["map"]))
    assert "\x1b" not in text, "what code says cannot do harm"
    assert max(map(len, text.splitlines())) < 300
