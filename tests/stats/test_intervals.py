"""Intervals: against SciPy, by hand, for every way of summing up, and how often they hold the truth."""

import numpy as np
import pytest
from scipy import stats
from tests._variants import for_each

from assay.model import (
    EVENNESS,
    GEOMETRIC_MEAN,
    MEAN,
    PERCENTAGE_OF_SUMS,
    SUM,
    TEXT,
    Aggregation,
    Column,
    Composed,
    quantile,
)
from assay.stats import column_intervals, difference_intervals, figure_difference, index_blocks

from ._scores import SCORES, SIDES

METHODS = ("auto", "bootstrap", "bca", "t", "wilson")
OF_DIFFERENCES = ("bootstrap", "bca", "t", "studentised")


def skewed(n=60, columns=3):
    return np.random.default_rng(0).gamma(0.7, 1, (n, columns))


def of_means(values, method="bootstrap", level=0.95, **how):
    """The interval of the mean of each column, as that of differences from zeros."""
    return difference_intervals(np.zeros_like(values), values, method, level, **how)


def of_one(score, aggregation=MEAN, method="auto", **how):
    return column_intervals({"it": Column.of(score, aggregation)}, method, **how)["it"]


def made_of(parts, aggregation=PERCENTAGE_OF_SUMS):
    return Column.of(Composed(np.full(len(parts), np.nan), np.asarray(parts, float)), aggregation)


def columns_of_all_kinds(n=200):
    rng = np.random.default_rng(2)
    score, other = rng.beta(2, 3, n), rng.integers(1, 9, n).astype(float)
    return {
        "mean": Column.of(score, MEAN),
        "sum": Column.of(other, SUM),
        "geometric": Column.of(np.where(score < 0.2, 0, score), GEOMETRIC_MEAN),
        "p95": Column.of(other + score, quantile(0.95)),
        "hit": Column.of((score > 0.1).astype(float), MEAN),
        "hits": Column.of((score > 0.1).astype(float), SUM),
        "holes": Column.of(np.where(rng.random(n) < 0.3, np.nan, score), MEAN),
        "spread": Column.of(score, Aggregation("spread", lambda values, _: float(np.std(values)))),
        "percentage": made_of(np.column_stack([score, other])),
        "evenness": made_of(np.column_stack([rng.integers(0, 3, n), np.full(n, 4)]), EVENNESS),
        "text": Column.of(["x"] * n, TEXT),
    }


@for_each("method, level", [("bootstrap", 0.8), ("bca", 0.95)])
def test_the_bootstrap_is_that_of_scipy(method, level):
    values = skewed()[:, :1]
    interval = of_means(values, method, level, resamples=20_000)
    how = {"n_resamples": 20_000, "batch": 5000, "method": {"bootstrap": "percentile", "bca": "BCa"}[method]}
    how["random_state"] = np.random.default_rng(1)  # SciPy 1.15 and newer call it rng, and read both
    theirs = stats.bootstrap((values[:, 0],), np.mean, confidence_level=level, **how).confidence_interval
    ends = interval.low[0], interval.high[0]
    assert ends == pytest.approx((theirs.low, theirs.high), abs=0.03 * (theirs.high - theirs.low))


@for_each("level", [0.5, 0.95, 0.999])
def test_t_and_wilson_are_those_of_scipy(level):
    values = skewed()
    interval, theirs = of_means(values, "t", level), stats.t.interval(level, 59, values.mean(axis=0), stats.sem(values))
    np.testing.assert_allclose(interval, theirs, rtol=1e-10)
    for hits, n in ((0, 10), (3, 9), (10, 10), (199, 200)):
        wilson = stats.binomtest(hits, n).proportion_ci(level, method="wilson")
        ends = of_one((np.arange(n) < hits).astype(float), method="wilson", level=level)[:2]
        assert ends == pytest.approx((wilson.low, wilson.high), abs=1e-12)


def test_studentised_means_by_hand():
    values = skewed(40, 1)[:, 0]
    drawn = values[np.concatenate(list(index_blocks(40, 2000, 0)))]
    t = (drawn.mean(axis=1) - values.mean()) / stats.sem(drawn, axis=1)
    ends = values.mean() - np.quantile(t, [0.975, 0.025]) * stats.sem(values)
    np.testing.assert_allclose(np.ravel(of_means(values[:, None], "studentised", resamples=2000)), ends, rtol=1e-9)


@for_each("method", OF_DIFFERENCES)
def test_differences_are_paired_and_point_upwards(method):
    a = skewed()
    b = a + 0.1 + np.random.default_rng(1).normal(0, 0.01, a.shape)
    interval = difference_intervals(a, b, method)
    assert ((interval.low > 0.09) & (interval.high < 0.11) & (interval.low < interval.high)).all()
    assert difference_intervals(b, a, method).low == pytest.approx(-interval.high, rel=0.03)


