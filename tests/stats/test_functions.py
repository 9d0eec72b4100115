"""The plain functions of seeds 002 and 004: what they return, and what they refuse."""

import statistics

import numpy as np
import pytest
from scipy import stats

from assay.errors import BadParameter, DataError
from assay.stats import (
    bootstrap_confidence_interval,
    calculate_confidence_interval,
    paired_bootstrap_test,
    statistical_significance_test,
)
from assay.stats.significance import Pairs, parse_test

A = [0.7, 0.3, 0.2, 0.6, 0.4, 0.4, 0.0, 0.7, 0.1, 0.3]
B = [0.5, 0.1, 0.0, 0.2, 0.4, 0.3, 0.0, 0.5, 0.3, 0.3]


def test_interval_of_one_list():
    found = bootstrap_confidence_interval(A)
    assert [type(figure) for figure in found] == [float, float, float]
    estimate, low, high = found
    assert estimate == pytest.approx(0.37)
    assert 0.2 < low < 0.28 < 0.45 < high < 0.55


def test_three_hits_in_nine():
    estimate, low, high = bootstrap_confidence_interval([1, 1, 1, 0, 0, 0, 0, 0, 0], n_bootstrap=10_000)
    assert (estimate, low) == (pytest.approx(1 / 3), 0)
    assert high == pytest.approx(0.667, abs=0.001)


def test_interval_of_many_metrics():
    estimate, low, high = bootstrap_confidence_interval(np.array([A, B]).T)
    assert [figure.shape for figure in (estimate, low, high)] == [(2,), (2,), (2,)]
    assert (estimate[0], low[0], high[0]) == bootstrap_confidence_interval(A)
    assert (estimate[1], low[1], high[1]) == bootstrap_confidence_interval(B)


def test_wider_for_a_higher_level():
    _, low, high = bootstrap_confidence_interval(A, confidence_level=0.8)
    _, lower, higher = bootstrap_confidence_interval(A, confidence_level=0.99)
    assert lower < low < high < higher


def test_any_figure():
    estimate, low, high = bootstrap_confidence_interval(A, metric_fn=np.median)
    assert estimate == np.median(A)
    assert low < estimate < high
    several = bootstrap_confidence_interval(np.array([A, B]).T, metric_fn=max)
    assert several[0].tolist() == [0.7, 0.5]


@pytest.mark.parametrize("mean", [statistics.fmean, np.average, lambda scores: sum(scores) / len(scores)])
def test_a_mean_by_any_name(mean):
    assert bootstrap_confidence_interval(A, metric_fn=mean) == pytest.approx(bootstrap_confidence_interval(A))


def test_a_figure_that_is_none():
    with pytest.raises(DataError, match="one finite number"):
        bootstrap_confidence_interval(A, metric_fn=lambda scores: scores)
    with pytest.raises(DataError, match="one finite number"):
        bootstrap_confidence_interval(A, metric_fn=lambda scores: np.nan)


def test_seeded():
    assert bootstrap_confidence_interval(A) == bootstrap_confidence_interval(A, seed=0)
    assert bootstrap_confidence_interval(A, metric_fn=np.std) != bootstrap_confidence_interval(A, metric_fn=np.std, seed=1)
    assert paired_bootstrap_test(A, B) == paired_bootstrap_test(A, B)


def test_one_query_and_equal_queries():
    for metric_fn in (np.mean, np.median):
        estimate, low, high = bootstrap_confidence_interval([0.3], metric_fn=metric_fn)
        assert estimate == 0.3
        assert np.isnan([low, high]).all()
        assert bootstrap_confidence_interval([0.3] * 5, metric_fn=metric_fn) == (0.3, 0.3, 0.3)
    assert np.isnan(calculate_confidence_interval([0.3])).all()
    assert calculate_confidence_interval([0.3] * 5) == (0.3, 0.3)


def test_paired_test():
    p, significant = paired_bootstrap_test(A, B)
    assert (type(p), type(significant)) == (float, bool)
    assert 0.01 < p < 0.05
    assert significant
    assert paired_bootstrap_test(A, B, alpha=0.01) == (p, False)
    assert paired_bootstrap_test(B, A)[0] == p
    assert paired_bootstrap_test(values_a=A, values_b=B, n_bootstrap=10_000) == (p, True)


def test_paired_test_at_the_edges():
    assert paired_bootstrap_test(A, A) == (1.0, False)
    assert paired_bootstrap_test([0.1], [0.9]) == (1.0, False)
    assert paired_bootstrap_test([0.1] * 9, [0.9] * 9) == (2 / 2**9, True)  # as likely as nine coins that fall alike
    assert paired_bootstrap_test([0.1] * 2, [0.9] * 2) == (0.5, False)
    assert paired_bootstrap_test([0.1] * 6, [0.9] * 6, alpha=2 / 2**6) == (2 / 2**6, True)  # up to alpha, not below it


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
def test_t_interval(level):
    wanted = stats.t.interval(level, len(A) - 1, np.mean(A), stats.sem(A))
    found = calculate_confidence_interval(A, level)
    assert [type(end) for end in found] == [float, float]
    assert found == pytest.approx(wanted)


