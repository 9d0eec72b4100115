"""Gaffke's bound against Clopper–Pearson, closed forms, and random Dirichlet weights."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from assay.errors import BadParameter
from assay.stats import gaffke_bound, gaffke_of_counts, gaffke_p

SCORES = st.lists(st.floats(-1, 1), min_size=1, max_size=30)


@pytest.mark.parametrize("n", [0, 1, 2, 5, 20, 200, 1000])
@pytest.mark.parametrize("margin", [0.001, 0.02, 0.05, 0.5])
def test_nothing_changed(n: int, margin: float) -> None:
    """(1 − m)ⁿ: exact down to the smallest p."""
    assert gaffke_p(np.zeros(n), margin) == pytest.approx((1 - margin) ** n, rel=1e-11)


@pytest.mark.parametrize("n", [1, 5, 20, 50, 200, 1000])
def test_losses_of_whole_queries_are_clopper_pearson(n: int) -> None:
    for lost in sorted({0, n // 3, n // 2, n - 1}):
        differences = np.repeat([-1.0, 0.0], [lost, n - lost])
        assert gaffke_bound(differences) == pytest.approx(-beta.ppf(0.975, lost + 1, n - lost), abs=1e-10)
        for margin in (0.01, 0.05, 0.3):
            p = beta.sf(margin, lost + 1, n - lost)
            assert gaffke_p(differences, margin) == pytest.approx(p, rel=1e-8)


@pytest.mark.parametrize(("n", "margin"), [(1, 0.3), (3, 0.3), (12, 0.2), (40, 0.05)])
def test_weights_drawn_at_random(n: int, margin: float) -> None:
    """The definition itself: exponential weights, one more query that lost everything."""
    rng = np.random.default_rng(n)
    differences = np.where(rng.random(n) < 0.5, 0.0, rng.uniform(-1, 1, n))
    weights = rng.exponential(size=(400_000, n + 1))
    expected = float((weights @ (np.append(differences, -1.0) + margin) <= 0).mean())
    assert gaffke_p(differences, margin) == pytest.approx(expected, abs=4 * math.sqrt(0.25 / 400_000))


def test_no_query_and_all_lost() -> None:
    assert gaffke_bound([]) == -1.0
    assert gaffke_bound([-1.0, -1.0]) == -1.0
    assert gaffke_p([], 0.05) == 1.0
    assert gaffke_p([-1.0, -1.0], 0.05) == 1.0
    assert gaffke_p([0.5, 0.5], 1.0) == 0.0
    assert gaffke_p([1.0], 0.0) == pytest.approx(0.5, abs=1e-12)


def test_known_sizes_at_which_an_unchanged_run_passes() -> None:
    for margin, n in ((0.01, 368), (0.02, 183), (0.05, 72), (0.10, 36)):
        assert gaffke_p(np.zeros(n), margin) <= 0.025 < gaffke_p(np.zeros(n - 1), margin)


@given(SCORES, st.floats(-0.9, 0.9), st.floats(0.001, 0.1))
@settings(max_examples=100, deadline=None)
def test_a_larger_margin_has_a_smaller_p(differences: list[float], margin: float, more: float) -> None:
    assert gaffke_p(differences, margin + more) <= gaffke_p(differences, margin) + 1e-10


@given(SCORES, st.floats(0.001, 0.5))
@settings(max_examples=100, deadline=None)
def test_the_bound_is_where_p_is_alpha(differences: list[float], alpha: float) -> None:
    bound = gaffke_bound(differences, alpha)
    assert -1.0 <= bound <= max(max(differences), 0.0) or bound == pytest.approx(max(differences))
    if -1.0 + 1e-6 < bound < max(differences) - 1e-6:
        assert gaffke_p(differences, -bound) == pytest.approx(alpha, rel=1e-6)
        assert gaffke_p(differences, -bound - 1e-4) >= alpha - 1e-9


@given(SCORES, st.randoms())
@settings(max_examples=50, deadline=None)
def test_the_order_of_queries_does_not_change_a_bit(differences: list[float], random: object) -> None:
    shuffled = list(differences)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert gaffke_p(differences, 0.05) == gaffke_p(shuffled, 0.05)
    assert gaffke_bound(differences) == gaffke_bound(shuffled)


@given(SCORES, st.floats(0.5, 100))
@settings(max_examples=50, deadline=None)
def test_the_scale_of_a_metric_does_not_matter(differences: list[float], scale: float) -> None:
    scaled = np.array(differences) * scale
    assert gaffke_p(scaled, 0.05 * scale, -scale) == pytest.approx(gaffke_p(differences, 0.05), abs=1e-8)


def test_counts_are_many_experiments_at_once() -> None:
    rng = np.random.default_rng(1)
    values = np.array([-1.0, -0.5, -0.05, 0.0, 0.2])
    counts = rng.multinomial(30, [0.05, 0.1, 0.2, 0.5, 0.15], size=20)
    alone = [gaffke_p(np.repeat(values, row), 0.1) for row in counts]
    assert gaffke_of_counts(values, counts, 0.1) == pytest.approx(alone, rel=1e-9)


def test_differences_below_the_lowest_are_an_error() -> None:
    with pytest.raises(BadParameter, match="lowest possible difference"):
        gaffke_p([-1.5, 0.0], 0.05)
    with pytest.raises(BadParameter, match="finite"):
        gaffke_bound([float("nan"), 0.0])


def test_millions_of_queries_with_a_mean_of_zero_have_a_p_of_one_half():
    """A gate asks how many queries would decide where the drop equals the margin: no number would."""
    p = gaffke_of_counts(np.array([-0.4, 0.0, 0.4]), np.array([[2_800_000, 2_800_000, 2_800_000]]), 0.0)
    assert p[0] == pytest.approx(0.5, abs=1e-3)