def test_every_summary_lies_in_its_interval_by_the_method_asked_for_or_the_nearest_that_fits():
    columns, used = columns_of_all_kinds(), {}
    for method in METHODS:
        intervals = column_intervals(columns, method, resamples=1000)
        assert list(intervals) == [name for name in columns if name != "text"]
        for name, (low, high, by) in intervals.items():
            assert low < columns[name].summary() < high, (method, name, by)
        used[method] = {name: by for name, (_, _, by) in intervals.items()}
    assert {used["auto"][name] for name in ("hit", "hits")} == {"wilson"}
    assert {used["auto"][name] for name in ("mean", "sum", "geometric", "holes")} == {"t"}
    assert used["auto"]["p95"] == "bootstrap"
    assert {used["t"][name] for name in ("mean", "sum", "geometric", "hit", "holes")} == {"t"}
    assert {used["bca"][name] for name in ("mean", "sum", "geometric", "percentage", "hit", "holes")} == {"bca"}
    assert {used["t"]["p95"], used["bca"]["p95"], used["wilson"]["mean"]} == {"bootstrap"}
    assert {methods["spread"] for methods in used.values()} == {"bootstrap"}


@for_each("n", [2, 20, 10_000])
def test_a_mean_has_the_interval_of_student_so_that_no_digit_is_random(n):
    score = np.random.default_rng(1).random(n)
    kinds = {"mean": (score, MEAN), "hit": (np.round(score), MEAN), "p50": (score, quantile(0.5))}
    columns = {name: Column.of(*kind) for name, kind in kinds.items()}
    intervals = column_intervals(columns, resamples=20)
    assert [used for _, _, used in intervals.values()] == ["t", "wilson", "bootstrap"]
    assert intervals["mean"] == column_intervals(columns, "t", seed=1)["mean"]


@for_each("name", ["mean", "sum", "geometric", "p95", "hit", "spread", "percentage", "evenness"])
def test_resampled_summaries_are_summaries_of_resamples(name):
    column = columns_of_all_kinds()[name]
    rows = np.concatenate(list(index_blocks(len(column.score), 200, 9)))
    summaries = [Column(column.score[row], column.weight[row], column.aggregation).summary() for row in rows]
    ends = column_intervals({name: column}, "bootstrap", resamples=200, seed=9)[name][:2]
    between_neighbours = 1e-3 if name == "geometric" else 1e-11  # the mean of logs is interpolated, then exponentiated
    assert ends == pytest.approx(np.quantile(summaries, [0.025, 0.975]), rel=between_neighbours)


def test_undefined_scores_and_resamples_are_left_out():
    column = columns_of_all_kinds()["holes"]
    assert of_one(column.score) == of_one(column.score[~np.isnan(column.score)])
    one_to_divide_by = made_of([[1, 2], [0, 0], [0, 0]])  # 8 of 27 resamples have nothing, all others 50 %
    assert column_intervals({"it": one_to_divide_by})["it"][:2] == (pytest.approx(50.0), pytest.approx(50.0))
    nothing = made_of(np.zeros((3, 2)))
    assert np.isnan(column_intervals({"it": nothing})["it"][:2]).all()
    assert np.isnan(figure_difference(nothing, one_to_divide_by)).all()


@for_each("method", METHODS)
def test_too_few_queries(method):
    for score in ([], [np.nan, np.nan], [0.3], [0.3, np.inf, 1.0]):
        low, high, used = of_one(np.array(score), method=method)
        assert (np.isnan([low, high]).all(), used) == (True, "none"), score
    assert of_one(np.array([0.3] * 9), method=method)[:2] == (0.3, 0.3)


def test_of_many_queries_no_percentage_needs_resamples():
    """From 10,000 on, the t interval of what each query contributes is the bootstrap's, but for its own noise."""
    rng = np.random.default_rng(6)
    cost = rng.random(10_000)
    column = made_of(np.column_stack([cost * (rng.random(10_000) < 0.3), cost]))
    low, high, used = column_intervals({"it": column})["it"]
    drawn = column_intervals({"it": column}, "bootstrap", resamples=300)["it"]
    assert (used, drawn[2]) == ("t", "bootstrap")
    assert (low, high) == pytest.approx(drawn[:2], abs=0.2 * (high - low))


def test_of_many_queries_kinds_are_drawn():
    """Drawing by kind is drawing by query."""
    kinds = np.random.default_rng(4).choice(3, 10_000, p=[0.6, 0.3, 0.1])
    column = made_of(np.column_stack([kinds, np.full(10_000, 3)]), EVENNESS)
    low, high, _ = column_intervals({"it": column}, resamples=300)["it"]
    assert low < column.summary() < high
    rows = np.concatenate(list(index_blocks(10_000, 100, 1)))
    spread = np.std([EVENNESS.summarise(column.score, column.weight[row]) for row in rows])
    assert high - low == pytest.approx(2 * 1.96 * spread, rel=0.3)


