"""Intervals: against scipy, by hand, for every way of summing up, and how often they hold the truth."""

import numpy as np
import pytest
from scipy import stats

from assay.errors import BadParameter, DataError
from assay.model.scores import (
    GEOMETRIC_MEAN,
    MEAN,
    RATIO_OF_SUMS,
    SUM,
    TEXT,
    Aggregation,
    Column,
    Ratio,
    quantile,
)
from assay.stats import column_intervals, difference_intervals, intervals, resampling
from assay.stats.mean_intervals import mean_intervals
from assay.stats.resampling import index_blocks

from ._null import SCORES

RESAMPLED = ["bootstrap", "bca"]
OF_DIFFERENCES = ["bootstrap", "bca", "t", "studentised"]


def skewed(n=60, columns=3):
    return np.random.default_rng(0).gamma(0.7, 1, (n, columns))


# Against scipy


@pytest.mark.parametrize("method", RESAMPLED)
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_bootstrap_against_scipy(method, level):
    values = skewed()
    found = mean_intervals(values, method, level, 50_000)
    name = {"bootstrap": "percentile", "bca": "BCa"}[method]
    for number in range(3):
        wanted = stats.bootstrap(
            (values[:, number],), np.mean, n_resamples=50_000, confidence_level=level, method=name, rng=1, batch=5000
        ).confidence_interval
        width = wanted.high - wanted.low
        assert found.low[number] == pytest.approx(wanted.low, abs=0.025 * width)
        assert found.high[number] == pytest.approx(wanted.high, abs=0.025 * width)


def test_bca_is_not_the_plain_percentile_on_skewed_scores():
    plain, better = (mean_intervals(skewed(), method) for method in RESAMPLED)
    assert (better.low > plain.low).all()
    assert (better.high > plain.high).all()


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("level", [0.5, 0.99, 0.999999])
def test_bca_of_one_outlier(level, sign):
    values = sign * np.array([0.0] * 49 + [1.0])[:, np.newaxis]
    low, high = mean_intervals(values, "bca", level)
    assert min(0, sign) <= low[0] <= sign * 0.02 <= high[0] <= max(0, sign)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99, 0.999])
def test_t_against_scipy(level):
    values = skewed()
    low, high = stats.t.interval(level, len(values) - 1, values.mean(axis=0), stats.sem(values))
    found = mean_intervals(values, "t", level)
    assert found.low == pytest.approx(low, rel=1e-10)
    assert found.high == pytest.approx(high, rel=1e-10)


@pytest.mark.parametrize(("hits", "n"), [(0, 10), (3, 9), (10, 10), (199, 200), (1, 1), (0, 1)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_wilson_against_scipy(hits, n, level):
    values = (np.arange(n) < hits).astype(float)[:, np.newaxis]
    wanted = stats.binomtest(hits, n).proportion_ci(level, method="wilson")
    found = mean_intervals(values, "wilson", level)
    assert (found.low[0], found.high[0]) == pytest.approx((wanted.low, wanted.high), abs=1e-12)


def test_studentised_by_hand():
    values = skewed(40, 1)[:, 0]
    drawn = values[np.concatenate(list(index_blocks(40, 2000, 0)))]
    t = (drawn.mean(axis=1) - values.mean()) / stats.sem(drawn, axis=1)
    wanted = values.mean() - np.quantile(t, [0.975, 0.025]) * stats.sem(values)
    found = mean_intervals(values[:, np.newaxis], "studentised")
    assert (found.low[0], found.high[0]) == pytest.approx(wanted, rel=1e-9)


def test_percentiles_are_those_of_numpy():
    values = skewed(40, 1)[:, 0]
    means = values[np.concatenate(list(index_blocks(40, 2000, 0)))].mean(axis=1)
    found = mean_intervals(values[:, np.newaxis])
    assert (found.low[0], found.high[0]) == pytest.approx(np.quantile(means, [0.025, 0.975]), rel=1e-12)


def test_three_hits_in_nine():
    values = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0], dtype=float)[:, np.newaxis]
    found = mean_intervals(values, resamples=10_000)
    assert (found.low[0], found.high[0]) == (0, pytest.approx(2 / 3))


