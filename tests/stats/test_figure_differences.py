"""Intervals of differences between figures that are no mean of scores."""

import numpy as np
import pytest

from assay.model.scores import (
    GEOMETRIC_MEAN,
    MEAN,
    PERCENTAGE,
    PERCENTAGE_OF_SUMS,
    RATIO_OF_SUMS,
    SUM,
    Column,
    Composed,
    quantile,
)
from assay.stats import column_intervals
from assay.stats.intervals import figure_difference
from assay.stats.resampling import index_blocks


def latencies(n=60):
    rng = np.random.default_rng(5)
    queries = rng.lognormal(2, 0.5, n)
    return queries * rng.lognormal(0, 0.2, n), queries * rng.lognormal(0, 0.2, n)


@pytest.mark.parametrize("aggregation", [quantile(0.95), quantile(0.5), GEOMETRIC_MEAN, RATIO_OF_SUMS, SUM, MEAN])
@pytest.mark.parametrize("alternative", ["two_sided", "greater", "less"])
def test_a_difference_of_figures_is_the_loop_of_textbooks(aggregation, alternative):
    a, b = (Column(scores, np.arange(1.0, 61), aggregation) for scores in latencies())
    drawn = np.array(
        [
            Column(b.score[row], b.weight[row], aggregation).summary()
            - Column(a.score[row], a.weight[row], aggregation).summary()
            for block in index_blocks(60, 400, 0)
            for row in block
        ]
    )
    seen = b.summary() - a.summary()
    extreme = {
        "two_sided": np.abs(drawn - seen) >= abs(seen),
        "greater": drawn - seen >= seen,
        "less": drawn - seen <= seen,
    }[alternative]
    found = figure_difference(a, b, alternative, resamples=400)
    assert found.p == (1 + extreme.sum()) / 401
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))


def test_figures_of_few_queries():
    same, none, one = ([Column.of(np.ones(n), quantile(0.95))] * 2 for n in (5, 0, 1))
    assert figure_difference(*same) == (0.0, 0.0, 1.0)
    assert np.isnan(figure_difference(*none)).all()
    assert figure_difference(*one).p == 1
    few = [Column.of(np.full(3, value), quantile(0.95)) for value in (1.0, 2.0)]
    assert figure_difference(*few) == (1.0, 1.0, 2 / 2**3)


def test_the_difference_of_a_figure_is_rarely_found_where_there_is_none():
    """Both systems are as quick: at most one in twenty experiments finds a difference of the 95th percentile."""
    rng, found = np.random.default_rng(0), 0
    for _ in range(200):
        a, b = (Column.of(rng.lognormal(2, 0.5, 40), quantile(0.95)) for _ in range(2))
        found += figure_difference(a, b, resamples=300).p <= 0.05
    assert found <= 18


def test_a_percentage_has_100_times_the_interval_of_the_mean():
    rng = np.random.default_rng(3)
    for score in ((rng.random(50) < 0.3).astype(float), rng.random(50)):
        found = column_intervals({"mean": Column.of(score, MEAN), "percentage": Column.of(100 * score, PERCENTAGE)})
        assert found["percentage"][:2] == pytest.approx((100 * found["mean"][0], 100 * found["mean"][1]))
        assert found["percentage"][2] == found["mean"][2]


def test_figures_made_of_parts_are_resampled_whole_and_undefined_resamples_left_out():
    """Of three queries one alone can be divided by: 8 of 27 resamples have nothing, all others 50 % or more."""
    parts = np.array([[1.0, 2.0], [0.0, 0.0], [0.0, 0.0]])
    column = Column.of(Composed(np.array([50.0, np.nan, np.nan]), parts), PERCENTAGE_OF_SUMS)
    low, high, method = column_intervals({"it": column})["it"]
    assert (low, high, method) == (pytest.approx(50.0), pytest.approx(50.0), "bootstrap")
    nothing = Column.of(Composed(np.full(3, np.nan), np.zeros((3, 2))), PERCENTAGE_OF_SUMS)
    assert np.isnan(column_intervals({"it": nothing})["it"][:2]).all()
    assert np.isnan(figure_difference(nothing, column)).all()
    found = figure_difference(column, column._replace(weight=parts * [2, 1]))
    assert (found.low, found.high) == (pytest.approx(50.0), pytest.approx(50.0))


def test_percentages_of_sums_are_resampled_as_by_hand():
    """The same resamples, each worked out by itself; BCa is there too, and lies near."""
    rng = np.random.default_rng(5)
    parts = np.column_stack([rng.normal(0.1, 0.3, 80), rng.random(80)])
    column = Column.of(Composed(np.full(80, np.nan), parts), PERCENTAGE_OF_SUMS)
    drawn = [100 * np.divide(*parts[row].sum(axis=0)) for index in index_blocks(80, 2000, 0) for row in index]
    low, high, method = column_intervals({"it": column}, "bootstrap")["it"]
    assert (low, high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))
    assert method == "bootstrap"
    low_bca, high_bca, method = column_intervals({"it": column}, "bca")["it"]
    assert method == "bca"
    assert (low_bca, high_bca) == pytest.approx((low, high), abs=0.2 * (high - low))


def test_of_many_queries_no_percentage_needs_resamples():
    """From 10,000 on, the t interval of what each query contributes is the bootstrap's, but for its own noise."""
    rng = np.random.default_rng(6)
    cost = rng.random(10_000)
    column = Column.of(
        Composed(np.full(10_000, np.nan), np.column_stack([cost * (rng.random(10_000) < 0.3), cost])), PERCENTAGE_OF_SUMS
    )
    low, high, method = column_intervals({"it": column})["it"]
    drawn = column_intervals({"it": column}, "bootstrap", resamples=500)["it"]
    assert (method, drawn[2]) == ("t", "bootstrap")
    assert (low, high) == pytest.approx(drawn[:2], abs=0.15 * (high - low))
    free = column._replace(weight=np.zeros((10_000, 2)))
    assert np.isnan(column_intervals({"it": free}, resamples=2)["it"][:2]).all()
