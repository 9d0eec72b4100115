"""Pairs on metrics of every kind: figures that are no mean, scores that are undefined, times that are shared."""

import math

import numpy as np
import pytest
from tests._variants import for_each

from assay.comparison import SHARED_TIMES, largest_losses
from assay.evaluation import evaluate_routing
from assay.stats import Pairs, parse_test

from ._systems import compared, ladder, old_and_new, system

N = 40
A, B = np.random.default_rng(0).uniform(0.2, 0.6, (2, N))


def pair_of(metric, a, b, **how):
    return compared(system("a", {metric: list(a)}), system("b", {metric: list(b)}), **how).pairs[0]


@for_each("test", ["paired_t(alternative=greater)", "non_inferiority(margin=0.01)"])
def test_one_sided_tests_ask_for_better_whichever_way_the_metric_points(test):
    more, less = pair_of("dcg@10", A, A + 0.1 * B, test=test), pair_of("latency", A, A - 0.1 * B, test=test)
    assert more.p == pytest.approx(less.p)
    assert more.p < 0.001
    assert pair_of("latency", A, A + 0.1 * B, test=test).p > 0.99


def test_p_up_to_alpha_is_significant_after_correction():
    """Six queries that all moved one way: p is 2 ÷ 2^6 to the bit."""
    zeros, ones = [0.0] * 6, [1.0] * 6
    assert pair_of("map", zeros, ones, alpha=2 / 2**6).is_significant
    assert not pair_of("map", zeros, ones, alpha=2 / 2**6 - 1e-9).is_significant
    both = [system("a", {"map": zeros, "mrr": zeros}), system("b", {"map": ones, "mrr": ones})]
    assert all(pair.is_significant for pair in compared(*both, alpha=4 / 2**6, correct_metrics=True).pairs)
    assert not any(pair.is_significant for pair in compared(*both, alpha=3 / 2**6, correct_metrics=True).pairs)


def test_a_geometric_mean_is_tested_by_logarithms():
    """Five queries that b lost entirely weigh more than 25 that it doubled: by the mean b would win."""
    a = np.full(30, 0.3) + np.random.default_rng(1).uniform(0, 0.01, 30)
    b = np.concatenate([np.full(25, 0.6), np.zeros(5)]) + np.random.default_rng(1).uniform(0, 1e-6, 30)
    pair = pair_of("gm_map", a, b, test="paired_t")
    assert b.mean() > a.mean()
    assert pair.improvement < 0
    logs = [np.log(np.maximum(scores, 1e-5))[:, np.newaxis] for scores in (a, b)]
    assert pair.p == pytest.approx(parse_test("paired_t").compare(Pairs(*logs)).p[0])
    assert pair.d_z == pytest.approx((logs[1] - logs[0]).mean() / (logs[1] - logs[0]).std(ddof=1))
    assert pair.direction == -1
    assert pair.p_better < 0.5
    assert pair.low < pair.difference < pair.high


def test_a_sum_has_the_interval_of_a_sum():
    a, b = np.random.default_rng(1).integers(0, 5, (2, N)).astype(float)
    total, mean = pair_of("num_rel_ret", a, b), pair_of("map", a, b)
    assert (total.difference, total.p) == (b.sum() - a.sum(), mean.p)
    assert (total.low, total.high) == pytest.approx((N * mean.low, N * mean.high))


def test_a_quantile_is_bootstrapped_whole():
    """A few slow queries decide it; the mean, which other tests look at, goes the other way."""
    a = 10 + A
    b = np.where(np.arange(N) < 8, 30 + 10 * A, 3 + A)
    pair = pair_of("latency_p95", a, b)
    assert pair.value_b == pytest.approx(np.quantile(b, 0.95))
    assert 0 < pair.low <= pair.difference <= pair.high
    assert (pair.direction, pair.improvement < 0, pair.draws) == (-1, True, 2000)
    assert pair.statistic == pair.difference
    assert all(math.isnan(figure) for figure in (pair.d_z, pair.p_better, pair.p_equal))
    assert (pair.wins, pair.losses) == (32, 8)
    better = pair_of("latency_p95", a + 50, a, test="randomization(alternative=greater)")
    assert (better.better, better.p < 0.01) == ("b", True)
    assert pair_of("latency_p95", a, a + 50, test="randomization(alternative=greater)").p > 0.9


def test_no_margin_of_scores_is_laid_on_what_is_no_mean_of_scores():
    asked = {"latency_p95": ("equivalence", "tukey_hsd"), "gm_map": ("non_inferiority", "bayesian(rope=0.1)")}
    for metric, tests in {**asked, "num_rel_ret": ("equivalence",)}.items():
        for test in tests:
            pair = pair_of(metric, A, B, test=test)
            assert (math.isnan(pair.p), bool(pair.untested), pair.is_significant) == (True, True, False), (metric, test)


