"""Profiles as records: every name they use is a real one, and what is set by hand wins over what a tool does."""

from dataclasses import fields, replace

import numpy as np
import pytest

from assay import BadParameter, Policy, Qrels, Run, UnknownName
from assay.evaluation import OWN, PROFILES, Setting, find_profile
from assay.metrics import all_metrics, parse_metric
from assay.views import grade

from .test_policy import CHOICES

each = pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
FIELDS = {field.name for field in fields(Policy)}
EIGHT = "trec_eval-9 trec_eval-10 pytrec_eval ranx ir_measures beir mteb sentence-transformers"
HAVE = {
    "mrr": "trec_eval-9 trec_eval-10 pytrec_eval ranx ir_measures",
    "mrr@10": "ranx ir_measures beir mteb sentence-transformers",
    "ndcg@10": EIGHT,
    "ndcg(gain=exp)@10": "ranx ir_measures",
    "ndcg(gain=linear)@10": "trec_eval-9 trec_eval-10 pytrec_eval ranx ir_measures beir mteb",
    "ndcg(gain=binary)@10": "sentence-transformers",
    "ndcg(gain={1: 2, 2: 5})": "trec_eval-9 trec_eval-10 ir_measures",
    "ndcg(rel=2)@10": "ranx",
    "map(rel=2)@10": "trec_eval-9 trec_eval-10 pytrec_eval ranx ir_measures",
    "map(judged_only=true)": "trec_eval-9 trec_eval-10 pytrec_eval ir_measures",
    "map(norm=min)@10": "sentence-transformers",
    "rbp": "trec_eval-10 ranx ir_measures",
    "rbp(p=0.5)": "trec_eval-10 ranx ir_measures",
    "alpha_ndcg(alpha=0.3, rel=2)@10": "ir_measures",
    "nrbp(beta=0.8)": "ir_measures",
    "err_ia(alpha=0.3)@10": "",
    "err(max_grade=3)@10": "",
    "accuracy@5": "ir_measures beir mteb sentence-transformers",
    "q_measure": "",
}
"""Metric → the tools that have it."""


def test_what_a_tool_has():
    assert list(PROFILES) == EIGHT.split()
    for metric, tools in HAVE.items():
        asked = parse_metric(metric)
        has = [name for name, profile in PROFILES.items() if not profile.lacks(Setting.of(asked, profile).metric)]
        assert has == tools.split(), metric
        assert not OWN.lacks(asked)


@each
def test_every_name_it_uses_is_a_real_one(profile):
    assert find_profile(profile.name) is PROFILES[profile.name] is profile
    assert profile.tool.casefold().startswith(profile.name.split("-")[0].casefold())
    assert not profile.is_own
    named = {name for one in (*profile.variants, *profile.refusals) for name in one.metrics} - {"*"}
    assert named | profile.has.keys() | {variant.instead for variant in profile.variants} - {""} <= all_metrics().keys()
    for name, takes in profile.has.items():
        params = {param.name: param for param in all_metrics()[name].params}
        for one in takes:
            param, _, value = one.rstrip("!").partition("=")
            assert value in ("", "{}", *params[param].choices)
    assert profile.option.settings.keys() <= FIELDS


@each
def test_every_variant_does_something_that_can_be(profile):
    for variant in profile.variants:
        assert variant.params or variant.policy or variant.instead
        assert any(getattr(profile.policy, name) != value for name, value in variant.policy.items()) or not variant.policy
        assert isinstance(profile.adjusted(**variant.policy).policy, Policy)
        for name in variant.metrics:
            target = all_metrics()[variant.instead or name]
            needed = {"k": 5, "recall": 0.5} if target.at and target.at.name not in variant.params else {}
            bound = target.bind(**{key: needed[key] for key in needed if key == target.at.name}, **variant.params)
            assert parse_metric(bound.name) == bound  # so every value is one that the metric takes
    for refusal in profile.refusals:  # each completes the name of the tool
        assert refusal.says[0].islower()
        assert refusal.says[-1] != "."