# Differences


@pytest.mark.parametrize("method", OF_DIFFERENCES)
def test_differences_are_paired_and_point_upwards(method):
    a = skewed()
    b = a + 0.1 + np.random.default_rng(1).normal(0, 0.01, a.shape)
    found = difference_intervals(a, b, method)
    assert ((found.low > 0.09) & (found.high < 0.11) & (found.low < found.high)).all()
    back = difference_intervals(b, a, method)
    assert back.low == pytest.approx(-found.high, rel=0.03)


def test_differences_of_other_queries_are_refused():
    with pytest.raises(DataError, match="same queries"):
        difference_intervals(np.zeros((3, 1)), np.zeros((4, 1)))
    with pytest.raises(BadParameter, match="Wilson"):
        difference_intervals(np.zeros((3, 1)), np.zeros((3, 1)), "wilson")


# Every way of summing up


def tabled(n=200):
    rng = np.random.default_rng(2)
    score, other = rng.beta(2, 3, n), rng.integers(1, 9, n).astype(float)
    holes = np.where(rng.random(n) < 0.3, np.nan, score)
    return {
        "mean": Column.of(score, MEAN),
        "sum": Column.of(other, SUM),
        "geometric": Column.of(np.where(score < 0.2, 0, score), GEOMETRIC_MEAN),
        "ratio": Column.of(Ratio(score * other, other), RATIO_OF_SUMS),
        "p95": Column.of(other + score, quantile(0.95)),
        "hit": Column.of((score > 0.1).astype(float), MEAN),
        "hits": Column.of((score > 0.1).astype(float), SUM),
        "holes": Column.of(holes, MEAN),
        "spread": Column.of(score, Aggregation("spread", lambda values, _: float(np.std(values)))),
        "text": Column.of(["x"] * n, TEXT),
    }


@pytest.mark.parametrize("method", ["auto", *RESAMPLED, "t", "wilson"])
def test_every_summary_lies_in_its_interval(method):
    columns = tabled()
    found = column_intervals(columns, method)
    assert list(found) == [name for name in columns if name != "text"]
    for name, (low, high, used) in found.items():
        assert low < columns[name].summary() < high, (name, used)


def test_the_method_is_the_one_asked_for_or_the_nearest_that_fits():
    used = {
        method: {name: found[2] for name, found in column_intervals(tabled(), method).items()}
        for method in intervals.METHODS
    }
    assert {used["auto"][name] for name in ("hit", "hits")} == {"wilson"}
    assert {used["auto"][name] for name in ("mean", "sum", "geometric", "ratio", "p95", "holes")} == {"bootstrap"}
    assert {used["t"][name] for name in ("mean", "sum", "geometric", "hit", "holes")} == {"t"}
    assert {used["bca"][name] for name in ("mean", "sum", "geometric", "ratio", "hit", "holes")} == {"bca"}
    assert {used["t"]["ratio"], used["t"]["p95"], used["bca"]["p95"], used["wilson"]["mean"]} == {"bootstrap"}
    assert {name for found in used.values() for name in [found["spread"]]} == {"bootstrap"}


@pytest.mark.parametrize(("n", "method"), [(2, "t"), (19, "t"), (20, "bootstrap"), (9_999, "bootstrap"), (10_000, "t")])
def test_few_and_many_queries_have_the_interval_of_student(n, method):
    score = np.random.default_rng(1).random(n)
    columns = {
        "mean": Column.of(score, MEAN),
        "hit": Column.of(np.round(score), MEAN),
        "p50": Column.of(score, quantile(0.5)),
    }
    found = column_intervals(columns, resamples=50)
    assert [one[2] for one in found.values()] == [method, "wilson", "bootstrap"]
    if method == "t":
        assert found["mean"] == column_intervals(columns, "t")["mean"]


