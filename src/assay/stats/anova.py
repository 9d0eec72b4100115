"""anova: whether any of several systems differs from the others in its mean, once queries are accounted for."""

import numpy as np

from assay.stats._test import Field, FieldOutcome, StatisticalTest
from assay.stats._two_way import arrangements, two_way, verdict_without_evidence, with_diagonal


def anova(field: Field) -> FieldOutcome:
    """Whether any of several systems differs from the others in its mean, once queries are accounted for.

    The statistic is F of the systems; which of them differ it does not say. With two systems it is paired_t.

    Identical systems and a single query have p = 1. Where the systems differ in the same way on every query, F is
    infinite and p is the chance that dealing each query's scores out anew gives that one order again.
    """
    from scipy.special import fdtrc

    n, m = field.scores.shape
    if n < 2 or m < 2:
        return verdict_without_evidence(n, m, has_pairs=False)
    parts = two_way(field.scores)
    between = n * float((parts.means**2).sum()) / (m - 1)
    if parts.residual > 0:
        f = between / parts.residual
        p = float(fdtrc(m - 1, parts.df, f))
    else:
        is_nil = np.ptp(parts.means) <= parts.rounding
        f = 0.0 if is_nil else np.inf
        p = 1.0 if is_nil else float(arrangements(parts.means, parts.rounding)) ** (1 - n)
    return FieldOutcome(f, p, with_diagonal(np.full((m, m), np.nan)), parts.standing)


TEST = StatisticalTest(
    "anova",
    anova,
    aliases=("two_way_anova", "f_test"),
    is_for_many=True,
    assumes="What is left after query and system is about normal, and spreads alike for all systems.",
    cite="Fisher 1925, Statistical Methods for Research Workers; Sakai 2018, Laboratory Experiments in IR",
)
