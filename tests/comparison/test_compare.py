"""Two systems from judgments and rankings to a verdict, checked by hand and with scipy; and several at once."""

import inspect
import itertools
import math

import numpy as np
import pytest
from scipy import stats

import assay
from assay.comparison.comparison import EVALUATE_SETTINGS, compare, compare_results
from assay.comparison.options import ComparisonOptions

from ._systems import NEW, OLD, ladder, old_and_new, system

QRELS = {f"q{number}": {"d": 1} for number in range(1, 9)}


def ranked(scores):
    """Rankings in which the relevant document stands where its reciprocal rank says; nowhere for 0."""
    return {
        f"q{number}": [*(f"x{rank}" for rank in range(1, round(1 / score))), "d"] if score else ["x"]
        for number, score in enumerate(scores, 1)
    }


@pytest.fixture(scope="module")
def compared():
    return compare(QRELS, {"old": ranked(OLD), "new": ranked(NEW)}, "mrr")


def test_the_figures_by_hand(compared):
    pair = compared.pair("mrr", "old", "new")
    assert (pair.a, pair.b, pair.n) == ("old", "new", 8)
    assert pair.value_a == pytest.approx(3.95 / 8)
    assert pair.value_b == pytest.approx(6.25 / 8)
    assert pair.difference == pair.improvement == pytest.approx(2.3 / 8)
    assert pair.relative == pytest.approx(2.3 / 3.95)
    assert (pair.wins, pair.ties, pair.losses) == (6, 1, 1)
    differences = np.array(NEW) - np.array(OLD)
    assert pair.cohens_d == pytest.approx(differences.mean() / differences.std(ddof=1))


def test_p_is_that_of_all_ways_to_change_sides(compared):
    differences = np.array(NEW) - np.array(OLD)
    sums = [abs(np.dot(signs, differences)) for signs in itertools.product((-1, 1), repeat=8)]
    by_hand = np.mean(np.array(sums) >= abs(differences.sum()) - 1e-9)
    pair = compared.pairs[0]
    assert pair.p == pair.p_corrected == pytest.approx(by_hand)
    theirs = stats.permutation_test(
        (np.array(NEW), np.array(OLD)), lambda a, b: np.mean(a - b), permutation_type="samples", n_resamples=np.inf
    )
    assert pair.p == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize(
    ("test", "theirs"),
    [
        ("paired_t", lambda: stats.ttest_rel(NEW, OLD).pvalue),
        ("sign", lambda: stats.binomtest(6, 7).pvalue),
    ],
)
def test_other_tests_are_those_of_scipy(test, theirs):
    assert compare(QRELS, {"old": ranked(OLD), "new": ranked(NEW)}, "mrr", test=test).pairs[0].p == pytest.approx(theirs())


def test_the_interval_of_t_is_scipys():
    pair = compare_results(old_and_new(), ComparisonOptions(interval="t", alpha=0.1)).pairs[0]
    theirs = stats.ttest_rel(NEW, OLD).confidence_interval(0.9)
    assert (pair.low, pair.high) == pytest.approx((theirs.low, theirs.high))


def test_less_is_better_for_latency():
    comparison = compare_results(
        [system("slow", {"latency": [20.0] * 9 + [21.0]}), system("quick", {"latency": [10.0] * 10})]
    )
    pair = comparison.pairs[0]
    assert pair.difference == pytest.approx(-10.1)
    assert pair.improvement == pytest.approx(10.1)
    assert (pair.wins, pair.losses, pair.better) == (10, 0, "quick")
    assert comparison.best("latency") == "quick"
    assert comparison.verdict.startswith("quick beats slow on latency by 10.1 ms [10.0 ms, 10.3 ms], ")


def test_identical_systems_are_equal_and_nothing_is_undefined():
    comparison = compare_results([system("a", {"mrr": OLD}), system("b", {"mrr": OLD})])
    pair = comparison.pairs[0]
    assert (pair.p, pair.difference, pair.cohens_d, pair.ties, pair.better) == (1.0, 0.0, 0.0, 8, None)
    assert comparison.verdict == "b and a have the same mrr on every query."


@pytest.mark.parametrize(("n", "p"), [(1, 1.0), (2, 0.5)])
def test_few_queries_prove_nothing(n, p):
    pair = compare_results([system("a", {"mrr": [0.0] * n}), system("b", {"mrr": [1.0] * n})]).pairs[0]
    assert (pair.n, pair.p, pair.better) == (n, p, None)


