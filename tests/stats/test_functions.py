"""The plain functions of seeds 002 and 004: what they return, and what they refuse."""

import statistics

import numpy as np
import pytest
from scipy import stats

from assay.stats import (
    bootstrap_confidence_interval,
    calculate_confidence_interval,
    paired_bootstrap_test,
    statistical_significance_test,
)

A = [0.7, 0.3, 0.2, 0.6, 0.4, 0.4, 0.0, 0.7, 0.1, 0.3]
B = [0.5, 0.1, 0.0, 0.2, 0.4, 0.3, 0.0, 0.5, 0.3, 0.3]


def test_the_bootstrap_interval():
    found = bootstrap_confidence_interval(A)
    assert [type(figure) for figure in found] == [float, float, float]
    assert found == bootstrap_confidence_interval(A, seed=0)
    estimate, low, high = found
    assert estimate == pytest.approx(0.37)
    assert 0.2 < low < 0.28 < 0.45 < high < 0.55
    _, lower, higher = bootstrap_confidence_interval(A, confidence_level=0.99)
    assert lower < low < high < higher
    both = bootstrap_confidence_interval(np.array([A, B]).T)
    assert [figure.tolist() for figure in both] == list(map(list, zip(found, bootstrap_confidence_interval(B), strict=True)))


def test_the_bootstrap_interval_of_any_figure():
    for mean in (statistics.fmean, np.average, lambda scores: sum(scores) / len(scores)):
        assert bootstrap_confidence_interval(A, metric_fn=mean) == pytest.approx(bootstrap_confidence_interval(A))
    estimate, low, high = bootstrap_confidence_interval(A, metric_fn=np.median)
    assert low < estimate == np.median(A) < high
    assert bootstrap_confidence_interval(np.array([A, B]).T, metric_fn=max)[0].tolist() == [0.7, 0.5]
    assert bootstrap_confidence_interval(A, metric_fn=np.std) != bootstrap_confidence_interval(A, metric_fn=np.std, seed=1)


def test_one_query_and_equal_queries():
    for metric_fn in (np.mean, np.median):
        estimate, low, high = bootstrap_confidence_interval([0.3], metric_fn=metric_fn)
        assert estimate == 0.3
        assert np.isnan([low, high]).all()
        assert bootstrap_confidence_interval([0.3] * 5, metric_fn=metric_fn) == (0.3, 0.3, 0.3)
    assert np.isnan(calculate_confidence_interval([0.3])).all()
    assert calculate_confidence_interval([0.3] * 5) == (0.3, 0.3)


def test_bootstrap_ends_are_never_beyond_all_scores():
    """Rounding used to lead out of the range: a mean of 1.0000000000000002 of scores up to 1."""
    rng = np.random.default_rng(0)
    for seed in range(100):
        n = int(rng.integers(2, 8))
        scores = np.where(rng.random(n) < 0.7, 1.0, rng.random(n))
        _, low, high = bootstrap_confidence_interval(scores, n_bootstrap=200, seed=seed)
        assert scores.min() <= low <= high <= scores.max()


def test_the_paired_bootstrap():
    p, significant = paired_bootstrap_test(A, B)
    assert (type(p), type(significant)) == (float, bool)
    assert 0.01 < p < 0.05
    assert significant
    assert paired_bootstrap_test(A, B, alpha=0.01) == (p, False)
    assert paired_bootstrap_test(B, A)[0] == p
    assert paired_bootstrap_test(values_a=A, values_b=B, n_bootstrap=10_000) == (p, True)
    assert paired_bootstrap_test(A, A) == (1.0, False)
    assert paired_bootstrap_test([0.1], [0.9]) == (1.0, False)
    assert paired_bootstrap_test([0.1] * 9, [0.9] * 9) == (2 / 2**9, True)  # as likely as nine coins that fall alike
    assert paired_bootstrap_test([0.1] * 6, [0.9] * 6, alpha=2 / 2**6) == (2 / 2**6, True)  # up to alpha, not below it


def test_the_interval_of_student():
    for level in (0.5, 0.95, 0.99):
        found = calculate_confidence_interval(A, level)
        assert [type(end) for end in found] == [float, float]
        assert found == pytest.approx(stats.t.interval(level, len(A) - 1, np.mean(A), stats.sem(A)))


def test_independent_t():
    found = statistical_significance_test(A, B)
    wanted = stats.ttest_ind(A, B)
    assert list(found) == ["t_statistic", "p_value", "significant", "mean_a", "mean_b"]
    assert (found["t_statistic"], found["p_value"]) == pytest.approx((wanted.statistic, wanted.pvalue))
    assert (found["mean_a"], found["mean_b"], found["significant"]) == (pytest.approx(0.37), pytest.approx(0.26), False)
    assert [type(value) for value in found.values()] == [float, float, bool, float, float]
    assert statistical_significance_test(A, B, alpha=found["p_value"])["significant"]  # up to alpha
    found, wanted = statistical_significance_test(A[:4], B), stats.ttest_ind(A[:4], B)
    assert (found["t_statistic"], found["p_value"]) == pytest.approx((wanted.statistic, wanted.pvalue))
    for a, b, t, p in (
        ([0.1] * 3, [0.1] * 5, 0, 1),
        ([0.1] * 3, [0.2] * 5, -np.inf, 2 / 56),  # 56 ways to choose three of eight
        ([0.3] * 3, [0.1 + 0.2] * 3, 0, 1),  # differ by rounding only
        ([0.1], [0.9], 0, 1),
    ):
        found = statistical_significance_test(a, b)
        assert (found["t_statistic"], found["p_value"]) == (t, pytest.approx(p)), (a, b)
        assert found["significant"] == (p <= 0.05), (a, b)


def test_what_is_refused(snapshots):
    scores = {"none": [], "nan": [0.1, float("nan")], "too large": [1e305, 0], "texts": ["a"], "one number": 0.5}
    scores |= {"three dimensions": [[[1.0]]], "ragged": [[1.0], [1.0, 2.0]]}
    calls = {
        "bootstrap_confidence_interval": bootstrap_confidence_interval,
        "calculate_confidence_interval": calculate_confidence_interval,
        "paired_bootstrap_test": lambda values: paired_bootstrap_test(values, values),
        "statistical_significance_test": lambda values: statistical_significance_test(values, A),
    }
    wrong = {
        f"{name} of scores: {kind}": lambda call=call, values=values: call(values)
        for kind, values in scores.items()
        for name, call in calls.items()
    }
    settings = {
        "other queries": lambda: paired_bootstrap_test(A, B[:9]),
        "level of 95": lambda: bootstrap_confidence_interval(A, confidence_level=95),
        "no resample": lambda: bootstrap_confidence_interval(A, n_bootstrap=0),
        "negative seed": lambda: bootstrap_confidence_interval(A, seed=-1),
        "figure by name": lambda: bootstrap_confidence_interval(A, metric_fn="mean"),
        "figure of many": lambda: bootstrap_confidence_interval(A, metric_fn=lambda values: values),
        "figure of nan": lambda: bootstrap_confidence_interval(A, metric_fn=lambda values: np.nan),
        "level of 1": lambda: calculate_confidence_interval(A, 1),
        "alpha of 5": lambda: paired_bootstrap_test(A, B, alpha=5),
        "no seed": lambda: paired_bootstrap_test(A, B, seed=None),
        "alpha of 0": lambda: statistical_significance_test(A, B, alpha=0),
    }
    snapshots.check_errors("stats/functions", {**wrong, **settings})
