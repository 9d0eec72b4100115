"""Intervals of Cohen's κ, and Krippendorff's α of any number of judges."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa

from assay.stats import cohen_kappa, kappa_interval, krippendorff_alpha

N = None
FOUR_OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]
"""The reliability data of Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, example D."""
GRADE_TABLES = st.integers(2, 4).flatmap(
    lambda judges: st.lists(
        st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=judges, max_size=judges), min_size=2, max_size=9
    ).map(lambda items: [list(row) for row in zip(*items, strict=True)])
)


def naive_alpha(grades, scale):
    """By definition: all pairs of grades inside items, against all pairs of grades."""
    items = [[grade for grade in item if grade is not None] for item in zip(*grades, strict=True)]
    items = [item for item in items if len(item) > 1]
    every = [grade for item in items for grade in item]

    def distance(a, b):
        if scale == "nominal":
            return float(a != b)
        if scale == "interval":
            return (a - b) ** 2
        low, high = sorted((a, b))
        between = sum(low <= grade <= high for grade in every) - (every.count(a) + every.count(b)) / 2
        return between**2 if a != b else 0.0

    observed = sum(
        sum(distance(a, b) for a, b in itertools.permutations(item, 2)) / (len(item) - 1) for item in items
    ) / max(len(every), 1)
    expected = sum(distance(a, b) for a, b in itertools.permutations(every, 2)) / max(len(every) * (len(every) - 1), 1)
    return 1 - observed / expected if expected else math.nan


@pytest.mark.parametrize(("scale", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_four_observers_is_the_published_one(scale, published):
    alpha = krippendorff_alpha(FOUR_OBSERVERS, scale)
    assert round(alpha.value, 3) == published
    assert -1 < alpha.low < alpha.value < alpha.high < 1


def test_alpha_of_two_observers_is_the_published_one():
    binary = [[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]]  # example A
    assert round(krippendorff_alpha(binary, "nominal").value, 3) == 0.095
    named = [[ord(letter) for letter in row] for row in ("aabbdcccedda", "babbbccceddd")]  # example B
    assert round(krippendorff_alpha(named, "nominal").value, 3) == 0.692


@given(GRADE_TABLES, st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_is_the_definition_and_order_does_not_matter(grades, scale):
    alpha = krippendorff_alpha(grades, scale)
    assert alpha.value == pytest.approx(naive_alpha(grades, scale), abs=1e-9, nan_ok=True)
    turned = krippendorff_alpha([row[::-1] for row in grades[::-1]], scale)
    assert turned == pytest.approx(alpha, abs=1e-12, nan_ok=True)
    if not math.isnan(alpha.low):
        assert alpha.low <= alpha.value <= alpha.high


def test_the_interval_of_alpha_is_that_of_the_jackknife():
    whole = krippendorff_alpha(FOUR_OBSERVERS, "interval")
    counted = [place for place in range(12) if sum(row[place] is not None for row in FOUR_OBSERVERS) > 1]
    n = len(counted)
    others = [
        naive_alpha([[row[other] for other in counted if other != place] for row in FOUR_OBSERVERS], "interval")
        for place in counted
    ]
    error = math.sqrt((n - 1) / n * sum((other - np.mean(others)) ** 2 for other in others))
    half = stats.t.ppf(0.975, n - 1) * error / (1 - whole.value**2)
    assert [whole.low, whole.high] == pytest.approx([math.tanh(math.atanh(whole.value) + sign * half) for sign in (-1, 1)])


def test_alpha_without_disagreement_or_without_items():
    full = krippendorff_alpha([[0, 1, 2, 0, 1], [0, 1, 2, 0, 1], [0, 1, 2, 0, 1]], "nominal")
    assert (full.value, full.high) == (1.0, 1.0)
    assert full.low < 0.5  # five equal items leave much doubt
    many = krippendorff_alpha([[0, 1, 2, 0, 1] * 40] * 3, "ordinal")
    assert 0.9 < many.low < 1
    for grades in ([[1, 1], [1, 1]], [[1, N], [N, 1]], [], [[1, 2, 3]]):
        assert math.isnan(krippendorff_alpha(grades).value)


def test_the_standard_error_of_kappa_is_that_of_statsmodels():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 4, 60)
    b = np.where(rng.random(60) < 0.6, a, rng.integers(0, 4, 60))
    table = np.zeros((4, 4))
    np.add.at(table, (a, b), 1)
    for weights in ("none", "linear", "quadratic"):
        theirs = cohens_kappa(table, wt=None if weights == "none" else weights)
        ours = kappa_interval(a.tolist(), b.tolist(), weights)
        assert ours.value == pytest.approx(theirs.kappa) == cohen_kappa(a.tolist(), b.tolist(), weights)
        half = stats.t.ppf(0.975, 59) * theirs.std_kappa / (1 - theirs.kappa**2)
        ends = [math.tanh(math.atanh(theirs.kappa) + sign * half) for sign in (-1, 1)]
        assert [ours.low, ours.high] == pytest.approx(ends), weights


def test_kappa_without_disagreement_is_not_certain():
    found = kappa_interval([0, 1] * 10, [0, 1] * 10)
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(1 - (1 - 0.025 ** (1 / 20)) / 0.5)
    assert math.isnan(kappa_interval([1, 1], [1, 1]).low)


def test_what_is_refused(snapshots):
    snapshots.check_errors(
        "stats/inter_rater",
        {
            "unknown scale": lambda: krippendorff_alpha([[1], [1]], "ratio"),
            "rows of different lengths": lambda: krippendorff_alpha([[1], [1, 2]]),
            "infinite": lambda: krippendorff_alpha([[math.inf], [1]]),
            "level": lambda: kappa_interval([1], [1], level=95),
        },
    )
