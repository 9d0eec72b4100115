"""tukey_hsd: which of several systems differ in their mean, all pairs at once, once queries are accounted for."""

import numpy as np

from assay.stats._studentised_range import chance_of_range
from assay.stats._test import Field, FieldOutcome, StatisticalTest
from assay.stats._two_way import gaps, two_way, verdict_without_evidence, with_diagonal


def tukey_hsd(field: Field) -> FieldOutcome:
    """Which of several systems differ in their mean, all pairs at once, once queries are accounted for.

    The statistic is the largest gap between two means in standard errors; p is the smallest of all pairs.

    p of a pair already allows for all the pairs: correct it no further. The error is that of the two-way anova, so hard
    and easy queries cancel; with two systems this is paired_t. Identical systems and a single query have p = 1; where
    the systems differ in the same way on every query, p of a pair is (number of pairs) · 2 ÷ 2^n, at most 1.
    """
    n, m = field.scores.shape
    if n < 2 or m < 2:
        return verdict_without_evidence(n, m)
    parts = two_way(field.scores)
    apart = gaps(parts.means)
    if parts.residual > 0:
        q = apart / np.sqrt(parts.residual / n)
        p = chance_of_range(q, m, parts.df)
    else:
        q = np.where(apart <= parts.rounding, 0.0, np.inf)
        p = np.where(q > 0, min(1.0, m * (m - 1) / 2 * 2.0 ** (1 - n)), 1.0)
    return FieldOutcome(float(q.max()), float(p.min()), with_diagonal(p), parts.standing)


TEST = StatisticalTest(
    "tukey_hsd",
    tukey_hsd,
    aliases=("tukey", "hsd"),
    is_for_many=True,
    assumes="What is left after query and system is about normal, and spreads alike for all systems.",
    cite="Tukey 1953, The Problem of Multiple Comparisons; Sakai 2018, Laboratory Experiments in IR",
)
