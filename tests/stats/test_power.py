"""Power: by simulation, against the closed form, and where there is nothing to simulate."""

from __future__ import annotations

import dataclasses
import math
import warnings
from itertools import product

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower
from tests._variants import for_each

from assay.errors import DataError
from assay.stats import Power, analyse_power, minimum_detectable_effect, normal_power, power, queries_needed

BOOK = TTestPower()


def normal_scores(n: int) -> np.ndarray:
    """The quantiles of a normal distribution, with mean 0 and standard deviation 1: as normal as n numbers can be."""
    from scipy.special import ndtri

    values = ndtri((np.arange(n) + 0.5) / n)
    return values / values.std(ddof=1)


def mostly_zero(n: int, share: float) -> np.ndarray:
    """What differences of hit@k look like: nearly all queries agree."""
    values = np.zeros(n)
    values[: round(n * share)] = 1
    return values


def by_simulation(differences, effect, n, alpha=0.05, repeats=4000):
    """A plain loop: draw, test with scipy, count."""
    from scipy.stats import ttest_1samp

    rng = np.random.default_rng(99)
    values = np.asarray(differences, dtype=float)
    spread = (values - values.mean()) * math.sqrt(len(values) / (len(values) - 1))
    with warnings.catch_warnings(action="ignore"):  # where all draws are the same
        outcome = ttest_1samp(rng.choice(spread, size=(n, repeats)) + effect, 0)
    return np.mean((outcome.pvalue <= alpha) & (np.sign(outcome.statistic) == np.sign(effect)))


@for_each("n, size", [(10, 1.0), (200, 0.15), (1000, 0.1)])
def test_power_of_normal_differences_is_that_of_the_book(n, size):
    wanted = BOOK.power(size, n, 0.05)
    assert power(normal_scores(1000), size, n) == pytest.approx(wanted, abs=0.02)
    assert normal_power(n, 1, size) == pytest.approx(wanted, abs=2e-4)


@for_each("size", [2.0, 0.2])
def test_queries_needed_are_those_of_the_book(size):
    wanted = BOOK.solve_power(effect_size=size, power=0.8, alpha=0.05)
    assert queries_needed(normal_scores(500), size) == pytest.approx(wanted, rel=0.04, abs=1.5)
    for n in (20, 500):
        detectable = BOOK.solve_power(nobs=n, power=0.8, alpha=0.05)
        assert minimum_detectable_effect(normal_scores(n)) == pytest.approx(detectable, rel=0.04)


@for_each("effect, share", [(0.05, 0.05), (-0.05, 0.3)])
def test_skewed_differences_agree_with_a_plain_loop(effect, share):
    differences = mostly_zero(60, share)
    assert power(differences, effect, 100) == pytest.approx(by_simulation(differences, effect, 100), abs=0.035)


def test_the_three_figures_belong_together():
    differences = mostly_zero(300, 0.1)
    detectable = minimum_detectable_effect(differences)
    found = min(power(differences, detectable), power(differences, -detectable))
    assert 0.8 <= found < 0.83
    assert queries_needed(differences, detectable) <= 300
    assert queries_needed(differences, 0.99 * detectable) > 300


@for_each("scale", [1e-300, 1e300])
def test_scale_changes_nothing(scale):
    differences = normal_scores(40) + 0.3
    assert power(scale * differences) == pytest.approx(power(differences), abs=2e-4)
    assert minimum_detectable_effect(scale * differences) == pytest.approx(scale * minimum_detectable_effect(differences))
    assert minimum_detectable_effect(-differences) == pytest.approx(minimum_detectable_effect(differences), rel=1e-12)
    assert power(-differences, -0.1) == pytest.approx(power(differences, 0.1), abs=2e-4)  # exchanging the systems
    assert queries_needed(scale * differences, scale * 0.2) == pytest.approx(queries_needed(differences, 0.2), abs=1)


def test_more_effect_or_more_queries_are_found_more_often():
    differences = mostly_zero(200, 0.1) - 0.5 * mostly_zero(200, 0.05)
    chances = [power(differences, effect) for effect in np.linspace(0.001, 0.2, 5)]
    assert chances == sorted(chances)
    chances = [power(differences, 0.03, n) for n in (20, 100, 400)]
    assert chances == sorted(chances)
    needed = [queries_needed(differences, effect) for effect in np.geomspace(0.5, 0.05, 4)]
    assert needed == sorted(needed)


