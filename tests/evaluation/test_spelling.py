"""Spelling: what is written gives, under every profile, what was meant."""

import pytest

from assay.evaluation import PROFILES, Setting, spelled
from assay.evaluation.profile import with_settings
from assay.metrics import all_metrics, parse_metric


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("rbp", "rbp"),
        ("rbp(p=0.8)", "rbp(p=0.8)"),
        ("RBP@10", "rbp@10"),
        ("ndcg_cut_10", "ndcg@10"),
        ("ndcg(gain=linear)@10", "ndcg(gain=linear)@10"),
        ("ndcg(gain=exp)@10", "ndcg(gain=exp)@10"),
        ("f1@5", "f1@5"),
        ("ndcg_burges@3", "ndcg(gain=exp)@3"),
        ("P_5", "precision@5"),
        ("iprec@0.4", "iprec@0.4"),
    ],
)
def test_only_what_was_given_is_spelled_out(given, wanted):
    assert spelled(parse_metric(given)) == wanted


@pytest.mark.parametrize("name", sorted(all_metrics()))
def test_a_spelling_reads_back_under_every_profile(name):
    metric = all_metrics()[name]
    at = metric.at
    asked = parse_metric(f"{name}@{0.5 if at.name in ('recall', 'multiple') else 5}" if at else name)
    for param in metric.params:
        for choice in param.choices:
            changed = with_settings(asked, **{param.name: choice})
            again = parse_metric(spelled(changed))
            for profile in PROFILES.values():
                assert Setting.of(again, profile).metric == Setting.of(changed, profile).metric


def test_what_is_none_is_left_open():
    assert spelled(with_settings(parse_metric("mrr@10"), k=None)) == "mrr"
    assert spelled(with_settings(parse_metric("ndcg(rel=2)@10"), rel=None, gain="binary")) == "ndcg(gain=binary)@10"
