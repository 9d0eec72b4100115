"""bootstrap: how often equally good systems would differ this much on other queries of the same kind."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.grammar import Param, one_of
from assay.model import Floats
from assay.stats._exact import exact, exact_mean
from assay.stats._resampling import block_rows, column_groups, count_blocks, is_beyond, resamples_param, tally
from assay.stats._student import coins_alike
from assay.stats._studentised import Studentised
from assay.stats._test import ALTERNATIVE, Outcome, Pairs, StatisticalTest, nothing

FEWEST = 30
"""Queries below which the plain bootstrap calls too much significant: 7 in 100 of nothing at 20 queries."""
METHOD = Param(
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
    least = coins_alike(n, alternative)
    test = _studentised if method == "studentised" else _shifted
    statistic, p = np.empty(n_columns), np.ones(n_columns)
    for some in column_groups(n_columns, n, 4 * block_rows(n)):
        statistic[some], extreme = test(pairs.differences[:, some], resamples, pairs.seed, alternative)
        if n > 1:
            p[some] = np.maximum((1 + extreme) / (1 + resamples), least)
    return Outcome(statistic, p, np.sign(statistic), resamples)


def caution(n: int, method: str, **_: Any) -> str:
    """The plain bootstrap takes few differences for all there are."""
    if n >= FEWEST or method != "shift":
        return ""
    return (
        f"The bootstrap finds too much with fewer than {FEWEST} queries, and here are {n}: "
        "randomization, paired_t or bootstrap(method=studentised) are better then."
    )


def _shifted(differences: Floats, resamples: int, seed: int, alternative: str) -> tuple[Floats, NDArray[np.int64]]:
    """A sum of centred differences is the sum of the differences drawn less the observed sum: both without rounding."""
    n = len(differences)
    given = exact(differences)
    total, slack = given.total(), given.slack()

    def is_extreme(drawn: Floats) -> NDArray[np.bool_]:
        return is_beyond(drawn - total, total, slack, alternative)

    extreme = tally(count_blocks(n, resamples, seed), given.units, is_extreme)
    return exact_mean(differences), extreme


def _studentised(differences: Floats, resamples: int, seed: int, alternative: str) -> tuple[Floats, NDArray[np.int64]]:
    n, n_columns = differences.shape
    student = Studentised.of(differences)
    slack = 1e-10 * np.abs(np.where(np.isfinite(student.observed), student.observed, 0.0))

    def is_extreme(sums: Floats) -> NDArray[np.bool_]:
        return is_beyond(student.statistics(sums), student.observed, slack, alternative)

    extreme = tally(count_blocks(n, resamples, seed), student.units, is_extreme)
    return student.observed, extreme[:n_columns]


TEST = StatisticalTest(
    "bootstrap",
    bootstrap,
    params=(METHOD, resamples_param(10_000), ALTERNATIVE),
    aliases=("paired_bootstrap", "bootstrap_shift"),
    assumes="The queries are a random sample of those that matter, and there are thirty of them or more.",
    caution=caution,
    cite="Efron and Tibshirani 1993; Sakai 2006",
)
