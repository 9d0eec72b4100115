"""What a comparison allows to be said, in words."""

import re

import numpy as np
import pytest
from tests._variants import for_each

from assay.comparison import correction_text

from ._systems import OLD, compared, ladder, system

BASE = np.random.default_rng(0).uniform(0, 0.5, 40)
FEW_LARGE_LOSSES = 0.6 + np.concatenate([0.02 + np.arange(34) * 1e-4, np.full(6, -0.5)])
"""Against 0.6 everywhere: 34 small wins, 6 large losses, and a lower mean."""
SPLIT = [system("old", {"ndcg@10": [0.6] * 40}), system("new", {"ndcg@10": FEW_LARGE_LOSSES.tolist()})]


def moved(by):
    return BASE + by + np.random.default_rng(round(1000 * (by + 1))).uniform(0, 0.05, 40)


def both(first, second, third=None):
    """Systems a and b; b is better by so much on ndcg@10, on map, and on mrr."""
    shifts = {"ndcg@10": first, "map": second, **({} if third is None else {"mrr": third})}
    return (
        system("a", {name: BASE.tolist() for name in shifts}),
        system("b", {name: moved(shift - 0.025).tolist() for name, shift in shifts.items()}),
    )


def timed(name, times):
    return system(name, {"latency": list(times)})


@pytest.mark.parametrize(
    ("how", "family"),
    [
        ({}, "Holm over all 3 pairs"),
        ({"baseline": "s1"}, "Holm over 2 systems against s1"),
        ({"correction": "none"}, "all 3 pairs, not corrected"),
        ({"test": "tukey_hsd"}, "corrected for 3 systems"),
    ],
)
def test_the_family_is_told_in_words(how, family):
    comparison = compared(*ladder(3), **how)
    assert correction_text(comparison) == family
    assert f"({family})" in comparison.verdict


@for_each("test", ["sign", "wilcoxon", "friedman"])
def test_nobody_wins_where_the_test_and_the_mean_disagree(test):
    comparison, turned = compared(*SPLIT, test=test), compared(*SPLIT[::-1], test=test)
    (pair,) = comparison.pairs
    assert (pair.is_significant, pair.direction, pair.better, pair.is_split) == (True, 1, None, True)
    assert pair.improvement < 0
    assert (turned.pairs[0].direction, turned.pairs[0].better, turned.verdict) == (-1, None, comparison.verdict)


@for_each("test", ["sign", "wilcoxon", "paired_t", "friedman", "tukey_hsd", "bayesian", "bootstrap"])
def test_where_both_agree_the_loser_loses_whichever_test_it_is(test):
    comparison = compared(system("a", {"map": moved(0.3).tolist()}), system("b", {"map": BASE.tolist()}), test=test)
    assert (comparison.pairs[0].better, comparison.verdict.startswith("a beats b on map by 0.3")) == ("a", True)


def test_tests_for_many_systems_are_corrected_over_metrics():
    systems = [*both(0.2, 0.01), system("c", {"ndcg@10": moved(0.4).tolist(), "map": moved(0.3).tolist()})]
    comparison = compared(*systems, test="tukey_hsd", correct_metrics=True)
    plain = compared(*systems, test="tukey_hsd", correction="none", correct_metrics=True)
    assert [pair.p_corrected for pair in comparison.pairs] == [min(1.0, 2 * pair.p) for pair in comparison.pairs]
    assert [pair.p_corrected for pair in plain.pairs] == [pair.p for pair in comparison.pairs]
    overall = compared(*systems, test="anova", correct_metrics=True)
    assert overall.p_overall("map") == pytest.approx(2 * overall.fields["map"].p)
    assert overall.to_dict()["overall"]["map"]["p_corrected"] == overall.p_overall("map")


@for_each("metric, sign", [("map", 1), ("latency_p50", -1), ("map", -1)])
def test_the_interval_of_a_lead_is_about_the_lead(metric, sign):
    """Where less is better, and where the first system wins, its ends are turned around."""
    a, b = system("a", {metric: (BASE + 5).tolist()}), system("b", {metric: (BASE + 5 + sign * moved(1)).tolist()})
    comparison = compared(a, b)
    difference = comparison.pairs[0].difference
    lead = comparison.verdict.split("[")[1].split("]")[0].replace(" ms", "")
    low, high = map(float, lead.split(", "))
    assert difference * sign > 0
    assert 0 < low <= round(abs(difference), 1) <= high + 0.1


