"""Which profiles give the same numbers."""

from __future__ import annotations

from assay.conformance import Answer, all_cases, check_answers
from assay.conformance.report import matching_profiles


def verdicts(answers, **cases):
    return check_answers(all_cases(**cases), answers).agreeing


def test_a_rule_for_ties_tells_tools_apart():
    found = matching_profiles(verdicts({"ties-mrr": Answer(1.0)}, topics=["ties"]), 1e-6, at_least=1)
    assert found == {"ir_measures": 1}
    assert "trec_eval-9" in matching_profiles(verdicts({"ties-mrr": Answer(0.25)}, topics=["ties"]), 1e-6, at_least=1)


def test_to_refuse_is_an_answer_where_it_is_a_convention():
    refused = verdicts({"missing-query": Answer(error="no")}, topics=["missing queries"])
    assert set(matching_profiles(refused, 1e-6, at_least=1)) == {"trec_eval-10", "ranx"}
    scored = verdicts({"missing-query": Answer(0.5)}, topics=["missing queries"])
    assert not {"trec_eval-10", "ranx", "ir_measures"} & matching_profiles(scored, 1e-6, at_least=1).keys()


def test_a_metric_that_a_tool_lacks_says_nothing_about_it():
    assert "ranx" not in matching_profiles(verdicts({"err": Answer(0.150390625)}, topics=["err"]), 1e-6, at_least=1)


def test_profiles_say_nothing_about_duplicates():
    assert matching_profiles(verdicts({"duplicate-recall": Answer(1.0)}, topics=["duplicates"]), 1e-6, at_least=1) == {}


def test_a_few_cases_do_not_tell_tools_apart():
    assert matching_profiles(verdicts({"ties-mrr": Answer(0.25)}, topics=["ties"]), 1e-6) == {}


def test_without_answers_there_is_no_match():
    assert matching_profiles([], 1e-6, at_least=1) == {}
