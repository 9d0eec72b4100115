"""The randomisation test: hand-worked enumerations, scipy, ties of sums, and the same bits everywhere."""

import os
import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from scipy import stats

from assay.stats import resampling
from assay.stats.significance import Pairs, parse_test

from ._null import SCORES, false_alarms
from ._sakai import SYSTEMS

X, Y, Z = SYSTEMS.T


def outcome(differences, text="randomization", seed=0):
    differences = np.asarray(differences, dtype=float)
    columns = differences[:, np.newaxis] if differences.ndim == 1 else differences
    return parse_test(text).compare(Pairs(np.zeros_like(columns), columns, seed))


def enumerated(differences, alternative="two_sided"):
    """All sign flips in exact arithmetic; the differences are whole numbers."""
    total = sum(differences)
    sums = [
        sum(sign * d for sign, d in zip(signs, differences, strict=True))
        for signs in product((1, -1), repeat=len(differences))
    ]
    extreme = {"greater": lambda s: s >= total, "less": lambda s: s <= total, "two_sided": lambda s: abs(s) >= abs(total)}
    return sum(map(extreme[alternative], sums)) / len(sums)


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([1, 2, 3], 2 / 8),  # only all up or all down reach 6
        ([1, 2, -3], 1),
        ([4, 1, -1], 6 / 8),  # 6 4 4 2 and the same downwards: all but ±2 reach 4
        ([1, 1, 1, 1], 2 / 16),
        ([1, 1, 1, 1, -1], 12 / 32),  # four or five of a kind, up or down
        ([5], 1),
        ([0, 0], 1),
        ([3, 3], 2 / 4),
    ],
)
def test_hand_worked(differences, p):
    assert outcome(differences).p[0] == p


@pytest.mark.parametrize("alternative", ["two_sided", "greater", "less"])
@pytest.mark.parametrize("seed", range(6))
def test_enumeration_against_exact_arithmetic(seed, alternative):
    differences = np.random.default_rng(seed).integers(-4, 6, 9)
    found = outcome(differences / 10, f"randomization(alternative={alternative})")
    assert found.p[0] == enumerated(differences.tolist(), alternative)
    assert found.statistic[0] == pytest.approx(differences.mean() / 10)


@pytest.mark.parametrize("alternative", ["two_sided", "greater", "less"])
def test_against_scipy(alternative):
    differences = np.random.default_rng(4).normal(0.3, 1, (12, 3))
    found = outcome(differences, f"randomization(alternative={alternative})")
    for number in range(3):
        wanted = stats.permutation_test(
            (differences[:, number],),
            lambda x, axis: x.mean(axis=axis),
            permutation_type="samples",
            n_resamples=np.inf,
            alternative=alternative.replace("_", "-"),
        )
        assert found.p[number] == pytest.approx(wanted.pvalue)


def test_sampling_agrees_with_enumeration():
    differences = np.random.default_rng(5).normal(0.2, 1, (18, 20))
    exact = outcome(differences, "randomization(resamples=300000)").p
    sampled = outcome(differences).p
    assert sampled == pytest.approx(exact, abs=5 * 0.5 / np.sqrt(100_000))
    assert not np.array_equal(exact, sampled)


def test_sums_that_are_equal_count_as_equal():
    """Sakai's data: with > instead of ≥, X against Y flips to .033."""
    for a, b, p in ((X, Y, 0.06591796875), (X, Z, 0.1446075439453125), (Y, Z, 0.62353515625)):
        assert outcome(b - a, "randomization(resamples=1048576)").p[0] == p
        assert outcome(a - b, "randomization(resamples=1048576)").p[0] == p
        assert outcome([*(b - a), 1e-13, -1e-13]).p[0] == pytest.approx(p, abs=0.004)
    assert (Y - X)[Y != X].size == 15
    assert outcome(Y - X).p[0] == 0.06591796875, "equal scores do not matter, so 15 queries are left to enumerate"


def test_raw_floats_would_have_flipped():
    flips = 2 * np.concatenate(list(resampling.all_keep_blocks(20))) - 1
    tenths = np.abs(flips @ np.rint(10 * (Y - Z)))
    raw = np.abs(flips @ (Y - Z))
    assert np.mean(tenths >= 5) == 0.62353515625
    assert np.mean(raw >= abs(np.sum(Y - Z))) != 0.62353515625
    assert np.mean(np.abs(flips @ np.rint(10 * (X - Y))) > 15) == 0.032958984375


def test_smallest_p_of_sampling_is_not_zero():
    assert outcome(np.ones(40), "randomization(resamples=70000)").p[0] == 1 / 70_001


@pytest.mark.parametrize("n", [1500, 70_000])
def test_many_queries(n):
    differences = np.random.default_rng(9).normal((0, 5 / np.sqrt(n)), 1, (n, 2))
    p = outcome(differences, "randomization(resamples=500)").p
    assert p[0] > 0.01
    assert p[1] == 1 / 501


def test_equal_systems_and_no_queries():
    assert outcome(np.zeros((30, 2))).p.tolist() == [1, 1]
    assert np.isnan(outcome(np.empty((0, 3))).p).all()


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e9, 1e250])
def test_scale_does_not_matter(scale):
    differences = np.random.default_rng(6).integers(-3, 5, (25, 2)) / 8
    assert np.array_equal(outcome(differences * 2.0 ** np.round(np.log2(scale))).p, outcome(differences).p)


def test_columns_do_not_disturb_each_other(monkeypatch):
    differences = np.random.default_rng(7).normal(0.1, 1, (30, 9))
    differences[5:, 4] = 0
    together = outcome(differences, "randomization(resamples=2000)").p
    alone = [outcome(differences[:, number], "randomization(resamples=2000)").p[0] for number in range(9)]
    monkeypatch.setattr(resampling, "MAX_FIGURES_AT_ONCE", 2 * resampling.block_rows(30))
    pieces = outcome(differences, "randomization(resamples=2000)").p
    assert np.array_equal(together, alone)
    assert np.array_equal(together, pieces)


SCRIPT = """
import numpy as np
from assay.stats import difference_intervals
from assay.stats.significance import Pairs, parse_test
rng = np.random.default_rng(0)
a = rng.random((700, 30)); b = a + rng.normal(0.01, 0.2, a.shape)
outcomes = [parse_test(name).compare(Pairs(a, b)).p for name in
            ("randomization(resamples=5000)", "bootstrap(resamples=3000)", "bootstrap(method=studentised, resamples=3000)")]
intervals = [difference_intervals(a, b, method) for method in ("bootstrap", "bca", "studentised", "t")]
print([array.tobytes().hex() for found in (*outcomes, *intervals) for array in np.atleast_2d(np.asarray(found))])
"""


def test_same_bits_for_one_thread_and_two():
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(outputs) == 1


@pytest.mark.parametrize("kind", SCORES)
def test_false_alarms_are_as_rare_as_promised(kind):
    assert 0.035 <= false_alarms("randomization(resamples=10000)", kind) <= 0.065


def test_other_names_are_understood():
    assert parse_test("fisher").name == "randomization"
    assert parse_test("permutation(resamples=500)").name == "randomization(resamples=500)"
