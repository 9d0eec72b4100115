"""Quantiles without SciPy are those of SciPy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri, stdtr, stdtrit

from assay.stats import normal_quantile, student_chance, student_quantile

CHANCES = st.floats(1e-9, 1 - 1e-9).filter(lambda p: p != 0.5)


@given(p=CHANCES)
def test_normal(p):
    assert normal_quantile(p) == pytest.approx(ndtri(p), rel=1e-13, abs=1e-15)


@given(p=CHANCES, df=st.one_of(st.floats(1, 1e6), st.integers(1, 5000).map(float)))
def test_student(p, df):
    assert student_quantile(p, df) == pytest.approx(stdtrit(df, p), rel=2e-10, abs=1e-15)


@pytest.mark.parametrize("df", [1.0, 9.0, 39.0, 41.0, 47.0, 999.0, 1000.0, 1e5])
def test_student_at_the_usual_levels(df):
    for level in (0.9, 0.95, 0.99):
        chance = (1 + level) / 2  # stdtrit of SciPy 1.13 is wrong in the eleventh digit, and its inverse stdtr is not
        assert stdtr(df, -student_quantile(chance, df)) == pytest.approx(1 - chance, rel=1e-12)


@given(t=st.lists(st.floats(-60, 60), min_size=1, max_size=8), df=st.integers(1, 100_000))
def test_chance(t, df):
    chances = student_chance(np.array(t), float(df))
    assert chances == pytest.approx(stdtr(df, t), rel=1e-11, abs=1e-300)
    assert [student_chance(np.array([one]), float(df))[0] for one in t] == chances.tolist(), "no bit depends on the others"


def test_chance_at_the_ends():
    assert student_chance(np.array([-math.inf, -0.0, math.inf]), 5.0).tolist() == [0.0, 0.5, 1.0]
    assert math.isnan(student_chance(np.array([math.nan]), 5.0)[0])
    assert student_chance(np.array([]), 5.0).tolist() == []


def test_ends():
    assert [normal_quantile(p) for p in (0.0, 1.0)] == [-math.inf, math.inf]
    assert math.isnan(normal_quantile(2.0))
    assert student_quantile(0.5, 7.0) == 0
    assert student_quantile(0.975, math.inf) == pytest.approx(ndtri(0.975))
    assert math.isnan(student_quantile(0.975, 0.0))
    assert student_quantile(1.0, 3.0) == math.inf