def test_few_queries_are_covered_better_by_student_than_by_resampling():
    """Reciprocal ranks of ten queries: the interval that auto takes holds the true mean more often, as documented."""
    draw = np.random.default_rng(5)
    ranks = draw.geometric(0.45, size=(10, 4000))
    scores = np.where(ranks > 10, 0.0, 1.0 / ranks)
    truth = sum(0.45 * 0.55 ** (rank - 1) / rank for rank in range(1, 11))
    held = {}
    for method in ("t", "bootstrap"):
        low, high = mean_intervals(scores, method, resamples=500)
        held[method] = float(((low <= truth) & (truth <= high)).mean())
    assert 0.92 < held["t"] < 0.97
    assert held["bootstrap"] < held["t"] - 0.015


def test_many_queries_need_no_resampling():
    columns = {
        "mean": Column.of(np.random.default_rng(0).random(10_000), MEAN),
        "p50": Column.of(np.random.default_rng(0).random(10_000), quantile(0.5)),
    }
    found = column_intervals(columns, resamples=200)
    assert (found["mean"][2], found["p50"][2]) == ("t", "bootstrap")
    boot = column_intervals(columns, "bootstrap")["mean"]
    assert found["mean"][:2] == pytest.approx(boot[:2], abs=0.001)


@pytest.mark.parametrize("name", ["mean", "sum", "geometric", "ratio", "p95", "hit", "spread"])
def test_resampled_summaries_are_summaries_of_resamples(name):
    column = tabled()[name]
    rows = np.concatenate(list(index_blocks(len(column.score), 500, 9)))
    summaries = [Column(column.score[row], column.weight[row], column.aggregation).summary() for row in rows]
    found = column_intervals({name: column}, "bootstrap", resamples=500, seed=9)[name]
    between_neighbours = 1e-3 if name == "geometric" else 1e-11  # the mean of logs is interpolated, then exponentiated
    assert found[:2] == pytest.approx(np.quantile(summaries, [0.025, 0.975]), rel=between_neighbours)


def test_undefined_scores_are_left_out():
    column = tabled()["holes"]
    dense = Column.of(column.score[~np.isnan(column.score)], MEAN)
    assert column_intervals({"m": column}) == column_intervals({"m": dense})


