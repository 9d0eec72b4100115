"""Confidence sequences: against a plain loop over a grid of means, for one group and for two, at all times."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from assay.experiments import difference_sequence, mean_sequence


def by_grid(values, alpha, grid):
    """The means that were never excluded, by the formulas of Waudby-Smith & Ramdas 2024 written as loops."""
    inside = []
    for m in grid:
        up = down = 1.0
        total, squares, mean = 0.5, 0.25, 0.5
        is_out = False
        for t, value in enumerate(values, 1):
            variance = squares / t
            stake = math.sqrt(2 * math.log(2 / alpha) / (variance * t * math.log(t + 1)))
            up *= 1 + min(stake, 0.5 / m) * (value - m)
            down *= 1 - min(stake, 0.5 / (1 - m)) * (value - m)
            total += value
            mean = total / (t + 1)
            squares += (value - mean) ** 2
            is_out |= max(up, down) / 2 >= 1 / alpha
        if not is_out:
            inside.append(m)
    return min(inside), max(inside)


@pytest.mark.parametrize("seed", range(3))
def test_the_interval_is_that_of_plain_loops(seed):
    values = np.random.default_rng(seed).beta(2, 5, 150)
    grid = np.linspace(0.001, 0.999, 999)
    estimate = mean_sequence(values, 0.5, 0.05)
    assert (estimate.low, estimate.high) == pytest.approx(by_grid(values.tolist(), 0.05, grid), abs=0.0011)
    assert estimate.value == pytest.approx(values.mean())


def test_the_interval_only_shrinks_and_p_only_falls():
    values = np.random.default_rng(4).binomial(1, 0.3, 800).astype(float)
    looks = [mean_sequence(values[:n], 0.5, 0.05) for n in (0, 1, 10, 50, 200, 800)]
    assert (looks[0].low, looks[0].high, looks[0].p) == (0.0, 1.0, 1.0)
    for earlier, later in pairwise(looks):
        assert earlier.low <= later.low <= later.high <= earlier.high
        assert later.p <= earlier.p


def test_p_and_interval_agree():
    values = np.random.default_rng(9).beta(2, 2, 400)
    for null in np.linspace(0.35, 0.65, 31):
        estimate = mean_sequence(values, float(null), 0.05)
        assert (estimate.p <= 0.05) == (not estimate.low <= null <= estimate.high)


def test_a_difference_of_two_groups():
    draw = np.random.default_rng(1)
    second = (draw.random(3000) < 0.5).astype(float)
    values = draw.binomial(1, 0.2 + 0.15 * second).astype(float)
    estimate = difference_sequence(values, second, 0.5, 0.05)
    assert 0 < estimate.low < 0.15 < estimate.high
    assert estimate.p < 0.05
    mirrored = difference_sequence(values, 1 - second, 0.5, 0.05)
    assert (mirrored.low, mirrored.high, mirrored.p) == pytest.approx((-estimate.high, -estimate.low, estimate.p), abs=1e-9)


def test_looking_at_all_times_finds_nothing_in_most_experiments_without_a_difference():
    """400 experiments: at most 5 % may ever be significant; 7.3 % would be 2 standard errors more."""
    draw, found = np.random.default_rng(2), 0
    for _ in range(400):
        second = (draw.random(400) < 0.3).astype(float)
        found += difference_sequence(draw.beta(0.5, 1.5, 400), second, 0.3, 0.05).p <= 0.05
    assert found / 400 <= 0.073
