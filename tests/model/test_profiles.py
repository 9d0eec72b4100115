"""Profiles as records: every name they use is a real one, and what is set by hand wins over what a tool does."""

from dataclasses import fields, replace

import numpy as np
import pytest

from assay import BadParameter, Policy, UnknownName
from assay.evaluation.profile import EVERY_METRIC, OWN
from assay.evaluation.profiles import PROFILES, find_profile
from assay.metrics.parsing import parse_metric
from assay.metrics.registry import all_metrics
from assay.model.policy import CHOICES

each = pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
FIELDS = {field.name for field in fields(Policy)}


def test_there_is_one_for_every_tool():
    assert list(PROFILES) == [
        *("trec_eval-9", "trec_eval-10", "pytrec_eval", "ranx", "ir_measures"),
        *("beir", "mteb", "sentence-transformers"),
    ]


@each
def test_a_profile_is_found_by_its_name(profile):
    assert find_profile(profile.name) is PROFILES[profile.name] is profile
    assert profile.tool.casefold().startswith(profile.name.split("-")[0].casefold())
    assert not profile.is_own


@each
def test_every_metric_it_names_is_in_the_catalog(profile):
    named = {name for one in (*profile.variants, *profile.refusals) for name in one.metrics if one.metrics != EVERY_METRIC}
    assert named | profile.has.keys() | {variant.instead for variant in profile.variants} - {""} <= all_metrics().keys()


@each
def test_what_it_takes_are_parameters_of_the_metric(profile):
    for name, takes in profile.has.items():
        known = {param.name: param for param in all_metrics()[name].params}
        for one in takes:
            param, _, value = one.rstrip("!").partition("=")
            assert param in known
            assert value in ("", "{}", *known[param].choices)


@pytest.mark.parametrize(
    ("metric", "tools"),
    [
        ("mrr", "trec_eval-9 trec_eval-10 pytrec_eval ranx ir_measures"),
        ("mrr@10", "ranx ir_measures beir mteb sentence-transformers"),
        ("ndcg@10", "trec_eval-9 trec_eval-10 pytrec_eval ranx ir_measures beir mteb sentence-transformers"),
        ("ndcg(gain=exp)@10", "ranx ir_measures"),
        ("ndcg(gain=linear)@10", "trec_eval-9 trec_eval-10 pytrec_eval ranx ir_measures beir mteb"),
        ("ndcg(gain=binary)@10", "sentence-transformers"),
        ("ndcg(gain={1: 2, 2: 5})", "trec_eval-9 trec_eval-10 ir_measures"),
        ("ndcg(rel=2)@10", "ranx"),
        ("map(rel=2)@10", "trec_eval-9 trec_eval-10 pytrec_eval ranx ir_measures"),
        ("map(judged_only=true)", "trec_eval-9 trec_eval-10 pytrec_eval ir_measures"),
        ("map(norm=min)@10", "sentence-transformers"),
        ("rbp", "trec_eval-10 ranx ir_measures"),
        ("alpha_ndcg(alpha=0.3, rel=2)@10", "ir_measures"),
        ("nrbp(beta=0.8)", "ir_measures"),
        ("err_ia(alpha=0.3)@10", ""),
        ("rbp(p=0.5)", "trec_eval-10 ranx ir_measures"),
        ("err(max_grade=3)@10", ""),
        ("accuracy@5", "ir_measures beir mteb sentence-transformers"),
        ("q_measure", ""),
    ],
)
def test_what_a_tool_has(metric, tools):
    from assay.evaluation.profile import Setting

    asked = parse_metric(metric)
    has = [name for name, profile in PROFILES.items() if not profile.lacks(Setting.of(asked, profile).metric)]
    assert has == tools.split()
    assert not OWN.lacks(asked)


@each
def test_every_parameter_it_sets_is_one_of_the_metric(profile):
    for variant in profile.variants:
        for name in variant.metrics:
            target = all_metrics()[variant.instead or name]
            assert variant.params.keys() <= {param.name for param in target.params}
            needed = {"k": 5, "recall": 0.5} if target.at and target.at.name not in variant.params else {}
            bound = target.bind(**{key: needed[key] for key in needed if key == target.at.name}, **variant.params)
            assert parse_metric(bound.name) == bound  # so every value is one that the metric takes


@each
def test_every_convention_it_sets_is_one_of_the_policy(profile):
    assert isinstance(profile.policy, Policy)
    for variant in profile.variants:
        assert variant.policy.keys() <= FIELDS
        assert isinstance(profile.adjusted(**variant.policy).policy, Policy)
    assert profile.option.settings.keys() <= FIELDS


@each
def test_every_variant_does_something(profile):
    for variant in profile.variants:
        assert variant.params or variant.policy or variant.instead
        assert any(getattr(profile.policy, name) != value for name, value in variant.policy.items()) or not variant.policy