def test_independent_t():
    found = statistical_significance_test(A, B)
    wanted = stats.ttest_ind(A, B)
    assert list(found) == ["t_statistic", "p_value", "significant", "mean_a", "mean_b"]
    assert (found["t_statistic"], found["p_value"]) == pytest.approx((wanted.statistic, wanted.pvalue))
    assert (found["mean_a"], found["mean_b"], found["significant"]) == (pytest.approx(0.37), pytest.approx(0.26), False)
    assert [type(value) for value in found.values()] == [float, float, bool, float, float]
    assert statistical_significance_test(A, B, alpha=0.5)["significant"]


def test_independent_t_of_samples_of_different_size():
    found = statistical_significance_test(A, B[:4])
    wanted = stats.ttest_ind(A, B[:4])
    assert (found["t_statistic"], found["p_value"]) == pytest.approx((wanted.statistic, wanted.pvalue))


@pytest.mark.parametrize(
    ("a", "b", "t", "p"),
    [
        (A, A, 0, 1),
        ([0.1] * 3, [0.1] * 5, 0, 1),
        ([0.1] * 3, [0.2] * 5, -np.inf, 2 / 56),  # 56 ways to choose three of eight
        ([0.3] * 3, [0.1 + 0.2] * 3, 0, 1),  # differ by rounding only
        ([0.1], [0.9], 0, 1),
    ],
)
def test_independent_t_at_the_edges(a, b, t, p):
    found = statistical_significance_test(a, b)
    assert (found["t_statistic"], found["p_value"]) == (t, pytest.approx(p))
    assert found["significant"] == (p <= 0.05)


def test_significant_is_p_up_to_alpha():
    p = statistical_significance_test(A, B)["p_value"]
    assert statistical_significance_test(A, B, alpha=p)["significant"]


def test_the_test_of_the_catalog_says_the_same():
    outcome = parse_test("independent_t").compare(Pairs(np.array(B)[:, np.newaxis], np.array(A)[:, np.newaxis]))
    found = statistical_significance_test(A, B)
    assert (found["t_statistic"], found["p_value"]) == (outcome.statistic[0], outcome.p[0])


def test_bootstrap_ends_are_never_beyond_all_scores():
    """Rounding used to lead out of the range: a mean of 1.0000000000000002 of scores up to 1."""
    rng = np.random.default_rng(0)
    for seed in range(300):
        n = int(rng.integers(2, 8))
        scores = np.where(rng.random(n) < 0.7, 1.0, rng.random(n))
        _, low, high = bootstrap_confidence_interval(scores, n_bootstrap=200, seed=seed)
        assert scores.min() <= low <= high <= scores.max()


@pytest.mark.parametrize("scale", [2.0**-900, 2.0**900])
def test_scale_does_not_matter(scale):
    a, b = scale * np.array(A), scale * np.array(B)
    assert paired_bootstrap_test(a, b) == paired_bootstrap_test(A, B)
    assert statistical_significance_test(a, b)["p_value"] == pytest.approx(statistical_significance_test(A, B)["p_value"])
    assert np.array(bootstrap_confidence_interval(a)) / scale == pytest.approx(bootstrap_confidence_interval(A))


CALLS = [
    bootstrap_confidence_interval,
    calculate_confidence_interval,
    lambda scores: paired_bootstrap_test(scores, scores),
    lambda scores: statistical_significance_test(scores, A),
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("scores", "complaint"),
    [
        ([], "no scores"),
        ([0.1, float("nan")], "query 2 is nan or infinite"),
        ([float("inf")], "query 1 is nan or infinite"),
        ([1e305, 0], "scale them down"),
        (["a"], "expected numbers"),
        ([[[1.0]]], "3 dimensions"),
        ([[1.0], [1.0, 2.0]], "all rows alike"),
        (0.5, "0 dimensions"),
    ],
)
def test_scores_that_are_none(call, scores, complaint):
    with pytest.raises(DataError, match=complaint):
        call(scores)


def test_pairs_need_the_same_queries():
    with pytest.raises(DataError, match="10 scores against 9"):
        paired_bootstrap_test(A, B[:9])


@pytest.mark.parametrize(
    "call",
    [
        lambda: bootstrap_confidence_interval(A, confidence_level=95),
        lambda: bootstrap_confidence_interval(A, n_bootstrap=0),
        lambda: bootstrap_confidence_interval(A, seed=-1),
        lambda: bootstrap_confidence_interval(A, metric_fn="mean"),
        lambda: calculate_confidence_interval(A, 1),
        lambda: paired_bootstrap_test(A, B, alpha=5),
        lambda: paired_bootstrap_test(A, B, n_bootstrap=2.5),
        lambda: paired_bootstrap_test(A, B, seed=None),
        lambda: statistical_significance_test(A, B, alpha=0),
    ],
)
def test_settings_that_make_no_sense(call):
    with pytest.raises(BadParameter):
        call()
