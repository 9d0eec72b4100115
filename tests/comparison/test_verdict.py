"""What a comparison allows to be said."""

import numpy as np
import pytest

from assay.comparison.comparison import compare_results
from assay.comparison.options import ComparisonOptions

from ._systems import ladder, system

RNG = np.random.default_rng(0)
BASE = RNG.uniform(0, 0.5, 40)
FEW_LARGE_LOSSES = 0.6 + np.concatenate([0.02 + np.arange(34) * 1e-4, np.full(6, -0.5)])
"""Against 0.6 everywhere: 34 small wins, 6 large losses, and a lower mean."""


def verdict(*systems, **how):
    return compare_results(list(systems), ComparisonOptions(**how)).verdict


def moved(by):
    return BASE + by + RNG.uniform(0, 0.05, 40)


# The test and the mean speak for different systems


@pytest.mark.parametrize(
    ("test", "said"),
    [
        (
            "sign",
            "On ndcg@10, new wins on more queries than old (p < 0.001), but old has the better mean (0.600 against",
        ),
        ("wilcoxon", "On ndcg@10, new is ahead of old by the ranks of the differences (p = 0.012), but old has the better"),
        ("friedman", "On ndcg@10, new mostly ranks above old (p < 0.001), but old has the better mean (0.600 against 0.5"),
    ],
)
def test_nobody_wins_where_the_test_and_the_mean_disagree(test, said):
    systems = [system("old", {"ndcg@10": [0.6] * 40}), system("new", {"ndcg@10": FEW_LARGE_LOSSES.tolist()})]
    comparison = compare_results(systems, ComparisonOptions(test=test))
    (pair,) = comparison.pairs
    assert (pair.is_significant, pair.direction, pair.better, pair.is_split) == (True, 1, None, True)
    assert pair.improvement < 0
    assert comparison.verdict.startswith(said)
    turned = compare_results(systems[::-1], ComparisonOptions(test=test))
    assert (turned.pairs[0].direction, turned.pairs[0].better) == (-1, None)
    assert turned.verdict == comparison.verdict


def test_equal_means_are_no_better_ones():
    wins = [0.51] * 30 + [0.5 - 0.3 / 5] * 5
    assert verdict(system("a", {"map": [0.5] * 35}), system("b", {"map": wins}), test="sign") == (
        "On map, b wins on more queries than a (p < 0.001), but both have the same mean."
    )


def test_where_both_agree_the_loser_loses_whichever_test_it_is():
    for test in ("sign", "wilcoxon", "paired_t", "friedman", "tukey_hsd", "bayesian", "bootstrap"):
        said = verdict(system("a", {"map": moved(0.3).tolist()}), system("b", {"map": BASE.tolist()}), test=test)
        assert said.startswith("a beats b on map by 0.3")


# Other metrics


def both(first, second, third=None):
    """Systems a and b; b is better by so much on ndcg@10, on map, and on mrr."""
    shifts = {"ndcg@10": first, "map": second, **({} if third is None else {"mrr": third})}
    return (
        system("a", {name: BASE.tolist() for name in shifts}),
        system("b", {name: moved(shift - 0.025).tolist() for name, shift in shifts.items()}),
    )


def test_another_metric_says_the_same():
    assert verdict(*both(0.2, 0.2)).endswith(" On map b is better as well.")


def test_another_metric_says_the_opposite():
    assert verdict(*both(0.2, -0.2, -0.2)).endswith(" On map and mrr, however, a is better.")


def test_another_metric_decides_where_the_first_does_not():
    said = verdict(*both(0.0, 0.2))
    assert "on ndcg@10 is not decisive" in said
    assert said.endswith(" On map, however, b is better.")


def test_another_metric_decides_nothing():
    assert verdict(*both(0.2, 0.0)).endswith(" On map nothing is decided.")


def test_of_several_the_best_may_not_be_ahead_of_all():
    systems = [*both(0.2, 0.2), system("c", {"ndcg@10": moved(0.4).tolist(), "map": moved(0.175).tolist()})]
    assert verdict(*systems).endswith(" On map some systems differ.")


def test_tests_for_many_systems_are_corrected_over_metrics():
    systems = [*both(0.2, 0.01), system("c", {"ndcg@10": moved(0.4).tolist(), "map": moved(0.3).tolist()})]
    comparison = compare_results(systems, ComparisonOptions(test="tukey_hsd"))
    assert [pair.p_corrected for pair in comparison.pairs] == [min(1.0, 2 * pair.p) for pair in comparison.pairs]
    assert "(corrected for 3 systems and 2 metrics)" in comparison.verdict
    plain = compare_results(systems, ComparisonOptions(test="tukey_hsd", correction="none"))
    assert [pair.p_corrected for pair in plain.pairs] == [pair.p for pair in comparison.pairs]
    assert "(corrected for 3 systems)" in plain.verdict
    overall = compare_results(systems, ComparisonOptions(test="anova"))
    assert overall.p_overall("map") == pytest.approx(2 * overall.fields["map"].p)
    assert overall.to_dict()["overall"]["map"]["p_corrected"] == overall.p_overall("map")


# Figures


def test_times_have_their_unit():
    slow, quick = system("slow", {"latency": (20 + BASE).tolist()}), system("quick", {"latency": (9 + BASE).tolist()})
    assert verdict(slow, quick) == "quick beats slow on latency by 11.0 ms [11.0 ms, 11.0 ms], p < 0.001."
    assert verdict(quick, slow) == verdict(slow, quick)
    unsure = system("unsure", {"latency": (20 + BASE + np.tile([5, -5], 20)).tolist()})
    assert "is not decisive: +0.00 ms [−1." in verdict(slow, unsure)
    assert "not worse than slow by more than 2 ms on latency (−11.0 ms, p" in verdict(
        slow, quick, test="non_inferiority(margin=2)"
    )


def test_the_interval_of_a_lead_is_about_the_lead():
    """Where less is better, and where the first system wins, its ends are turned around."""
    for metric, sign in (("map", 1), ("latency_p50", -1), ("map", -1)):
        a, b = system("a", {metric: (BASE + 5).tolist()}), system("b", {metric: (BASE + 5 + sign * moved(1)).tolist()})
        pair = compare_results([a, b]).pairs[0]
        assert pair.difference * sign > 0
        lead = compare_results([a, b]).verdict.split("[")[1].split("]")[0].replace(" ms", "")
        low, high = map(float, lead.split(", "))
        assert 0 < low <= round(abs(pair.difference), 1) <= high + 0.1


@pytest.mark.parametrize(("scale", "lead"), [(1, "0.12"), (1e-3, "0.00012"), (1e-6, "1.2e-07")])
def test_small_figures_show_two_digits(scale, lead):
    step = 0.12 + np.linspace(-1e-4, 1e-4, 40)
    said = verdict(system("a", {"map": (scale * BASE).tolist()}), system("b", {"map": (scale * (BASE + step)).tolist()}))
    assert said.startswith(f"b beats a on map by {lead}")


def test_the_correction_is_named():
    assert verdict(*ladder(3)).endswith("(Holm, 3 comparisons).")
