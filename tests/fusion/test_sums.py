"""Sums: exact, so that the order of adding cannot break a tie."""

from __future__ import annotations

from functools import reduce
from math import fsum
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.fusion.lists import sums

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: value if abs(value) > 1e-9 else 0.0)


@settings(max_examples=200, deadline=None)
@given(st.lists(NUMBERS, min_size=3, max_size=40))
def test_as_exact_as_fsum(values):
    (total,) = sums(np.zeros(len(values), dtype=np.int64), np.array(values), 1, len(values))
    assert total == fsum(values)


def test_any_order_gives_the_same():
    values = [0.1, 0.2, 0.3, 0.6, 0.7]
    assert len({reduce(add, values[turn:] + values[:turn]) for turn in range(5)}) > 1  # plain adding does not
    found = {sums(np.zeros(5, dtype=np.int64), np.array(values[turn:] + values[:turn]), 1, 5)[0] for turn in range(5)}
    assert found == {fsum(values)}


@pytest.mark.parametrize(
    "values", [[1e308, 1e308 / 2, 5.0], [1e-320, 1e-320, 1e-320], [0.0, 0.0, 0.0], [1.0, 1e-200, 1e-201]]
)
def test_very_large_and_very_small_values(values):
    pair = np.array([0, 0, 1])
    found = sums(pair, np.array(values), 3, 3)
    assert found.tolist() == pytest.approx([values[0] + values[1], values[2], 0.0], rel=1e-15, abs=0)


def test_nothing_to_add():
    assert sums(np.array([], dtype=np.int64), np.array([]), 2, 5).tolist() == [0, 0]