def test_without_an_effect_power_is_the_rate_of_false_alarms():
    assert power(normal_scores(50), 0) == pytest.approx(0.05, abs=0.01)
    assert power(normal_scores(50), 0, alpha=0.2) == pytest.approx(0.2, abs=0.015)
    assert power(normal_scores(50), 0, 10_000) == normal_power(50, 0.2, 0.0) == 0.05


@for_each("value, achieved, needed", [(0.0, 0, None), (0.1, 1, 6), (0.1 + 0.2, 1, 6)])
def test_equal_differences_leave_nothing_to_chance(value, achieved, needed):
    differences = [value] * 5 + [round(value, 12)]
    found = analyse_power(differences)
    assert (found.sd, found.achieved, found.detectable, found.needed) == (0, achieved, 0, needed)
    assert power(differences, 1e-9) == 1
    assert power(differences, 0) == 0
    assert minimum_detectable_effect(differences) == 0
    assert queries_needed(differences, 1e-9) == 6
    assert [normal_power(n, 0, 0.1) for n in (5, 6)] == [0, 1]


def test_too_few_equal_differences_tell_nothing():
    """As in paired_t, whose p is 2 ÷ 2^n there."""
    found = analyse_power([0.1] * 5)
    assert (found.achieved, found.detectable, found.needed) == (0, math.inf, 6)
    for n, alpha in product(range(2, 12), (0.05, 0.01, 1 / 16)):
        assert power([0.1] * 5, n=n, alpha=alpha) == (2 / 2**n <= alpha)


def test_what_the_sentences_say(snapshots):
    found = Power(50, 0.05, 0.01, 0.3, 0.0207, 0.01, 240, 0.8, 0.05)
    others = ({"target": -0.0045, "needed": 1240}, {"detectable": 1234.6}, {"detectable": 12.34}, {"detectable": 0.0001})
    every = [found, *(dataclasses.replace(found, **other) for other in (*others, {"detectable": 1e-9}, {"needed": None}))]
    every += [analyse_power([0.1] * 5), analyse_power([0.1] * 6)]
    times = analyse_power([3.0, 5.0, 1.0, 4.0, 2.0, 6.0, 3.0], target=2.0).told(lambda value: f"{value:.1f} ms", {9.0: 2})
    snapshots.check("stats/power", "\n".join([*(one.sentence for one in every), times]))


def test_the_record_is_what_the_functions_say():
    differences = mostly_zero(60, 0.2)
    found = analyse_power(differences, 0.1, 0.9, 0.01)
    assert found.achieved == power(differences, alpha=0.01)
    assert found.detectable == minimum_detectable_effect(differences, 0.9, 0.01)
    assert found.needed == queries_needed(differences, 0.1, 0.9, 0.01)
    assert (found.n, found.effect, found.sd) == (60, pytest.approx(0.2), pytest.approx(np.std(differences, ddof=1)))
    assert analyse_power(differences, 0.1) != analyse_power(differences, 0.1, seed=1)
    two = analyse_power([0.1, 0.3])
    assert (two.target, 0 < two.achieved < 1, two.detectable > 1, two.needed > 2) == (two.effect, True, True, True)


def test_what_is_refused(snapshots):
    unusable = {"no query": [], "one query": [0.1], "nan": [0.1, math.nan], "two dimensions": [[0.1]], "texts": ["a", "b"]}
    for differences in unusable.values():
        for function in (power, minimum_detectable_effect, lambda values: queries_needed(values, 0.1)):
            with pytest.raises(DataError):
                function(differences)
    scores = normal_scores(20)
    settings = {
        "alpha of 0": lambda: power(scores, alpha=0),
        "n of 1": lambda: power(scores, n=1),
        "effect of nan": lambda: power(scores, math.nan),
        "power of 1": lambda: minimum_detectable_effect(scores, 1.0),
        "power of alpha": lambda: minimum_detectable_effect(scores, 0.05),
        "to find nothing": lambda: queries_needed(scores, 0),
        "to find almost nothing": lambda: queries_needed(scores, 1e-12),
        "to find less than that": lambda: queries_needed(scores, 1e-300),
        "infinite target": lambda: analyse_power(scores, math.inf),
        "negative spread": lambda: normal_power(10, -1, 0.1),
    }
    wrong = {name: lambda differences=differences: analyse_power(differences) for name, differences in unusable.items()}
    snapshots.check_errors("stats/power_errors", {**wrong, **settings})