def test_difference_and_interval_rest_on_the_same_queries():
    """The hardest queries lack a score in a: over its own queries it looks better than b, which is better everywhere."""
    b = A + 0.05 + np.random.default_rng(1).uniform(0, 0.01, N)
    a = A.copy()
    a[np.argsort(A)[:15]] = math.nan
    pair = pair_of("ndcg@10", a, b)
    has = ~np.isnan(a)
    assert np.nanmean(a) > b.mean()
    assert (pair.n, pair.value_a, pair.value_b) == (25, pytest.approx(a[has].mean()), pytest.approx(b[has].mean()))
    assert pair.low <= pair.difference <= pair.high
    assert pair.improvement == pair.difference > 0
    assert pair.relative == pytest.approx(pair.difference / a[has].mean())


def timed(name, times, provenance):
    return system(name, {"mrr": A.tolist(), "latency": list(times)}, provenance={"latency_ms": provenance})


def test_one_batched_system_is_enough_and_single_queries_are_tested():
    alone = {"mean": 2.0, "p50": 2.0}
    mixed = [timed("one", [2.0] * N, {"mean": 2.0}), timed("other", 3 + A, alone)]
    assert math.isnan(compared(*mixed, correct_metrics=True).pair("latency", "one", "other").p)
    singly = [timed("one", 2 + A, alone), timed("other", 3 + A, alone)]
    assert compared(*singly, correct_metrics=True).pair("latency", "one", "other").better == "one"
    for test in ("tukey_hsd", "anova"):
        of_all = compared(*singly, timed("third", 2 + B, {"mean": 1.0}), test=test)
        assert {pair.untested for pair in of_all.pairs if pair.metric == "latency"} == {SHARED_TIMES}
        assert list(of_all.fields) == ["mrr"]


def test_tests_for_many_systems_know_which_way_a_metric_points():
    systems = [system(name, {"latency": (shift + A).tolist()}) for name, shift in (("slow", 30), ("quick", 10), ("mid", 20))]
    for test in ("tukey_hsd", "randomized_tukey_hsd(resamples=200)", "friedman"):
        comparison = compared(*systems, test=test)
        assert comparison.pair("latency", "slow", "quick").better == "quick"
        assert comparison.pair("latency", "quick", "mid").better == "quick"


def test_figures_of_all_queries_together_are_compared_without_scores():
    """No query has a balance of its own: none is better or worse, and none moved most."""
    rows = [{"query_id": f"q{n}", "route": "code" if n % 3 else "chat", "optimal_expert": "code"} for n in range(1, 9)]
    rows.append({"query_id": "q0", "route": "chat", "optimal_expert": "chat"})
    old = evaluate_routing(rows, name="old")
    new = evaluate_routing([{**row, "route": row["optimal_expert"]} for row in rows], name="new")
    found = compared(old, new)
    (pair,) = [one for one in found.pairs if one.metric == "load_balance"]
    assert (pair.wins, pair.ties, pair.losses) == (0, 0, 0)
    assert pair.difference == pytest.approx(new["load_balance"] - old["load_balance"])
    assert largest_losses(found, "load_balance", "old", "new") == []


def test_remarks(snapshots):
    """What is to be known about p and intervals that are not by the test asked for."""
    slow = np.where(np.arange(N) < 8, 30 + 10 * A, 3 + A)
    quantiles = [system(name, {"latency_p95": list(times)}) for name, times in (("a", 10 + A), ("b", slow))]
    singly = [timed(name, by + A, {"mean": 2.0, "p50": 2.0}) for name, by in (("one", 2), ("other", 3))]
    rows = [{"query_id": f"q{n}", "route": "code" if n % 3 else "chat", "gated": n % 2, "cost": n + 1} for n in range(9)]
    rows = [{**row, "needs_retrieval": n % 5 > 1} for n, row in enumerate(rows)]
    changed = [{**row, "gated": not row["gated"], "route": "code"} for row in rows]
    comparisons = {
        "a quantile": compared(*quantiles),
        "times of batches": compared(*singly, timed("third", 2 + B, {"mean": 1.0}), baseline="one"),
        "few queries": compared(*old_and_new(), test="bootstrap"),
        "enough queries": compared(*ladder(2), test="bootstrap"),
        "figures that are no means": compared(evaluate_routing(rows, name="old"), evaluate_routing(changed, name="new")),
        "a rope": compared(system("a", {"mrr": [0.5] * 12}), system("b", {"mrr": [1.0] * 12}), test="bayesian(rope=0.1)"),
    }
    text = "".join(f"## {name}\n" + "".join(f"{remark}\n" for remark in one.remarks) for name, one in comparisons.items())
    snapshots.check("compare/remarks", text)
