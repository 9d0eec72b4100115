"""randomized_tukey_hsd: which of several systems differ, by dealing each query's scores out to the systems at random."""

from itertools import permutations
from math import factorial, log

import numpy as np

from assay.model import Floats
from assay.stats._resampling import resamples_param
from assay.stats._rounding import ROUNDING
from assay.stats._test import Field, FieldOutcome, StatisticalTest
from assay.stats._two_way import gaps, standing, verdict_without_evidence, with_diagonal

CHUNK = 64
"""Deals drawn from one child of the seed; fixed, so that memory and threads cannot change the numbers."""
BLOCK_CELLS = 1_000_000
"""Scores dealt out at once; query after query, so that this number changes nothing."""


def randomized_tukey_hsd(field: Field, resamples: int) -> FieldOutcome:
    """Which of several systems differ, by dealing each query's scores out to the systems at random.

    The statistic is the largest gap between two means; p of a pair is how often chance makes a gap at least as large.

    p of a pair already allows for all the pairs: correct it no further. With two systems it is Fisher's randomisation
    test. Every way to deal is looked at where there are no more of them than resamples; else p = (1 + extreme) ÷
    (1 + resamples). Gaps that differ by rounding are equal. Identical systems and a single query have p = 1.
    """
    n, m = field.scores.shape
    if n < 2 or m < 2:
        return verdict_without_evidence(n, m)
    largest = np.abs(field.scores).max()
    exponent = np.frexp(largest)[1]
    scaled = np.ldexp(field.scores, -exponent)
    within = scaled - scaled.mean(axis=1, keepdims=True)
    apart = gaps(within.sum(axis=0))
    enough = apart - ROUNDING * n
    draws = 0 if (n - 1) * log(factorial(m)) <= log(resamples) else resamples
    if not draws:
        ranges = np.sort(_all_ranges(within))
        p = _at_least(ranges, enough) / len(ranges)
    else:
        ranges = np.sort(_random_ranges(within, resamples, field.seed))
        p = (1.0 + _at_least(ranges, enough)) / (1.0 + resamples)
    statistic, stands = float(np.ldexp(apart.max() / n, exponent)), standing(within.mean(axis=0), ROUNDING)
    return FieldOutcome(statistic, float(p.min()), with_diagonal(p), stands, draws)


def _at_least(ordered: Floats, gap: Floats) -> Floats:
    """How many of the ordered ranges are no smaller than each gap."""
    return (len(ordered) - np.searchsorted(ordered, gap, side="left")).astype(float)


def _all_ranges(within: Floats) -> Floats:
    """The range of the sums for every way to deal. The first query may stay: only who stands together matters."""
    m = within.shape[1]
    orders = np.array(list(permutations(range(m))))
    sums = within[:1]
    for query in within[1:]:
        sums = (sums[:, None, :] + query[orders][None]).reshape(-1, m)
    return np.ptp(sums, axis=1)


def _random_ranges(within: Floats, resamples: int, seed: int) -> Floats:
    """The range of the sums for random deals, each chunk with its own child of the seed."""
    n, m = within.shape
    children = np.random.SeedSequence(seed).spawn(-(-resamples // CHUNK))
    step = max(1, BLOCK_CELLS // (CHUNK * m))
    ranges = []
    for child in children:
        generator, sums = np.random.default_rng(child), np.zeros((CHUNK, m))
        for start in range(0, n, step):
            dealt = np.repeat(within[start : start + step, None], CHUNK, axis=1)
            sums += generator.permuted(dealt, axis=2, out=dealt).sum(axis=0)
        ranges.append(np.ptp(sums, axis=1))
    return np.concatenate(ranges)[:resamples]


TEST = StatisticalTest(
    "randomized_tukey_hsd",
    randomized_tukey_hsd,
    params=(resamples_param(10_000),),
    aliases=("randomised_tukey_hsd", "randomized_tukey", "randomised_tukey"),
    is_for_many=True,
    assumes="If the systems were alike, a query's scores could as well have gone to them in any other order.",
    cite="Carterette 2012, Multiple Testing in Statistical Analysis of Systems-Based IR Experiments, TOIS 30(1)",
)
