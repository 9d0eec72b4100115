"""Setting: what a profile makes of a metric, and where a tool would fail."""

import re

import pytest

import assay
from assay import Policy, find_profile
from assay.evaluation import OWN, PROFILES, Setting, settings_of
from assay.metrics import parse_metric, parse_metrics


def setting(metric, profile):
    return Setting.of(parse_metric(metric), find_profile(profile))


@pytest.mark.parametrize(
    ("metric", "profile", "as_scored"),
    [
        ("ndcg@10", "sentence-transformers", "ndcg(gain=binary)@10"),
        ("map@10", "sentence-transformers", "map(norm=min)@10"),
        ("rbp", "trec_eval-10", "rbp(p=0.9, gain=query)"),
        ("accuracy", "mteb", "recall@1"),
        ("accuracy", "sentence-transformers", "hit"),
        ("err@5", "ir_measures", "err@5"),
        ("ndcg@10", "ranx", "ndcg@10"),
    ],
)
def test_what_a_tool_means_by_a_name(metric, profile, as_scored):
    assert setting(metric, profile).metric.name == parse_metric(as_scored).name


@pytest.mark.parametrize(
    ("metric", "profile"),
    [("ndcg(gain=linear)@10", "sentence-transformers"), ("map(norm=relevant)@10", "sentence-transformers")],
)
def test_what_was_spelled_out_stays(metric, profile):
    assert setting(metric, profile).metric == parse_metric(metric)


def test_conventions_of_single_metrics():
    assert setting("mrr@10", "ir_measures").policy == Policy(ties="docid_asc")
    assert setting("mrr", "ir_measures").policy == Policy(precision="float32")
    assert setting("mrr", "beir").policy.ties == "input_order"
    assert setting("map", "beir").policy.ties == "docid_desc"
    assert setting("ndcg(gain=exp)@10", "ir_measures").digits == 5
    assert setting("ndcg@10", "ir_measures").digits is None
    assert setting("err@5", "ir_measures").policy == Policy(max_grade=4.0)
    assert setting("err@5", "ir_measures").digits == 5


def test_each_metric_once_by_any_of_its_names():
    found = settings_of(parse_metrics(["recall@1", "accuracy", "map"]), find_profile("mteb"))
    assert [one.metric.name for one in found] == ["recall@1", "map"]
    result = assay.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, ["recall@1", "accuracy"], profile="mteb")
    assert result["accuracy"] == result["recall@1"] == 1.0


def test_without_a_profile_a_metric_is_what_it_is():
    asked = parse_metric("ndcg@10")
    assert Setting.of(asked, OWN) == Setting(asked, asked, Policy())


@pytest.mark.parametrize("profile", PROFILES)
def test_adjusted_conventions_hold_for_all_metrics(profile):
    adjusted = find_profile(profile).adjusted(ties="docid_asc", missing="zero", extra="skip", max_grade=3)
    for metric in ("mrr@10", "mrr", "hit@5", "capped_recall@5", "map", "accuracy", "bpref", "err"):
        policy = Setting.of(parse_metric(metric), adjusted).policy
        assert (policy.ties, policy.missing, policy.extra, policy.max_grade) == ("docid_asc", "zero", "skip", 3)
    assert adjusted.name == profile
    assert find_profile(profile).policy != adjusted.policy


def test_a_profile_by_name_and_as_an_object():
    qrels, run = {"1": {"d1": 1}}, {"1": {"d3": 5.0, "d4": 5.0, "d1": 5.0, "d2": 5.0}}
    assert assay.evaluate(qrels, run, "mrr@10", profile="beir")["mrr@10"] == pytest.approx(1 / 3)
    assert assay.evaluate(qrels, run, "mrr@10", profile=find_profile("ir_measures"))["mrr@10"] == 1.0
    asc = find_profile("beir").adjusted(ties="docid_asc")
    result = assay.evaluate(qrels, run, "mrr@10", profile=asc)
    assert (result["mrr@10"], result.profile) == (1.0, "beir")
    assert assay.evaluate(qrels, run, "mrr@10", profile="trec_eval-9")["mrr@10"] == 0.25


