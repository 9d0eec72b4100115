"""The randomisation test without random draws: against every swap, against whole numbers, and against many draws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests._variants import for_each

from assay.stats import Pairs, parse_test, sign_flip_p

SIDES = ("two_sided", "greater", "less")


def p_of_every_swap(differences, alternative):
    """All 2^n signs, one by one."""
    sums = np.zeros(1)
    for difference in differences:
        sums = np.concatenate([sums + difference, sums - difference])
    total, slack = differences.sum(), 1e-9
    if alternative == "greater":
        return (sums >= total - slack).mean()
    if alternative == "less":
        return (sums <= total + slack).mean()
    return (np.abs(sums) >= abs(total) - slack).mean()


def p_of_whole_numbers(numbers):
    """Two-sided p for whole numbers, by adding one after the other without rounding."""
    sizes = np.abs(numbers[numbers != 0])
    middle = int(sizes.sum())
    chances = np.zeros(2 * middle + 1)
    chances[middle] = 1
    for size in sizes.tolist():
        chances = (np.pad(chances, (size, 0))[:-size] + np.pad(chances, (0, size))[size:]) / 2
    total = abs(int(numbers.sum()))
    return min(1.0, 2 * chances[middle + total :].sum()) if total else 1.0


@given(st.lists(st.sampled_from([-1, -0.5, -1 / 3, -0.1, 0, 0.1, 0.2, 1 / 7, 0.5, 1]), min_size=1, max_size=14))
def test_every_swap_of_reciprocal_ranks_is_counted(differences):
    values = np.array(differences)
    for side in SIDES:
        expected = p_of_every_swap(values, side) if values.any() else 1.0
        assert sign_flip_p(values, side) == pytest.approx(expected, abs=1e-9)


@for_each("seed", range(6))
def test_continuous_differences_are_accurate_to_the_last_printed_digit(seed):
    values = np.random.default_rng(seed).normal(0.05, 0.2, 18)
    for side in SIDES:
        assert sign_flip_p(values, side) == pytest.approx(p_of_every_swap(values, side), abs=2e-4)


@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=16), st.integers(0, 3))
def test_no_p_is_below_that_of_equal_coins(sizes, n_gains):
    """If every query lost, p is 2^-n, however the losses differ."""
    losses = -np.array(sizes)
    assert sign_flip_p(losses, "less") == pytest.approx(2.0 ** -len(losses), rel=1e-9)
    losses[:n_gains] *= -1
    assert sign_flip_p(losses, "less") == pytest.approx(p_of_every_swap(losses, "less"), abs=1e-9)


@for_each("n, parts", [(60, 10), (400, 10), (400, 1), (3000, 10), (300, 2520)])
def test_many_differences_on_a_grid(n, parts):
    rng = np.random.default_rng(n + parts)
    if parts == 2520:  # reciprocal ranks up to 10
        numbers = parts // rng.integers(1, 11, n) - parts // rng.integers(1, 11, n)
    else:
        numbers = rng.integers(-parts, parts + 1, n) // 2
    numbers[rng.random(n) < 0.5] = 0
    assert sign_flip_p(numbers / parts) == pytest.approx(p_of_whole_numbers(numbers), abs=2e-4 if parts == 2520 else 1e-12)


@for_each("outliers", [[1000.0], [1000.0, 900.0, -800.0], [1e6], []])
def test_a_few_outliers_do_not_make_the_others_vanish(outliers):
    """26 differences: two lists of 2^13 sums, searched one in the other."""
    values = np.array([*outliers, *np.random.default_rng(3).lognormal(0, 1, 26 - len(outliers))])
    values[5:9] *= -1
    first, second = p_parts(values[:13]), np.sort(p_parts(values[13:]))
    total = abs(values.sum()) - 1e-9
    expected = 2 * (len(second) - np.searchsorted(second, total - first)).sum() / (len(first) * len(second))
    assert sign_flip_p(values) == pytest.approx(min(1.0, expected), abs=2e-4)


def p_parts(values):
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums + value, sums - value])
    return sums


def p_of_different_sums(differences):
    """Two-sided p from the probabilities of all different sums, each counted once."""
    chances = {0.0: 1.0}
    for size in np.abs(differences[differences != 0]).tolist():
        added = {}
        for total, chance in chances.items():
            for other in (round(total + size, 9), round(total - size, 9)):
                added[other] = added.get(other, 0.0) + chance / 2
        chances = added
    total = abs(differences.sum()) - 1e-6
    return sum(chance for other, chance in chances.items() if abs(other) >= total)


@for_each("depth, n", [(2, 60), (2, 200), (3, 60), (4, 45)])
def test_equal_sums_of_few_sizes_count_as_equal(depth, n):
    """nDCG with one relevant document: few sizes, no common denominator, and many equal sums."""
    values = np.array([0.0, *(1 / np.log2(rank + 1) for rank in range(1, depth + 1))])
    rng = np.random.default_rng(depth + n)
    differences = rng.choice(values, n) - rng.choice(values, n)
    assert sign_flip_p(differences) == pytest.approx(p_of_different_sums(differences), abs=1e-3)


def test_thousands_of_differences_agree_with_random_draws():
    values = np.random.default_rng(3).beta(2, 2, 5000) - np.random.default_rng(4).beta(2, 1.96, 5000)
    pairs = Pairs(np.zeros((5000, 1)), values[:, np.newaxis])
    drawn = parse_test("randomization(resamples=20000)").compare(pairs)
    assert sign_flip_p(values) == pytest.approx(drawn.p[0], abs=5 * np.sqrt(drawn.p[0] / 20000))


VALUES = st.floats(-1, 1).filter(lambda value: value == 0 or abs(value) > 1e-6)


@given(st.lists(VALUES, min_size=1, max_size=60), st.randoms())
def test_order_and_direction_do_not_matter(differences, random):
    values = np.array(differences)
    shuffled = values.copy()
    random.shuffle(shuffled)
    p = sign_flip_p(values)
    assert 0 <= p <= 1
    assert sign_flip_p(shuffled) == p
    assert sign_flip_p(-values) == p
    assert sign_flip_p(values, "greater") == sign_flip_p(-values, "less")


def test_edges():
    assert sign_flip_p(np.zeros(5)) == 1.0
    assert sign_flip_p(np.array([0.3])) == 1.0
    assert sign_flip_p(np.full(40, 0.1)) == pytest.approx(2 / 2**40)
    assert sign_flip_p(np.full(40, 0.1), "less") == pytest.approx(1.0)
    assert sign_flip_p(1000 * np.full(30, 17.3)) == pytest.approx(2 / 2**30, rel=1e-6)
    assert sign_flip_p(np.full(30, 1e-9)) == pytest.approx(2 / 2**30, rel=1e-6)
