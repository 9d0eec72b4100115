"""Variance components of queries × systems, and the stability of the order of systems."""

import itertools
import math

import numpy as np
import pytest
import statsmodels.formula.api as smf
from scipy import stats
from statsmodels.stats.anova import anova_lm

from assay.errors import DataError
from assay.stats import order_stability, variance_components


def table(n=12, m=4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((n, 1)) + 0.1 * np.arange(m) + 0.2 * rng.random((n, m))


def test_components_are_those_of_the_mean_squares_of_statsmodels():
    import pandas as pd

    scores = table()
    n, m = scores.shape
    rows = [{"query": str(q), "system": str(s), "score": scores[q, s]} for q, s in itertools.product(range(n), range(m))]
    squares = anova_lm(smf.ols("score ~ C(query) + C(system)", pd.DataFrame(rows)).fit())["sum_sq"]
    freedom = {"C(query)": n - 1, "C(system)": m - 1, "Residual": (n - 1) * (m - 1)}
    query, system, residual = (squares[name] / freedom[name] for name in freedom)
    found = variance_components(scores)
    assert found == pytest.approx(((query - residual) / m, (system - residual) / n, residual))
    assert sum(found.shares) == pytest.approx(1)
    assert found.to_dict()["query_share"] == found.shares[0]


def test_components_by_hand():
    """Queries 0 and 1, system b always 0.5 better: means 0.25, 1.25 and 0.5, 1. Nothing is left over.

    Mean squares: queries 2 · 0.5 = 1, systems 2 · 0.125 = 0.25; divided by 2 each.
    """
    assert variance_components([[0.0, 0.5], [1.0, 1.5]]) == pytest.approx((0.5, 0.125, 0.0))
    assert variance_components([[0.0, 1.0], [1.0, 0.0]]) == pytest.approx((0.0, 0.0, 1.0))
    assert all(math.isnan(part) for part in (*variance_components([[0.1, 0.2]]), *variance_components([[1], [2]])))
    assert all(math.isnan(share) for share in variance_components([[0.5, 0.5], [0.5, 0.5]]).shares)


def test_order_is_that_of_all_resamples():
    """Three queries have 27 resamples; the bootstrap draws them with the same chance."""
    scores = np.array([[0.91, 0.23, 0.32], [0.13, 0.57, 0.21], [0.64, 0.41, 0.58]])
    observed = scores.mean(axis=0)
    same, taus, best = [], [], []
    for places in itertools.product(range(3), repeat=3):
        means = scores[list(places)].mean(axis=0)
        same.append((np.argsort(-means) == np.argsort(-observed)).all())
        taus.append(stats.kendalltau(means, observed).statistic)
        best.append(means.argmax() == observed.argmax())
    found = order_stability(scores)
    assert found == pytest.approx((np.mean(same), np.mean(taus), np.mean(best)), abs=0.015)


def test_order_of_equal_systems_and_of_certain_ones():
    assert order_stability([[0.1, 0.5, 0.9]] * 5) == (1.0, 1.0, 1.0)
    equal = order_stability([[0.3, 0.3]] * 5)
    assert (equal.same_order, equal.best_stays) == (1.0, 1.0)
    assert math.isnan(equal.tau)
    assert math.isnan(order_stability([[0.3]]).same_order)
    with pytest.raises(DataError):
        order_stability([[0.1, math.nan]])
