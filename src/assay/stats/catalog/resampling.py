"""Resampling: how often chance alone would make systems differ this much, tried out."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from math import factorial, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats
from assay.grammar import Param, one_of
from assay.stats.catalog.anova import gaps, standing, verdict_without_evidence, with_diagonal
from assay.stats.numeric import ROUNDING, exact, exact_mean, slack_of
from assay.stats.resampling import (
    all_keep_blocks,
    block_rows,
    column_groups,
    count_blocks,
    is_beyond,
    keep_blocks,
    resamples_param,
    tally,
)
from assay.stats.significance import ALTERNATIVE, Field, FieldOutcome, Outcome, Pairs, StatisticalTest, nothing
from assay.stats.student import Studentised, chance_of_equal_coins

FEWEST_FOR_PLAIN_BOOTSTRAP = 30
"""Queries below which the plain bootstrap calls too much significant: 7 in 100 of nothing at 20 queries."""
BOOTSTRAP_METHOD = Param(
    "method",
    one_of("shift", "studentised", studentized="studentised"),
    "shift",
    "compare mean differences, or mean differences in units of their own standard error",
)


def bootstrap(pairs: Pairs, method: str, resamples: int, alternative: str) -> Outcome:
    """How often equally good systems would differ this much on other queries of the same kind.

    Differences are drawn with replacement after moving their mean to 0; p = (1 + extreme) / (1 + resamples).

    The statistic is the mean difference, b above a (studentised: divided by its standard error). Equal systems and a
    single query have p = 1. However few and alike the differences are, p is never below the chance that n coins all fall
    the same way: 2 ÷ 2^n (1 ÷ 2^n for one side).
    """
    n, n_columns = pairs.differences.shape
    if not n:
        return nothing(n_columns)
    least = chance_of_equal_coins(n, alternative)
    test = _studentised_bootstrap if method == "studentised" else _shifted_bootstrap
    statistic, p = np.empty(n_columns), np.ones(n_columns)
    for some in column_groups(n_columns, n, 4 * block_rows(n)):
        statistic[some], extreme = test(pairs.differences[:, some], resamples, pairs.seed, alternative)
        if n > 1:
            p[some] = np.maximum((1 + extreme) / (1 + resamples), least)
    return Outcome(statistic, p, np.sign(statistic), resamples)


def bootstrap_caution(n: int, method: str, **_: Any) -> str:
    """The plain bootstrap takes few differences for all there are."""
    if n >= FEWEST_FOR_PLAIN_BOOTSTRAP or method != "shift":
        return ""
    return (
        f"The bootstrap finds too much with fewer than {FEWEST_FOR_PLAIN_BOOTSTRAP} queries, and here are {n}: "
        "randomization, paired_t or bootstrap(method=studentised) are better then."
    )


def _shifted_bootstrap(differences: Floats, resamples: int, seed: int, alternative: str) -> tuple[Floats, NDArray[np.int64]]:
    """A sum of centred differences is the sum of the differences drawn less the observed sum: both without rounding."""
    n = len(differences)
    sums = exact(differences)
    total, slack = sums.total(), sums.slack()

    def is_extreme(drawn: Floats) -> NDArray[np.bool_]:
        return is_beyond(drawn - total, total, slack, alternative)

    extreme = tally(count_blocks(n, resamples, seed), sums.units, is_extreme)
    return exact_mean(differences), extreme


def _studentised_bootstrap(
    differences: Floats, resamples: int, seed: int, alternative: str
) -> tuple[Floats, NDArray[np.int64]]:
    n, n_columns = differences.shape
    student = Studentised.of(differences)
    slack = 1e-10 * np.abs(np.where(np.isfinite(student.observed), student.observed, 0.0))

    def is_extreme(sums: Floats) -> NDArray[np.bool_]:
        return is_beyond(student.statistics(sums), student.observed, slack, alternative)

    extreme = tally(count_blocks(n, resamples, seed), student.units, is_extreme)
    return student.observed, extreme[:n_columns]


BOOTSTRAP = StatisticalTest(
    "bootstrap",
    bootstrap,
    params=(BOOTSTRAP_METHOD, resamples_param(10_000), ALTERNATIVE),
    aliases=("paired_bootstrap", "bootstrap_shift"),
    assumes="The queries are a random sample of those that matter, and there are thirty of them or more.",
    caution=bootstrap_caution,
    cite="Efron and Tibshirani 1993; Sakai 2006",
)


MAX_ENUMERATED = 2**16
"""So many ways to change sides are always all looked at."""


def randomization(pairs: Pairs, resamples: int, alternative: str) -> Outcome:
    """How often the systems would differ this much had a coin dealt them their two scores on every query.

    The statistic is the mean difference, b above a. Equal systems and, two-sided, a single query have p = 1.

    Queries where a and b score the same do not matter. If the others can change sides in at most `resamples` (or
    65,536) ways, all are looked at and p is exact; otherwise p = (1 + extreme) / (1 + resamples).
    """
    n, n_columns = pairs.differences.shape
    if not n:
        return nothing(n_columns)
    p, draws = np.empty(n_columns), np.zeros(n_columns, dtype=np.int64)
    for some in column_groups(n_columns, n, block_rows(n)):
        sums = exact(pairs.differences[:, some])
        few = np.count_nonzero(sums.units, axis=0) < max(resamples, MAX_ENUMERATED).bit_length()
        part = p[some]
        draws[some] = np.where(few, 0, resamples)
        part[few] = _p_of_all_swaps(sums.units[:, few], alternative)
        part[~few] = _p_of_random_swaps(sums.units[:, ~few], resamples, pairs.seed, alternative)
    mean = exact_mean(pairs.differences)
    return Outcome(mean, p, np.sign(mean), draws)


def _p_of_all_swaps(units: Floats, alternative: str) -> Floats:
    """Share of all ways to change sides that are at least as extreme; the observed one is among them."""
    if not units.size:
        return np.empty(0)
    most = int(np.count_nonzero(units, axis=0).max())
    order = np.argsort(-np.abs(units), axis=0, kind="stable")[:most]
    moved = np.take_along_axis(units, order, axis=0)
    return tally(all_keep_blocks(most), moved, _is_extreme(moved, alternative)) / 2**most


def _p_of_random_swaps(units: Floats, resamples: int, seed: int, alternative: str) -> Floats:
    if not units.size:
        return np.empty(0)
    extreme = tally(keep_blocks(len(units), resamples, seed), units, _is_extreme(units, alternative))
    return (1 + extreme) / (1 + resamples)


def _is_extreme(units: Floats, alternative: str) -> Callable[[Floats], NDArray[np.bool_]]:
    """Tells from the sum of the differences that kept their sides whether the whole sum is as extreme as the observed."""
    total, slack = units.sum(axis=0), slack_of(units)
    high, low = total - slack / 2, slack / 2
    if alternative == "greater":
        return lambda sums: sums >= high
    if alternative == "less":
        return lambda sums: sums <= total + slack / 2
    top, bottom = np.where(total >= 0, high, -low), np.where(total >= 0, low, total + slack / 2)
    return lambda sums: (sums >= top) | (sums <= bottom)


RANDOMIZATION = StatisticalTest(
    "randomization",
    randomization,
    params=(resamples_param(100_000), ALTERNATIVE),
    aliases=("fisher", "permutation", "randomisation", "fisher_randomization", "sign_flip"),
    assumes="If the systems were alike, either could as well have had the other's score on each query.",
    cite="Fisher 1935; Smucker et al. 2007",
)


DEALS_PER_SEED = 64
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
        ranges = np.sort(_ranges_of_all_deals(within))
        p = _at_least(ranges, enough) / len(ranges)
    else:
        ranges = np.sort(_ranges_of_random_deals(within, resamples, field.seed))
        p = (1.0 + _at_least(ranges, enough)) / (1.0 + resamples)
    statistic, stands = float(np.ldexp(apart.max() / n, exponent)), standing(within.mean(axis=0), ROUNDING)
    return FieldOutcome(statistic, float(p.min()), with_diagonal(p), stands, draws)


def _at_least(ordered: Floats, gap: Floats) -> Floats:
    """How many of the ordered ranges are no smaller than each gap."""
    return (len(ordered) - np.searchsorted(ordered, gap, side="left")).astype(float)


def _ranges_of_all_deals(within: Floats) -> Floats:
    """The range of the sums for every way to deal. The first query may stay: only who stands together matters."""
    m = within.shape[1]
    orders = np.array(list(permutations(range(m))))
    sums = within[:1]
    for query in within[1:]:
        sums = (sums[:, None, :] + query[orders][None]).reshape(-1, m)
    return np.ptp(sums, axis=1)


def _ranges_of_random_deals(within: Floats, resamples: int, seed: int) -> Floats:
    """The range of the sums for random deals, each chunk with its own child of the seed."""
    n, m = within.shape
    children = np.random.SeedSequence(seed).spawn(-(-resamples // DEALS_PER_SEED))
    step = max(1, BLOCK_CELLS // (DEALS_PER_SEED * m))
    ranges = []
    for child in children:
        generator, sums = np.random.default_rng(child), np.zeros((DEALS_PER_SEED, m))
        for start in range(0, n, step):
            dealt = np.repeat(within[start : start + step, None], DEALS_PER_SEED, axis=1)
            sums += generator.permuted(dealt, axis=2, out=dealt).sum(axis=0)
        ranges.append(np.ptp(sums, axis=1))
    return np.concatenate(ranges)[:resamples]


RANDOMIZED_TUKEY_HSD = StatisticalTest(
    "randomized_tukey_hsd",
    randomized_tukey_hsd,
    params=(resamples_param(10_000),),
    aliases=("randomised_tukey_hsd", "randomized_tukey", "randomised_tukey"),
    is_for_many=True,
    assumes="If the systems were alike, a query's scores could as well have gone to them in any other order.",
    cite="Carterette 2012, Multiple Testing in Statistical Analysis of Systems-Based IR Experiments, TOIS 30(1)",
)
