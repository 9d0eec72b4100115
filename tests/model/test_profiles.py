"""Profiles as records: every name they use is a real one, and what is set by hand wins over what a tool does."""

from dataclasses import fields, replace

import pytest
from tests._variants import for_each

from assay import BadParameter, Policy, UnknownName
from assay.evaluation import OWN, PROFILES, Setting, find_profile
from assay.metrics import all_metrics, parse_metric

from .test_policy import CHOICES

each = for_each("profile", PROFILES.values())
FIELDS = {field.name for field in fields(Policy)}
EIGHT = "trec_eval-9 trec_eval-10 pytrec_eval ranx ir_measures beir mteb sentence-transformers"
LEARNING = "lightgbm xgboost scikit-learn"
HAVE = {
    "mrr": "trec_eval-9 trec_eval-10 pytrec_eval ranx ir_measures",
    "mrr@10": "ranx ir_measures beir mteb sentence-transformers",
    "ndcg@10": f"{EIGHT} {LEARNING}",
    "ndcg": "trec_eval-9 trec_eval-10 pytrec_eval ranx ir_measures xgboost scikit-learn",
    "ndcg(gain=exp)@10": "ranx ir_measures lightgbm xgboost",
    "ndcg(gain=linear)@10": "trec_eval-9 trec_eval-10 pytrec_eval ranx ir_measures beir mteb xgboost scikit-learn",
    "ndcg(gain=binary)@10": "sentence-transformers",
    "ndcg(gain={1: 2, 2: 5})": "trec_eval-9 trec_eval-10 ir_measures",
    "ndcg(rel=2)@10": "ranx",
    "map(rel=2)@10": "trec_eval-9 trec_eval-10 pytrec_eval ranx ir_measures",
    "map(judged_only=true)": "trec_eval-9 trec_eval-10 pytrec_eval ir_measures",
    "map(norm=min)@10": "sentence-transformers lightgbm xgboost",
    "lrap": "scikit-learn",
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
    assert list(PROFILES) == [*EIGHT.split(), *LEARNING.split()]
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


def test_an_unknown_name_suggests_and_lists(snapshots):
    near = {"bier": "beir", "trec_eval": "trec_eval-9", "RANX": "ranx", "sentence_transformers": "sentence-transformers"}
    for name, meant in near.items():
        with pytest.raises(UnknownName) as caught:
            find_profile(name)
        assert meant in caught.value.near
    with pytest.raises(BadParameter, match="ties"):
        find_profile("beir").adjusted(ties="by_luck")
    snapshots.check_errors("model/profiles", {"bier": lambda: find_profile("bier")})
