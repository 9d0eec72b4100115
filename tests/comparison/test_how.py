"""The choices of a comparison."""

import pytest

import assay
from assay.comparison.options import INTERVALS, ComparisonOptions


def test_the_defaults_are_recorded():
    assert ComparisonOptions().to_dict() == {
        "baseline": None,
        "test": "randomization",
        "correction": "holm",
        "alpha": 0.05,
        "interval": "bootstrap",
        "tolerance": 0.0,
        "rope": 0.0,
        "seed": 0,
    }


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"test": "wilcoxn"}, r"no test is called 'wilcoxn'. Did you mean wilcoxon\?"),
        ({"correction": "hlom"}, r"no correction is called 'hlom'. Did you mean holm or hommel\?"),
        ({"interval": "bcaa"}, r"no interval is called 'bcaa'. Did you mean bca\?"),
        ({"interval": "wilson"}, "no interval is called 'wilson'"),
        ({"alpha": 5}, "alpha is a number between 0 and 1"),
        ({"alpha": True}, "alpha is a number between 0 and 1"),
        ({"tolerance": -1}, "tolerance is a number from 0 up, not -1"),
        ({"rope": float("nan")}, "rope is a number from 0 up, not nan"),
    ],
)
def test_what_cannot_be_is_refused_at_once(choice, said):
    with pytest.raises(assay.UsageError, match=said):
        ComparisonOptions(**choice)


def test_other_spellings():
    how = ComparisonOptions(test="fisher", correction="BH", interval="studentized", alpha=0.01)
    assert (how.to_dict()["test"], how.to_dict()["correction"]) == ("randomization", "benjamini_hochberg")
    assert (how.to_dict()["interval"], how.level) == ("studentised", 0.99)
    assert all(ComparisonOptions(interval=name).interval_method == name for name in INTERVALS)


def test_tests_for_many_systems_need_a_correction_over_metrics_only():
    assert ComparisonOptions(test="tukey").to_dict()["correction"] == "bonferroni"
    assert ComparisonOptions(test="tukey", correction="none").to_dict()["correction"] == "none"
    with pytest.raises(assay.UsageError, match="tukey_hsd corrects for all pairs of systems itself"):
        ComparisonOptions(test="tukey", correction="bh")


def test_queries_are_paired_or_it_is_no_comparison():
    with pytest.raises(assay.UsageError, match="independent_t is for scores of different queries"):
        ComparisonOptions(test="independent_t")


@pytest.mark.parametrize(
    ("test", "rope", "name", "counts"),
    [
        ("bayesian(rope=0.01)", 0.02, "bayesian(rope=0.01)", 0.01),
        ("bayesian", 0.02, "bayesian(rope=0.02)", 0.02),
        ("paired_t", 0.02, "paired_t", 0.02),
    ],
)
def test_the_rope_of_the_test_itself_wins(test, rope, name, counts):
    how = ComparisonOptions(test=test, rope=rope)
    assert (how.bound_test.name, how.to_dict()["rope"]) == (name, counts)


def test_significant_is_p_up_to_alpha():
    assert ComparisonOptions(alpha=0.05).is_significant(0.05)
    assert not ComparisonOptions(alpha=0.05).is_significant(0.0500001)
    assert not ComparisonOptions().is_significant(float("nan"))