def test_policy_and_profile_together_are_an_error():
    with pytest.raises(assay.BadParameter, match=r"find_profile\(name\)\.adjusted"):
        assay.evaluate({}, {}, "map", policy=Policy(), profile="beir")


def test_an_unknown_profile_is_told_with_its_neighbours():
    with pytest.raises(assay.UnknownName, match=r"no profile is called 'trec_eval'\. Did you mean .*trec_eval-9"):
        assay.evaluate({}, {}, "map", profile="trec_eval")


@pytest.mark.parametrize(
    ("profile", "metric", "grade", "says"),
    [
        ("pytrec_eval", "map", 0.5, "reads grades as whole numbers"),
        ("pytrec_eval", "map", -1, "stops or crashes on a query whose every grade is negative"),
        ("ir_measures", "err", 5, "fails on a grade above 4"),
        ("beir", "unjudged@10", 1, "calls a document a hole"),
    ],
)
def test_where_a_tool_fails_the_profile_refuses_and_names_the_query(profile, metric, grade, says):
    with pytest.raises(assay.DataError, match=rf"profile {profile}: {find_profile(profile).tool} {says}.*: query 7"):
        assay.evaluate({"7": {"a": grade}}, {"7": {"a": 1.0}}, metric, profile=profile)


def test_a_refusal_says_how_to_go_on():
    with pytest.raises(assay.DataError, match=r"This is what the tool does; --missing zero would go on\.") as caught:
        assay.evaluate({"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}}, "map", profile="ranx")
    assert caught.value.field == "missing"
    adjusted = find_profile("ranx").adjusted(missing="zero")
    assert assay.evaluate({"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}}, "map", profile=adjusted)["map"] == 0.5


TWO, ONE = {"1": {"a": 1}, "2": {"a": 0}}, {"1": {"a": 1.0}}


@pytest.mark.parametrize(
    ("profile", "qrels", "run", "metric", "flag"),
    [
        ("ranx", TWO, ONE, "map", "missing"),
        ("ranx", ONE, TWO, "map", "extra"),
        ("beir", {"1": {"a": 0}}, ONE, "capped_recall@5", "no_relevant"),
        ("sentence-transformers", TWO, {"1": {"a": 1.0, "b": 1.0}}, "mrr@10", "ties"),
    ],
)
def test_the_way_out_that_is_told_leads_on(profile, qrels, run, metric, flag):
    with pytest.raises(assay.DataError) as caught:
        assay.evaluate(qrels, run, metric, profile=profile)
    option = re.search(r"--([a-z-]+) ([a-z_]+)", str(caught.value))
    assert option[1].replace("-", "_") == caught.value.field == flag
    adjusted = find_profile(profile).adjusted(**{flag: option[2]})
    assert assay.evaluate(qrels, run, metric, profile=adjusted).summary


@pytest.mark.parametrize(("profile", "metric"), [("mteb", "unjudged@3"), ("ranx", "bpref")])
def test_where_no_flag_would_help_none_is_promised(profile, metric):
    with pytest.raises(assay.DataError) as caught:
        assay.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, metric, profile=profile)
    assert "--" not in str(caught.value)
    assert caught.value.field == ""


def test_a_metric_shown_beside_the_others_is_never_refused():
    judged = parse_metric("judged@10")
    beside = Setting(judged, judged, find_profile("ir_measures").policy, is_beside=True)
    from assay.evaluation import evaluate_settings
    from assay.evaluation.scoring import as_judged

    qrels, run = as_judged({"1": {"a": 1}}, {"1": {}})
    assert evaluate_settings(qrels, run, [beside], find_profile("ir_measures"))["judged@10"] == 0.0