@for_each("aggregation", [quantile(0.95), GEOMETRIC_MEAN, SUM])
def test_a_difference_of_figures_is_the_loop_of_textbooks(aggregation):
    rng = np.random.default_rng(5)
    times = rng.lognormal(2, 0.5, 60)
    a, b = (Column(times * rng.lognormal(0, 0.2, 60), np.arange(1.0, 61), aggregation) for _ in range(2))
    rows = np.concatenate(list(index_blocks(60, 200, 0)))
    drawn = np.array(
        [np.subtract(*(Column(one.score[row], one.weight[row], aggregation).summary() for one in (b, a))) for row in rows]
    )
    seen = b.summary() - a.summary()
    moved = drawn - seen
    for side, extreme in zip(SIDES, (np.abs(moved) >= abs(seen), moved >= seen, moved <= seen), strict=True):
        difference = figure_difference(a, b, side, resamples=200)
        assert difference.p == (1 + extreme.sum()) / 201, side
        assert (difference.low, difference.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))


def test_figures_of_few_queries():
    same, none, one = ([Column.of(np.ones(n), quantile(0.95))] * 2 for n in (5, 0, 1))
    assert figure_difference(*same) == (0.0, 0.0, 1.0)
    assert np.isnan(figure_difference(*none)).all()
    assert figure_difference(*one).p == 1
    few = [Column.of(np.full(3, value), quantile(0.95)) for value in (1.0, 2.0)]
    assert figure_difference(*few) == (1.0, 1.0, 2 / 2**3)


@for_each("method", ("auto", "bca"))
def test_columns_do_not_disturb_each_other(method):
    columns = columns_of_all_kinds()
    together = column_intervals(columns, method, resamples=300)
    for name in together:
        assert column_intervals({name: columns[name]}, method, resamples=300)[name] == together[name], name


@for_each("method", OF_DIFFERENCES)
def test_scale_does_not_matter_and_the_seed_decides(method):
    plain = np.array(of_means(skewed(), method, resamples=200))
    for power in (-900, 900):
        scaled = np.array(of_means(skewed() * 2.0**power, method, resamples=200))
        np.testing.assert_allclose(scaled, plain * 2.0**power, rtol=1e-12)
    assert np.array_equal(of_means(skewed(), method, seed=6, resamples=200), plain) == (method == "t")


def test_what_cannot_be_asked(snapshots):
    zeros = np.zeros((3, 1))
    cases = {f"level {level!r}": lambda level=level: column_intervals({}, level=level) for level in (0, 95, "0.95", True)}
    cases |= {f"seed {seed!r}": lambda seed=seed: column_intervals({}, seed=seed) for seed in (-1, 1.5, "0", None)}
    cases |= {f"resamples {n}": lambda n=n: column_intervals({}, resamples=n) for n in (0, 1.5, 10**8)}
    cases |= {
        "method": lambda: column_intervals({}, "magic"),
        "other queries": lambda: difference_intervals(zeros, np.zeros((4, 1))),
        "differences by Wilson's": lambda: difference_intervals(zeros, zeros, "wilson"),
    }
    snapshots.check_errors("stats/intervals", cases)


# How often they hold the truth, in 2,000 experiments


def coverage(values, truth, method):
    if method == "wilson":
        ends = column_intervals({str(n): Column.of(column, MEAN) for n, column in enumerate(values.T)}, "wilson")
        return np.mean([low <= truth <= high for low, high, _ in ends.values()])
    low, high = of_means(values, method, resamples=1000)
    return float(((low <= truth) & (truth <= high)).mean())


@pytest.mark.slow
@for_each("kind", SCORES)
def test_intervals_hold_the_truth_as_often_as_they_say(kind):
    values, rank = SCORES[kind](np.random.default_rng(11), (50, 2000)), np.arange(1, 11)
    truth = 0.5 if kind == "beta" else float((0.35 * 0.65 ** (rank - 1) / rank).sum())
    for method in OF_DIFFERENCES:
        assert 0.925 <= coverage(values, truth, method) <= 0.97, method
    few = values[:10]
    assert coverage(few, truth, "bootstrap") < coverage(few, truth, "t") - 0.01  # why auto takes t for few queries


@pytest.mark.slow
def test_where_the_bootstrap_fails_and_wilson_does_not():
    """Hit rates near 1: most samples hold no miss at all."""
    rng = np.random.default_rng(13)
    for share in (0.5, 0.8, 0.9, 0.98):
        assert 0.9 < coverage((rng.random((50, 2000)) < share).astype(float), share, "wilson") <= 0.98, share
    assert coverage((rng.random((50, 2000)) < 0.98).astype(float), 0.98, "bootstrap") < 0.7