@each
def test_what_is_set_by_hand_wins_over_the_tool_and_leaves_the_rest_alone(profile):
    before = profile.policy, profile.variants
    for name, choices in CHOICES.items():
        for choice in choices:
            adjusted = profile.adjusted(**{name: choice})
            assert getattr(adjusted.policy, name) == choice
            assert not any(name in variant.policy for variant in adjusted.variants)
            without_policy = [[replace(one, policy={}) for one in some.variants] for some in (adjusted, profile)]
            assert without_policy[0] == without_policy[1]
    adjusted = profile.adjusted(rel=2)
    assert adjusted.policy.to_dict() == profile.policy.to_dict() | {"rel": 2}
    assert (adjusted.variants, adjusted.refusals, adjusted.has) == (profile.variants, profile.refusals, profile.has)
    assert (profile.policy, profile.variants) == before
    assert profile.adjusted() == profile


def test_a_variant_may_depend_on_the_parameters():
    profile = find_profile("ir_measures")
    assert profile.variant("mrr", {"k": None}) is None
    assert profile.variant("mrr", {"k": 10}).policy["ties"] == "docid_asc"
    assert profile.variant("ndcg", {"k": 10, "gain": "linear"}) is None
    assert profile.variant("ndcg", {"k": 10, "gain": "exp"}).digits == 5
    assert profile.variant("no_such_metric", {}) is None


def test_an_unknown_name_suggests_and_lists(snapshots):
    near = {"bier": "beir", "trec_eval": "trec_eval-9", "RANX": "ranx", "sentence_transformers": "sentence-transformers"}
    for name, meant in near.items():
        with pytest.raises(UnknownName) as caught:
            find_profile(name)
        assert meant in caught.value.near
    with pytest.raises(BadParameter, match="ties"):
        find_profile("beir").adjusted(ties="by_luck")
    snapshots.check_errors("model/profiles", {"bier": lambda: find_profile("bier")})


def test_our_own_conventions_are_the_policy_alone():
    assert (OWN.is_own, OWN.policy, len(OWN.variants), len(OWN.refusals)) == (True, Policy(), 0, 0)


def found(profile, says, qrels, run):
    """Queries that a refusal of a profile finds in judgments and a run."""
    (refusal,) = (one for one in find_profile(profile).refusals if says in one.says)
    view = grade(Run(run), Qrels(qrels), Policy()).run
    mask = refusal.finds(view)
    assert mask.dtype == np.bool_
    return [query for query, is_found in zip(view.query_ids, mask.tolist(), strict=True) if is_found]


def test_which_queries_refusals_find():
    fractions = {"1": {"a": 1, "b": 0.5}, "2": {"a": 2.0}, "3": {"a": -1.5, "b": 0}, "4": {}}
    negative = {"1": {"a": -1, "b": -2}, "2": {"a": -1, "b": 0}, "3": {}, "4": {"a": 1}}
    for profile in EIGHT.split()[:-1]:
        assert found(profile, "whole numbers", fractions, {}) == ["1", "3"], profile
        if profile != "ranx":
            assert found(profile, "every grade is negative", negative, {}) == ["1"], profile
    qrels, run = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {}, "2": {"a": 1.0}}
    assert found("pytrec_eval", "gives nan", qrels, run) == ["1"]
    assert found("ir_measures", "divides by zero on a query", qrels, run) == ["1"]
    qrels = {"1": {"a": 1, "b": 2}, "2": {"a": 1, "b": 0}, "3": {"a": 1}, "4": {"a": 0}}
    run = {"1": {"a": 1.0}, "2": {"a": 1.0}, "3": {"x": 1.0}, "4": {"a": 1.0}}
    assert found("ranx", "gives nan for bpref", qrels, run) == ["1"]
    assert found("ranx", "drops out of a thread", qrels, run) == ["4"]
    assert found("ranx", "drops out of a thread", {"4": {"a": 0}}, run) == []
