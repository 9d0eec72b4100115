"""Evenness in resamples: the same as one resample after the other, and as drawing by kind."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.scores import EVENNESS, Column, Composed
from assay.stats import column_intervals
from assay.stats.intervals import evenness_of, resample_evenness
from assay.stats.resampling import index_blocks


def parts_of(kinds, n_kinds):
    return np.column_stack([np.asarray(kinds, dtype=float), np.full(len(kinds), float(n_kinds))])


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.integers(1, 8))
def test_a_block_is_its_resamples_one_by_one(kinds, n_kinds):
    parts = parts_of(kinds, max(n_kinds, len(set(kinds))))
    (index,) = index_blocks(len(kinds), 20, 3)
    alone = [EVENNESS.summarise(np.full(len(kinds), np.nan), parts[row]) for row in index]
    assert evenness_of(parts)(index).tolist() == pytest.approx(alone, abs=1e-12, nan_ok=True)


def test_drawing_by_kind_is_drawing_by_query():
    rng = np.random.default_rng(2)
    parts = parts_of(rng.choice(3, 400, p=[0.6, 0.3, 0.1]), 3)
    by_kind = resample_evenness(parts, 4000, 0)
    by_query = np.concatenate([evenness_of(parts)(index) for index in index_blocks(400, 4000, 0)])
    width = np.ptp(np.quantile(by_query, [0.025, 0.975]))
    assert np.quantile(by_kind, [0.025, 0.975]) == pytest.approx(np.quantile(by_query, [0.025, 0.975]), abs=0.1 * width)


def test_of_many_queries_kinds_are_drawn():
    """The interval of 10,000 queries and more has the figure in it, and differs with the seed alone."""
    rng = np.random.default_rng(4)
    parts = parts_of(rng.choice(3, 10_000, p=[0.6, 0.3, 0.1]), 3)
    column = Column.of(Composed(np.full(10_000, np.nan), parts), EVENNESS)
    low, high, method = column_intervals({"it": column})["it"]
    assert low < column.summary() < high
    assert method == "bootstrap"
    assert column_intervals({"it": column})["it"] == (low, high, method)
    assert column_intervals({"it": column}, seed=1)["it"] != (low, high, method)