def test_ratio_with_bca_against_scipy():
    rng = np.random.default_rng(3)
    bottom = rng.integers(1, 30, 50).astype(float)
    top = np.minimum(bottom, rng.integers(0, 9, 50))
    wanted = stats.bootstrap(
        (top, bottom),
        lambda x, y, axis=-1: x.sum(axis=axis) / y.sum(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=50_000,
        batch=5000,
        method="BCa",
        rng=0,
    ).confidence_interval
    low, high, used = column_intervals({"r": Column.of(Ratio(top, bottom), RATIO_OF_SUMS)}, "bca", resamples=50_000)["r"]
    assert used == "bca"
    assert (low, high) == pytest.approx((wanted.low, wanted.high), abs=0.03 * (wanted.high - wanted.low))


@pytest.mark.parametrize("method", intervals.METHODS)
def test_too_few_queries(method):
    nan = np.nan
    columns = {
        "none": Column.of(np.array([]), MEAN),
        "undefined": Column.of(np.array([nan, nan]), MEAN),
        "one": Column.of(np.array([0.3]), MEAN),
        "infinite": Column.of(np.array([0.3, np.inf, 1.0]), MEAN),
        "two": Column.of(np.array([0.3, 0.5]), MEAN),
        "equal": Column.of(np.array([0.3] * 9), MEAN),
    }
    found = column_intervals(columns, method)
    for name in ("none", "undefined", "one", "infinite"):
        assert found[name][2] == "none"
        assert np.isnan(found[name][:2]).all()
    assert found["two"][0] <= 0.3 + 1e-12
    assert found["two"][1] >= 0.5 - 1e-12
    assert found["equal"][:2] == (0.3, 0.3)


def test_hits_that_all_agree_still_have_a_width():
    low, high, used = column_intervals({"hit": Column.of(np.ones(20), MEAN)})["hit"]
    assert (used, high) == ("wilson", 1.0)
    assert 0.8 < low < 0.9


# The same for everybody


@pytest.mark.parametrize("method", intervals.METHODS)
def test_columns_do_not_disturb_each_other(method, monkeypatch):
    columns = tabled()
    together = column_intervals(columns, method, resamples=300)
    alone = {name: column_intervals({name: column}, method, resamples=300) for name, column in columns.items()}
    monkeypatch.setattr(intervals, "MAX_FIGURES_AT_ONCE", 700)
    pieces = column_intervals(columns, method, resamples=300)
    assert together == pieces == {name: found for one in alone.values() for name, found in one.items()}


@pytest.mark.parametrize("method", OF_DIFFERENCES)
def test_groups_of_columns_change_nothing(method, monkeypatch):
    values = skewed(columns=7)
    whole = mean_intervals(values, method, resamples=200)
    monkeypatch.setattr(resampling, "MAX_FIGURES_AT_ONCE", 450)
    assert np.array_equal(whole, mean_intervals(values, method, resamples=200))


@pytest.mark.parametrize("method", OF_DIFFERENCES)
@pytest.mark.parametrize("power", [-900, -30, 30, 900])
def test_scale_does_not_matter(method, power):
    values = skewed()
    found = np.array(mean_intervals(values * 2.0**power, method, resamples=200))
    assert found == pytest.approx(np.array(mean_intervals(values, method, resamples=200)) * 2.0**power, rel=1e-12)


def test_seeds():
    assert np.array_equal(mean_intervals(skewed(), seed=5), mean_intervals(skewed(), seed=5))
    assert not np.array_equal(mean_intervals(skewed(), seed=5), mean_intervals(skewed(), seed=6))


# What cannot be asked


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, float("nan"), "0.95", True])
def test_levels(level):
    with pytest.raises(BadParameter, match="confidence level"):
        column_intervals({}, level=level)


def test_methods():
    with pytest.raises(BadParameter, match="auto, bootstrap, bca, t, wilson"):
        column_intervals({}, "magic")
    with pytest.raises(DataError, match="0 or 1"):
        mean_intervals(np.full((3, 1), 0.5), "wilson")


# How often they hold the truth: 2,000 experiments at n = 50, and more of them


def coverage(values, truth, method):
    found = mean_intervals(values, method, resamples=2000)
    return float(((found.low <= truth) & (truth <= found.high)).mean())


@pytest.mark.parametrize("method", OF_DIFFERENCES)
@pytest.mark.parametrize("kind", SCORES)
def test_intervals_hold_the_truth_as_often_as_they_say(kind, method):
    values = SCORES[kind](np.random.default_rng(11), (50, 4000))
    rank = np.arange(1, 11)
    truth = 0.5 if kind == "beta" else float((0.35 * 0.65 ** (rank - 1) / rank).sum())
    assert 0.925 <= coverage(values[:, :2000], truth, method) <= 0.97
    assert 0.925 <= coverage(values, truth, method) <= 0.97


@pytest.mark.parametrize("share", [0.5, 0.8, 0.9])
def test_wilson_holds_the_truth(share):
    values = (np.random.default_rng(12).random((50, 2000)) < share).astype(float)
    assert 0.925 <= coverage(values, share, "wilson") <= 0.98


def test_where_the_bootstrap_fails_and_wilson_does_not():
    """Hit rates near 1: most samples hold no miss at all."""
    values = (np.random.default_rng(13).random((50, 2000)) < 0.98).astype(float)
    assert coverage(values, 0.98, "bootstrap") < 0.7
    assert coverage(values, 0.98, "wilson") > 0.9