@each
def test_every_refusal_completes_the_name_of_the_tool(profile):
    for refusal in profile.refusals:
        assert refusal.says[0].islower()
        assert refusal.says[-1] != "."


@each
def test_what_is_set_by_hand_wins_over_the_tool_and_its_variants(profile):
    for name, choices in CHOICES.items():
        for choice in choices:
            adjusted = profile.adjusted(**{name: choice})
            assert getattr(adjusted.policy, name) == choice
            assert not any(name in variant.policy for variant in adjusted.variants)
            assert [replace(one, policy={}) for one in adjusted.variants] == [
                replace(one, policy={}) for one in profile.variants
            ]


@each
def test_adjusting_leaves_the_rest_and_the_profile_itself_alone(profile):
    before = profile.policy, profile.variants
    adjusted = profile.adjusted(rel=2)
    assert adjusted.policy.to_dict() == profile.policy.to_dict() | {"rel": 2}
    assert (adjusted.variants, adjusted.refusals, adjusted.has) == (profile.variants, profile.refusals, profile.has)
    assert (profile.policy, profile.variants) == before
    assert profile.adjusted() == profile


def test_what_cannot_be_is_refused():
    with pytest.raises(BadParameter, match="ties is one of"):
        find_profile("beir").adjusted(ties="by_luck")


def test_a_variant_may_depend_on_the_parameters():
    profile = find_profile("ir_measures")
    assert profile.variant("mrr", {"k": None}) is None
    assert profile.variant("mrr", {"k": 10}).policy["ties"] == "docid_asc"
    assert profile.variant("ndcg", {"k": 10, "gain": "linear"}) is None
    assert profile.variant("ndcg", {"k": 10, "gain": "exp"}).digits == 5
    assert profile.variant("no_such_metric", {}) is None


@pytest.mark.parametrize(
    ("name", "meant"),
    [("bier", "beir"), ("trec_eval", "trec_eval-9"), ("RANX", "ranx"), ("sentence_transformers", "sentence")],
)
def test_an_unknown_name_suggests_and_lists(name, meant):
    with pytest.raises(UnknownName, match=rf"no profile is called '{name}'\. Did you mean .*{meant}") as caught:
        find_profile(name)
    assert all(known in str(caught.value) for known in PROFILES)


def test_our_own_conventions_are_the_policy_alone():
    assert OWN.is_own
    assert OWN.policy == Policy()
    assert not OWN.variants
    assert not OWN.refusals


# ---- refusals: which queries they find


@pytest.fixture
def found():
    """Queries that a refusal of a profile finds in judgments and a run."""
    from assay import Qrels, Run
    from assay.views.grading import grade

    def queries(profile, says, qrels, run):
        (refusal,) = (one for one in find_profile(profile).refusals if says in one.says)
        view = grade(Run(run), Qrels(qrels), Policy()).run
        mask = refusal.finds(view)
        assert mask.dtype == np.bool_
        return [query for query, is_found in zip(view.query_ids, mask.tolist(), strict=True) if is_found]

    return queries


@pytest.mark.parametrize("profile", ["trec_eval-9", "trec_eval-10", "pytrec_eval", "ranx", "ir_measures", "beir", "mteb"])
def test_fractional_grades_are_found(found, profile):
    qrels = {"1": {"a": 1, "b": 0.5}, "2": {"a": 2.0}, "3": {"a": -1.5, "b": 0}, "4": {}}
    assert found(profile, "whole numbers", qrels, {}) == ["1", "3"]


@pytest.mark.parametrize("profile", ["trec_eval-9", "trec_eval-10", "pytrec_eval", "ir_measures", "beir", "mteb"])
def test_queries_with_nothing_but_negative_grades_are_found(found, profile):
    qrels = {"1": {"a": -1, "b": -2}, "2": {"a": -1, "b": 0}, "3": {}, "4": {"a": 1}}
    assert found(profile, "every grade is negative", qrels, {}) == ["1"]


def test_rankings_without_a_document_are_found(found):
    qrels, run = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {}, "2": {"a": 1.0}}
    assert (
        found("pytrec_eval", "gives nan", qrels, run)
        == found("ir_measures", "divides by zero on a query", qrels, run)
        == ["1"]
    )


def test_unopposed_relevant_documents_are_found(found):
    qrels = {"1": {"a": 1, "b": 2}, "2": {"a": 1, "b": 0}, "3": {"a": 1}, "4": {"a": 0}}
    run = {"1": {"a": 1.0}, "2": {"a": 1.0}, "3": {"x": 1.0}, "4": {"a": 1.0}}
    assert found("ranx", "gives nan for bpref", qrels, run) == ["1"]
    assert found("ranx", "drops out of a thread", qrels, run) == ["4"]
    assert found("ranx", "drops out of a thread", {"4": {"a": 0}}, run) == []
