"""ScoreTable: how columns come down to figures; and metrics over views that are not rankings."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import Policy, Qrels, Run, UsageError
from assay.evaluation.grader import score_views
from assay.metrics.definition import Metric
from assay.metrics.parsing import parse_metrics
from assay.model.scores import (
    EVENNESS,
    GEOMETRIC_FLOOR,
    GEOMETRIC_MEAN,
    MEAN,
    PERCENTAGE,
    PERCENTAGE_OF_SUMS,
    RATIO_OF_SUMS,
    SUM,
    TEXT,
    Column,
    Composed,
    Ratio,
    ScoreTable,
    quantile,
)
from assay.views.grading import grade


def summary(scores, aggregation):
    column = Column.of(scores, aggregation)
    return ScoreTable(tuple(map(str, range(len(column.score)))), {"m": column}).summary()["m"]


@pytest.mark.parametrize(
    ("aggregation", "wanted"),
    [
        (MEAN, 0.375),
        (SUM, 1.5),
        (quantile(0), 0),
        (quantile(0.5), 0.25),
        (quantile(1), 1),
        (quantile(0.95), 0.5 + 0.85 * 0.5),  # 0.95 · 3 = 2.85: 85 % of the way from the third to the fourth
    ],
    ids=repr,
)
def test_aggregations_by_hand(aggregation, wanted):
    assert summary(np.array([0.5, 0.0, 1.0, 0.0]), aggregation) == pytest.approx(wanted)


def test_the_geometric_mean_lifts_small_scores_to_the_floor():
    assert summary(np.array([0.25, 1.0]), GEOMETRIC_MEAN) == pytest.approx(0.5)
    assert summary(np.array([0.0, 1.0]), GEOMETRIC_MEAN) == pytest.approx(math.sqrt(GEOMETRIC_FLOOR))
    assert summary(np.array([1e-9, 1e-9]), GEOMETRIC_MEAN) == pytest.approx(GEOMETRIC_FLOOR)


def test_a_ratio_is_summed_above_and_below():
    scores = Ratio(np.array([1.0, 3.0, 0.0]), np.array([2.0, 3.0, 0.0]))
    column = Column.of(scores, RATIO_OF_SUMS)
    assert column.score.tolist() == [0.5, 1.0, 0.0]
    assert summary(scores, RATIO_OF_SUMS) == pytest.approx(4 / 5)  # and not the mean of the quotients, 0.5
    assert summary(Ratio(np.array([0.0]), np.array([0.0])), RATIO_OF_SUMS) == 0


def test_text_has_no_summary():
    table = ScoreTable(("q1", "q2"), {"t": Column.of(["yes", "no"], TEXT), "m": Column.of(np.array([1, 0]), MEAN)})
    assert table.summary() == {"m": 0.5}
    assert table.by_query() == {"q1": {"t": "yes", "m": 1.0}, "q2": {"t": "no", "m": 0.0}}


def test_nothing_scored_is_nan():
    for aggregation in (MEAN, SUM, GEOMETRIC_MEAN, quantile(0.5)):
        assert math.isnan(summary(np.array([]), aggregation))


def test_by_query_gives_plain_values():
    table = ScoreTable(("q1",), {"n": Column.of(np.array([3]), SUM)})
    assert table.by_query() == {"q1": {"n": 3.0}}
    assert type(table.by_query()["q1"]["n"]) is float
    assert ScoreTable((), {}).by_query() == {}


def test_take_puts_queries_in_another_order():
    columns = {"m": Column.of(np.array([0.1, 0.2, 0.3]), MEAN), "t": Column.of(["a", "b", "c"], TEXT)}
    columns["r"] = Column.of(Ratio(np.array([1.0, 1.0, 3.0]), np.array([1.0, 2.0, 4.0])), RATIO_OF_SUMS)
    table = ScoreTable(("q1", "q2", "q3"), columns)
    turned = table.take(np.array([2, 0, 1]))
    assert turned.query_ids == ("q3", "q1", "q2")
    assert turned.by_query() == {query: table.by_query()[query] for query in turned.query_ids}
    assert turned.summary() == pytest.approx(table.summary())


@given(st.lists(st.floats(0, 1), min_size=1), st.floats(0, 1))
def test_figures_lie_between_the_least_and_the_greatest_score(scores, q):
    for aggregation in (MEAN, quantile(q)):
        assert min(scores) - 1e-12 <= summary(np.array(scores), aggregation) <= max(scores) + 1e-12
    assert summary(np.array(scores), GEOMETRIC_MEAN) <= max(summary(np.array(scores), MEAN), GEOMETRIC_FLOOR) + 1e-12


# --- other views ---------------------------------------------------------------------------------------------------


class Timing(NamedTuple):
    """How long each query took."""

    query_ids: tuple[str, ...]
    seconds: np.ndarray


class Routing(NamedTuple):
    """How many routes each query took, and how many of them were right."""

    query_ids: tuple[str, ...]
    right: np.ndarray
    taken: np.ndarray


QUERIES = ("q1", "q2", "q3")
VIEWS = {
    "timing": Timing(QUERIES, np.array([0.1, 0.2, 0.4])),
    "routing": Routing(QUERIES, np.array([1.0, 0.0, 2.0]), np.array([1.0, 0.0, 4.0])),
}
LATENCY = Metric("latency_p95", lambda view: view.seconds, aggregation=quantile(0.95), view="timing", higher_is_better=False)
ROUTED = Metric("routed", lambda view: Ratio(view.right, view.taken), aggregation=RATIO_OF_SUMS, view="routing")


def test_metrics_over_other_views_need_nothing_new():
    table = score_views(VIEWS, [LATENCY.bind(), ROUTED.bind()])
    assert table.query_ids == QUERIES
    assert table.summary() == pytest.approx({"latency_p95": 0.2 + 0.9 * 0.2, "routed": 3 / 5})
    assert table.by_query()["q3"] == {"latency_p95": 0.4, "routed": 0.5}


def test_rankings_and_other_views_share_a_table():
    run, qrels = Run({"q1": ["a"], "q3": ["x", "a"]}), Qrels({query: {"a"} for query in QUERIES})
    ranking = grade(run, qrels, Policy()).run
    table = score_views({"ranking": ranking, **VIEWS}, [*parse_metrics(["mrr"]), LATENCY.bind()])
    assert table.by_query()["q3"] == {"mrr": 0.5, "latency_p95": 0.4}
    assert table.summary()["mrr"] == pytest.approx(0.5)


def test_a_view_that_is_not_there_is_a_usage_error():
    with pytest.raises(UsageError, match=r"routed.*routing.*timing"):
        score_views({"timing": VIEWS["timing"]}, [ROUTED.bind()])
    with pytest.raises(UsageError, match="latency_p95"):
        assay.evaluate({"q1": {"a"}}, {"q1": ["a"]}, [LATENCY.bind()])


def test_what_is_composed_counts_by_its_parts():
    """The second query has no score of its own, but counts; the third does not count at all."""
    parts = np.array([[1.0, 4.0], [2.0, 0.0], [np.nan, np.nan]])
    column = Column.of(Composed(np.array([25.0, np.nan, np.nan]), parts), PERCENTAGE_OF_SUMS)
    assert column.counts.tolist() == [True, True, False]
    assert column.summary() == 75.0
    assert column.parts() == [[1.0, 4.0], [2.0, 0.0], [None, None]]
    assert ScoreTable(("a", "b", "c"), {"m": column}).take(np.array([2, 1])).columns["m"].counts.tolist() == [False, True]


def test_a_percentage_of_nothing_is_undefined():
    nothing = Column.of(Composed(np.array([np.nan]), np.array([[1.0, 0.0]])), PERCENTAGE_OF_SUMS)
    assert np.isnan(nothing.summary())
    assert np.isnan(Column.undefined(3, PERCENTAGE_OF_SUMS).summary())
    assert Column.undefined(3, MEAN).score.shape == (3,)


def test_a_percentage_is_the_mean_of_percentages():
    assert Column.of(np.array([100.0, 0.0, np.nan]), PERCENTAGE).summary() == 50.0


def test_evenness_by_hand():
    """Two kinds in equal shares, of two and of four; without parts the mean of the scores stands for it."""
    kinds = np.array([[7.0, 2.0], [9.0, 2.0]])
    assert Column.of(Composed(np.ones(2), kinds), EVENNESS).summary() == pytest.approx(1.0)
    assert Column.of(Composed(np.ones(2), kinds * [1, 2]), EVENNESS).summary() == pytest.approx(0.5)
    assert np.isnan(Column.of(Composed(np.ones(1), np.array([[7.0, 1.0]])), EVENNESS).summary())
    assert Column.of(np.array([0.4, 0.6]), EVENNESS).summary() == pytest.approx(0.5)
