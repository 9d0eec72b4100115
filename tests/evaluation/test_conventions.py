"""Conventions: every single decision, its words, and how it is asked for."""

import pytest

import assay
from assay import Policy
from assay.evaluation import OWN, PROFILES, Setting, flag_of
from assay.evaluation.conventions import VALUES_TRIED, all_conventions, differences, flags_of, of_metric, of_policy
from assay.grammar import REQUIRED
from assay.metrics import all_metrics, parse_metric
from assay.model.policy import CHOICES

QRELS = assay.Qrels({"q": {"a": 0, "b": 1, "c": 2, "d": 3.5, "e": -1}})


def setting(metric, **policy):
    bound = parse_metric(metric)
    return Setting(bound, bound, Policy(**policy))


def tried(metric, **policy):
    return {one.flags or one.metric.name for one in all_conventions(setting(metric, **policy), QRELS)}


@pytest.mark.parametrize(
    ("name", "value", "flag"),
    [
        ("ties", "docid_asc", "--ties docid_asc"),
        ("judged_only", True, "--judged-only"),
        ("drop_self", True, "--drop-self"),
        ("rel", 2.0, "--rel 2"),
        ("rel", 0.123456789, "--rel 0.123456789"),
        ("no_relevant", "skip", "--no-relevant skip"),
        ("rel", None, "without --rel"),
        ("judged_only", False, "without --judged-only"),
    ],
)
def test_a_decision_as_a_flag(name, value, flag):
    assert flag_of(name, value) == of_policy(name, value).flags == flag


def test_the_flags_of_a_policy():
    assert flags_of(Policy()) == []
    policy = Policy(ties="expected", missing="skip", rel=1.5, judged_only=True, duplicates="keep_best")
    assert flags_of(policy) == ["--ties expected", "--missing skip", "--rel 1.5", "--judged-only", "--duplicates keep_best"]


def test_every_word_of_every_choice_is_explained():
    for name, choices in CHOICES.items():
        words = [of_policy(name, choice).words for choice in choices]
        assert len(set(words)) == len(choices)
        assert not any(name in choices for name in words)
    assert of_policy("rel", 2.0).words == "grades from 2 on are relevant"
    assert of_policy("max_grade", 3.0).words == "the top grade is 3"


def test_all_that_is_tried_of_a_binary_metric():
    assert tried("map@10") == {
        *(
            "--ties docid_asc",
            "--ties input_order",
            "--ties reverse_order",
            "--ties ranx",
            "--ties expected",
            "--precision float32",
        ),
        *("--missing skip", "--no-relevant skip", "--judged-only", "--drop-self", "--negatives nonrelevant"),
        *("--rel 2", "--rel 3.5", "map(norm=min)@10", "map"),
    } | {name for name in tried("map@10") if parse_metric_name(name) in all_metrics()["map"].mistaken_for}


def parse_metric_name(name):
    return "" if name.startswith("-") else parse_metric(name).metric.name


def test_a_metric_of_gains_has_levels_of_its_own():
    names = tried("ndcg@10")
    assert {"ndcg(rel=2)@10", "ndcg(rel=3.5)@10", "ndcg(gain=exp)@10", "ndcg(gain=binary)@10", "ndcg"} <= names
    assert {"ndcg(ideal=retrieved)@10", "ndcg(ideal=uncut)@10", "ndcg(discount=jk2002)@10", "dcg@10"} <= names


def test_what_is_already_so_is_not_tried():
    names = tried("mrr", ties="docid_asc", missing="skip", rel=2.0, judged_only=True)
    assert "--ties docid_desc" in names
    assert not names & {"--ties docid_asc", "--missing skip", "--rel 2", "--judged-only"}
    assert {"--missing zero", "without --rel", "without --judged-only"} <= names


def spelled(metric):
    """The metric, without a cutoff where it can be."""
    needs_cutoff = any(param.name == "k" and param.default is REQUIRED for param in all_metrics()[metric].params)
    return f"{metric}@5" if needs_cutoff else metric


@pytest.mark.parametrize("metric", sorted(all_metrics()))
def test_everything_tried_of_any_metric_can_be_spelled(metric):
    """Names read back to the same metric; words are there."""
    asked = parse_metric({"iprec": "iprec@0.5", "rprec_mult": "rprec_mult@0.5"}.get(metric) or spelled(metric))
    for one in all_conventions(Setting.of(asked, OWN), QRELS):
        assert one.words
        assert bool(one.policy) != bool(one.metric)
        if one.metric:
            assert parse_metric(one.metric.name) == one.metric
            assert one.metric != asked


def test_the_differences_of_two_settings_are_all_of_them():
    base = setting("ndcg@10")
    for profile in PROFILES.values():
        theirs = Setting.of(base.metric, profile)
        changed = base
        for one in differences(theirs, base):
            changed = one.applied(changed)
        assert (changed.policy, changed.metric) == (theirs.policy, theirs.metric)
    assert differences(base, base) == []


def test_forms_in_words():
    base = parse_metric("ndcg@10")
    for name, words in {
        "ndcg(gain=exp)@10": "a grade is worth 2^grade − 1",
        "ndcg": "no cutoff: ndcg",
        "ndcg@5": "another cutoff: ndcg@5",
        "dcg@10": "dcg@10 under the name of ndcg@10",
        "ndcg(rel=2)@10": "grades below 2 gain nothing",
        "ndcg(gain=binary, rel=2)@10": "every relevant document is worth 1; grades below 2 gain nothing",
        "ndcg(ideal=uncut)@10": "a known fault: the ideal ranking is not cut at k",
    }.items():
        assert of_metric(parse_metric(name), base).words == words


def test_what_is_tried_are_words_of_the_policy():
    for name, values in VALUES_TRIED.items():
        for value in values:
            Policy(**{name: value})