def test_queries_without_a_score_do_not_count():
    nan = math.nan
    a, b = system("a", {"mrr": [nan, 1.0, 0.5]}), system("b", {"mrr": [1.0, 0.5, nan]})
    assert compare_results([a, b]).pairs[0].n == 1
    nothing = compare_results([system("a", {"mrr": [nan]}), system("b", {"mrr": [1.0]})])
    assert math.isnan(nothing.pairs[0].p)
    assert nothing.verdict == "Nothing can be said about mrr: no query has a score in both systems."
    assert nothing.to_dict()["pairs"][0]["p"] is None


def test_a_baseline_is_compared_with_all_others_only():
    comparison = compare_results(ladder(4), ComparisonOptions(baseline="s3"))
    assert [(pair.a, pair.b) for pair in comparison.pairs] == [("s3", "s1"), ("s3", "s2"), ("s3", "s4")]
    assert comparison.n_comparisons == 3
    with pytest.raises(assay.UnknownName, match="no system is called 's9'"):
        compare_results(ladder(4), ComparisonOptions(baseline="s9"))


def test_results_and_runs_may_be_mixed():
    result = assay.evaluate(QRELS, ranked(OLD), "mrr", name="whatever")
    comparison = compare(QRELS, {"old": result, "new": ranked(NEW)}, "mrr", baseline="old", seed=3)
    assert comparison.names == ("old", "new")
    assert comparison.how.seed == 3
    assert comparison.per_query("RR")["q6"] == {"old": 1.0, "new": 0.5}
    with pytest.raises(assay.UsageError, match="runs are given by name"):
        compare(QRELS, [ranked(OLD)], "mrr")


def test_the_same_seed_gives_the_same_bits():
    first, second = (compare_results(ladder(3), ComparisonOptions(seed=5)).to_dict() for _ in range(2))
    assert first == second


def test_tests_for_many_systems_speak_of_pairs_or_of_all():
    systems = ladder(3)
    tukey = compare_results(systems, ComparisonOptions(test="tukey_hsd"))
    assert all(pair.better == pair.b for pair in tukey.pairs)
    assert "(corrected for 3 systems)" in tukey.verdict
    anova = compare_results(systems, ComparisonOptions(test="anova"))
    assert anova.verdict == "The systems differ on map, p < 0.001; anova does not say which of them."
    assert anova.to_dict()["overall"]["map"]["p"] == pytest.approx(anova.fields["map"].p)
    assert anova.n_comparisons == 0


def test_claims_other_than_a_difference():
    a, b = system("a", {"mrr": [0.5, 0.6, 0.7, 0.8]}), system("b", {"mrr": [0.501, 0.6, 0.701, 0.799]})
    comparison = compare_results([a, b], ComparisonOptions(test="equivalence(margin=0.1)"))
    assert comparison.pairs[0].is_significant
    assert comparison.pairs[0].better is None
    assert comparison.verdict == "b is within 0.1 of a on mrr (+0.00025, p < 0.001)."


def test_a_bayesian_test_says_how_probable_it_is():
    judged = {f"q{n}": {"d": 1} for n in range(12)}
    runs = {"a": {query: {"x": 2.0, "d": 1.0} for query in judged}, "b": {query: {"d": 1.0} for query in judged}}
    found = assay.compare(judged, runs, "mrr", test="bayesian(rope=0.1)").remarks
    assert any(one.startswith("b is better than a on mrr by more than 0.1 with probability ") for one in found)
    assert not any("probability" in one for one in assay.compare(judged, runs, "mrr").remarks)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("tets", "test"),
        ("basline", "baseline"),
        ("intersct", "intersect"),
        ("profil", "profile"),
        ("correctoin", "correction"),
    ],
)
def test_a_misspelt_setting_is_told_with_the_right_one(name, near):
    runs = {"old": ranked(OLD), "new": ranked(NEW)}
    with pytest.raises(assay.UnknownName, match=rf"no setting of compare is called '{name}'\. Did you mean {near}\b"):
        compare(QRELS, runs, "mrr", **{name: "x"})
    results = {run: assay.evaluate(QRELS, ranking, "mrr") for run, ranking in runs.items()}
    with pytest.raises(assay.UnknownName, match=f"no setting of compare is called '{name}'"):
        compare(None, results, "mrr", **{name: "x"})


def test_every_setting_that_is_known_is_one_of_evaluate():
    own = inspect.signature(assay.evaluate).parameters.values()
    assert set(EVALUATE_SETTINGS) == {one.name for one in own if one.kind is one.KEYWORD_ONLY} - {"name"}
    assert compare(QRELS, {"old": ranked(OLD), "new": ranked(NEW)}, "mrr", tie_band=True, seed=3).names == ("old", "new")