def test_verdicts(snapshots):
    slow, quick = timed("slow", 20 + BASE), timed("quick", 9 + BASE)
    near = [
        system(name, {"mrr": scores}) for name, scores in (("a", [0.5, 0.6, 0.7, 0.8]), ("b", [0.501, 0.6, 0.701, 0.799]))
    ]
    wins = [0.51] * 30 + [0.5 - 0.3 / 5] * 5
    step = 0.12 + np.linspace(-1e-4, 1e-4, 40)
    scaled = {
        f"scores of {scale:g}": compared(
            system("a", {"map": (scale * BASE).tolist()}), system("b", {"map": (scale * (BASE + step)).tolist()})
        )
        for scale in (1, 1e-3, 1e-6)
    }
    third = system("c", {"ndcg@10": moved(0.4).tolist(), "map": moved(0.175).tolist()})
    batches = [
        system(name, {"mrr": OLD, "latency": [time] * 8}, provenance={"latency_ms": {"mean": time}})
        for name, time in (("one", 2.0), ("other", 2.1))
    ]
    comparisons = {
        **{f"split by {test}": compared(*SPLIT, test=test) for test in ("sign", "wilcoxon", "friedman")},
        "equal means": compared(system("a", {"map": [0.5] * 35}), system("b", {"map": wins}), test="sign"),
        "identical": compared(system("a", {"mrr": OLD}), system("b", {"mrr": OLD})),
        "no score in both": compared(system("a", {"mrr": [np.nan]}), system("b", {"mrr": [1.0]})),
        "only the first metric decides": compared(*both(0.2, -0.2)),
        "only the first metric decides, and it is open": compared(*both(0.0, 0.2)),
        "another metric says the same": compared(*both(0.2, 0.2), correct_metrics=True),
        "others say the opposite": compared(*both(0.2, -0.2, -0.2), correct_metrics=True),
        "another metric decides": compared(*both(0.0, 0.2), correct_metrics=True),
        "another metric decides nothing": compared(*both(0.2, 0.0), correct_metrics=True),
        "not ahead of all": compared(*both(0.2, 0.2), third, correct_metrics=True),
        "many systems": compared(*both(0.2, 0.01), third, test="tukey_hsd"),
        "many systems and metrics": compared(*both(0.2, 0.01), third, test="tukey_hsd", correct_metrics=True),
        "many systems, not corrected": compared(*both(0.2, 0.01), third, test="tukey_hsd", correction="none"),
        "all systems": compared(*ladder(3), test="anova"),
        "corrected": compared(*ladder(3)),
        "times": compared(slow, quick),
        "times the other way round": compared(quick, slow),
        "times that do not decide": compared(slow, timed("unsure", 20 + BASE + np.tile([5, -5], 20))),
        "not worse": compared(slow, quick, test="non_inferiority(margin=2)"),
        "equivalent": compared(*near, test="equivalence(margin=0.1)"),
        "no test": compared(slow, quick, test="equivalence"),
        "no test for a quantile": compared(
            *(system(name, {"latency_p95": (BASE + 9).tolist()}) for name in "ab"), test="tukey_hsd"
        ),
        "times of batches": compared(*batches, correct_metrics=True),
        **scaled,
    }
    text = "".join(f"## {name}\n{comparison.verdict}\n\n" for name, comparison in comparisons.items())
    snapshots.check("compare/verdicts", text)
    assert comparisons["times"].verdict == comparisons["times the other way round"].verdict


def two_runs(shift, *, is_turned=False, **how):
    """An earlier and a later run of `search`, which is better by so much on ndcg@10 and map, under distinct names."""
    days = ("2026-11-14", "2026-11-16")
    runs = [
        result.renamed("search").with_fields(provenance={"started": day}).distinguished(f"search ({day})")
        for result, day in zip(both(shift, shift), days, strict=True)
    ]
    return compared(*(runs[::-1] if is_turned else runs), **how)


def test_two_runs_of_one_system_are_told_as_a_change():
    worse, better = two_runs(-0.3), two_runs(0.3)
    (pair, *_) = worse.pairs
    assert pair.better == "search (2026-11-14)", "the same decision, other words"
    assert re.fullmatch(r"search got worse on ndcg@10 by 0\.\d{3} \[0\.\d{3}, 0\.\d{3}\], p < 0\.001\.", worse.verdict)
    assert better.verdict.startswith("search got better on ndcg@10 by 0.")
    assert two_runs(-0.3, correct_metrics=True).verdict.endswith("On map, it got worse too.")
    assert two_runs(-0.3, is_turned=True).verdict.startswith("search (2026-11-14) beats search (2026-11-16) on ndcg@10")


def test_two_runs_of_one_system_that_are_alike():
    assert two_runs(0.0).verdict.startswith("search is not shown to have changed on ndcg@10: ")
    one = system("search", {"map": BASE.tolist()})
    runs = [one.with_fields(provenance={"started": day}).distinguished(day) for day in ("2026-11-14", "2026-11-16")]
    assert compared(*runs).verdict == "search did not change on any query: map is the same."
