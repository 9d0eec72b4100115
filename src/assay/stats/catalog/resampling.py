"""Resampling: how often chance alone makes systems differ this much, found by simulation."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from math import factorial, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats
from assay.grammar import Param, one_of
from assay.stats.catalog.anova import gaps, standing, two_way, verdict_without_evidence, with_diagonal
from assay.stats.numeric import ROUNDING, exact, exact_mean, slack_of
from assay.stats.resampling import (
    block_rows,
    column_groups,
    count_blocks,
    is_beyond,
    keep_blocks,
    resamples_param,
    tally,
)
from assay.stats.sign_flips import MAX_COUNTED, sign_flip_p
from assay.stats.significance import ALTERNATIVE, Field, FieldOutcome, Outcome, Pairs, StatisticalTest, nothing
from assay.stats.student import Studentised, chance_of_equal_coins

FEWEST_FOR_PLAIN_BOOTSTRAP = 30
"""With fewer queries, the plain bootstrap is significant too often: 7 % of the time at 20 queries without a difference."""
BOOTSTRAP_METHOD = Param(
    "method",
    one_of("shift", "studentised", studentized="studentised"),
    "shift",
    "shift: compare mean differences; studentised: compare them in units of their standard error",
)


def bootstrap(pairs: Pairs, method: str, resamples: int, alternative: str) -> Outcome:
    """How often equally good systems would differ this much on other queries of the same kind.

    Differences are shifted to mean 0 and drawn with replacement; p = (1 + extreme) / (1 + resamples).

    The statistic is the mean of b − a (studentised: divided by its standard error). Equal systems and a single query have
    p = 1. However few and similar the differences are, p is at least the probability that n coins all fall on the same
    side: 2 ÷ 2^n (one-sided: 1 ÷ 2^n).
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
    """The plain bootstrap treats the given differences as the whole population, which is wrong for few queries."""
    if n >= FEWEST_FOR_PLAIN_BOOTSTRAP or method != "shift":
        return ""
    return (
        f"With fewer than {FEWEST_FOR_PLAIN_BOOTSTRAP} queries (here {n}), the bootstrap is significant too often. "
        "Use randomization, paired_t or bootstrap(method=studentised)."
    )


def _shifted_bootstrap(differences: Floats, resamples: int, seed: int, alternative: str) -> tuple[Floats, NDArray[np.int64]]:
    """A sum of centred differences is the sum of the drawn differences minus the observed sum, both without rounding."""
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
    is_of_mean=True,
    aliases=("paired_bootstrap", "bootstrap_shift"),
    assumes="The queries are a random sample of the queries of interest, and there are at least 30.",
    caution=bootstrap_caution,
    cite="Efron and Tibshirani 1993; Sakai 2006",
)


def randomization(pairs: Pairs, resamples: int | None, alternative: str) -> Outcome:
    """How often the systems would differ this much if a coin decided, on each query, which system got which score.

    The statistic is the mean of b − a. Equal systems have p = 1, and so does a single query in a two-sided test.

    Queries on which a and b score the same have no effect. If at most 24 queries are left, all ways to swap their scores are
    counted and p is exact. Otherwise p is computed from the distribution of the sum, to about 0.0002. Nothing is random,
    unless `resamples` asks for random swaps of more queries: then p = (1 + extreme) / (1 + resamples).
    """
    n, n_columns = pairs.differences.shape
    if not n:
        return nothing(n_columns)
    p, draws = np.empty(n_columns), np.zeros(n_columns, dtype=np.int64)
    for some in column_groups(n_columns, n, block_rows(n)):
        differences, part = pairs.differences[:, some], p[some]
        is_drawn = (np.count_nonzero(differences, axis=0) > MAX_COUNTED) & (resamples is not None)
        draws[some] = np.where(is_drawn, resamples or 0, 0)
        part[~is_drawn] = [sign_flip_p(column, alternative) for column in differences[:, ~is_drawn].T]
        part[is_drawn] = _p_of_random_swaps(exact(differences[:, is_drawn]).units, resamples or 0, pairs.seed, alternative)
    mean = exact_mean(pairs.differences)
    return Outcome(mean, p, np.sign(mean), draws)


def _p_of_random_swaps(units: Floats, resamples: int, seed: int, alternative: str) -> Floats:
    if not units.size:
        return np.empty(0)
    extreme = tally(keep_blocks(len(units), resamples, seed), units, _is_extreme(units, alternative))
    return (1 + extreme) / (1 + resamples)


def _is_extreme(units: Floats, alternative: str) -> Callable[[Floats], NDArray[np.bool_]]:
    """Decides from the sum of the differences that were not swapped whether the total is as extreme as the observed one."""
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
    params=(resamples_param(None), ALTERNATIVE),
    is_of_mean=True,
    aliases=("fisher", "permutation", "randomisation", "fisher_randomization", "sign_flip"),
    assumes="If the systems were equally good, they could have swapped their scores on any query.",
    cite="Fisher 1935; Smucker et al. 2007",
)


DEALS_PER_SEED = 64
"""Permutations drawn from one child of the seed; fixed, so that memory and threads cannot change the result."""
BLOCK_CELLS = 1_000_000
"""Scores permuted at once. Queries are permuted one by one, so this number does not change the result."""


def randomized_tukey_hsd(field: Field, resamples: int) -> FieldOutcome:
    """Which of several systems differ, tested by randomly permuting the scores of the systems on each query.

    The statistic is the largest gap between two means. The p of a pair is how often chance makes a gap at least as large.

    The p of a pair already accounts for all pairs, so do not correct it again. With two systems this is Fisher's
    randomisation test. If there are at most `resamples` permutations, all are evaluated; otherwise p = (1 + extreme) ÷
    (1 + resamples). Gaps that differ only by rounding are equal. Identical systems and a single query have p = 1.
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
    return FieldOutcome(statistic, float(p.min()), with_diagonal(p), stands, draws, effect=two_way(field.scores).effect)


def _at_least(ordered: Floats, gap: Floats) -> Floats:
    """For each gap: how many of the ordered ranges are at least as large."""
    return (len(ordered) - np.searchsorted(ordered, gap, side="left")).astype(float)


def _ranges_of_all_deals(within: Floats) -> Floats:
    """The range of the sums for every permutation. The first query can stay fixed, because only relative orders matter."""
    m = within.shape[1]
    orders = np.array(list(permutations(range(m))))
    sums = within[:1]
    for query in within[1:]:
        sums = (sums[:, None, :] + query[orders][None]).reshape(-1, m)
    return np.ptp(sums, axis=1)


def _ranges_of_random_deals(within: Floats, resamples: int, seed: int) -> Floats:
    """The range of the sums for random permutations, each chunk with its own child of the seed."""
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
    assumes="If the systems were equally good, the scores on each query could have gone to them in any order.",
    cite="Carterette 2012, Multiple Testing in Statistical Analysis of Systems-Based IR Experiments, TOIS 30(1)",
)
