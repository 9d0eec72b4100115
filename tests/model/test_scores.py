"""ScoreTable: how columns come down to figures; and metrics over views that are not rankings."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model import (
    EVENNESS,
    GEOMETRIC_FLOOR,
    GEOMETRIC_MEAN,
    MEAN,
    PERCENTAGE,
    PERCENTAGE_OF_SUMS,
    SUM,
    TEXT,
    Column,
    Composed,
    ScoreTable,
    quantile,
)

NAN = math.nan
KINDS = np.array([[7.0, 2.0], [9.0, 2.0]])
"""Two kinds of two."""
FIGURES = [  # scores, how they are summarised, the figure
    ([0.5, 0.0, 1.0, 0.0], MEAN, 0.375),
    ([0.5, 0.0, 1.0, 0.0], SUM, 1.5),
    ([0.5, 0.0, 1.0, 0.0], quantile(0), 0),
    ([0.5, 0.0, 1.0, 0.0], quantile(0.5), 0.25),
    ([0.5, 0.0, 1.0, 0.0], quantile(1), 1),
    ([0.5, 0.0, 1.0, 0.0], quantile(0.95), 0.5 + 0.85 * 0.5),  # 0.95 · 3: 85 % of the way from the third to the fourth
    ([1.0, NAN, 0.0], MEAN, 0.5),  # what is undefined does not count
    ([100.0, 0.0, NAN], PERCENTAGE, 50.0),
    ([0.25, 1.0], GEOMETRIC_MEAN, 0.5),
    ([0.0, 1.0], GEOMETRIC_MEAN, math.sqrt(GEOMETRIC_FLOOR)),  # small scores are lifted to the floor
    ([1e-9, 1e-9], GEOMETRIC_MEAN, GEOMETRIC_FLOOR),
    (Composed(np.array([25.0, NAN]), np.array([[1.0, 4.0], [2.0, 0.0]])), PERCENTAGE_OF_SUMS, 75.0),
    (Composed(np.array([NAN]), np.array([[1.0, 0.0]])), PERCENTAGE_OF_SUMS, NAN),  # a percentage of nothing
    (Composed(np.ones(2), KINDS), EVENNESS, 1.0),  # two kinds in equal shares, of two and of four
    (Composed(np.ones(2), KINDS * [1, 2]), EVENNESS, 0.5),
    (Composed(np.ones(1), np.array([[7.0, 1.0]])), EVENNESS, NAN),
    ([0.4, 0.6], EVENNESS, 0.5),  # without parts the mean of the scores stands for it
    *(([], aggregation, NAN) for aggregation in (MEAN, SUM, GEOMETRIC_MEAN, quantile(0.5))),
]


def summary(scores, aggregation):
    column = Column.of(np.array(scores) if isinstance(scores, list) else scores, aggregation)
    return ScoreTable(tuple(map(str, range(len(column.score)))), {"m": column}).summary()["m"]


def test_figures_by_hand():
    for scores, aggregation, figure in FIGURES:
        assert summary(scores, aggregation) == pytest.approx(figure, nan_ok=True), (scores, aggregation)
    assert np.isnan(Column.undefined(3, PERCENTAGE_OF_SUMS).summary())
    assert Column.undefined(3, MEAN).score.shape == (3,)


@given(st.lists(st.floats(0, 1), min_size=1), st.floats(0, 1))
def test_figures_lie_between_the_least_and_the_greatest_score(scores, q):
    for aggregation in (MEAN, quantile(q)):
        assert min(scores) - 1e-12 <= summary(scores, aggregation) <= max(scores) + 1e-12
    assert summary(scores, GEOMETRIC_MEAN) <= max(summary(scores, MEAN), GEOMETRIC_FLOOR) + 1e-12


def test_a_table_gives_plain_values_in_any_order():
    columns = {"m": Column.of(np.array([3, 1, 2]), SUM), "t": Column.of(["a", "b", "c"], TEXT)}
    table = ScoreTable(("q1", "q2", "q3"), columns)
    assert table.summary() == {"m": 6.0}  # text has none
    assert table.by_query()["q1"] == {"m": 3.0, "t": "a"}
    assert type(table.by_query()["q1"]["m"]) is float
    turned = table.take(np.array([2, 0, 1]))
    assert turned.query_ids == ("q3", "q1", "q2")
    assert turned.by_query() == {query: table.by_query()[query] for query in turned.query_ids}
    assert turned.summary() == table.summary()
    assert ScoreTable((), {}).by_query() == {}


def test_what_is_composed_counts_by_its_parts():
    """The second query has no score of its own, but counts; the third does not count at all."""
    parts = np.array([[1.0, 4.0], [2.0, 0.0], [NAN, NAN]])
    column = Column.of(Composed(np.array([25.0, NAN, NAN]), parts), PERCENTAGE_OF_SUMS)
    assert column.counts.tolist() == [True, True, False]
    assert column.parts() == [[1.0, 4.0], [2.0, 0.0], [None, None]]
    assert ScoreTable(("a", "b", "c"), {"m": column}).take(np.array([2, 1])).columns["m"].counts.tolist() == [False, True]
