"""independent_t: whether two systems measured on different queries differ in their mean."""

import numpy as np
from numpy.typing import NDArray

from assay.grammar import Param, flag
from assay.model.ordering import Floats
from assay.stats._rounding import rounding_of
from assay.stats._test import ALTERNATIVE, Outcome, Pairs, StatisticalTest, nothing

EQUAL_VARIANCES = Param(
    "equal_variances", flag, True, "true: both spreads pooled into one (Student); false: each its own (Welch)"
)


def independent_t(pairs: Pairs, alternative: str, equal_variances: bool) -> Outcome:
    """The statistic is t, above 0 where b has the larger mean. On the same queries paired_t sees far more.

    Where neither system varies and they differ, t is infinite and p is 2 ÷ (2n choose n) (half of it for one side):
    what dealing the scores out anew gives. Identical systems and a single query have p = 1.
    """
    from scipy.special import binom, stdtr

    n = len(pairs.a)
    if not n:
        return nothing(pairs.a.shape[1])
    t, df, is_nil = _welch(pairs, equal_variances)
    if n < 2:
        return Outcome(np.where(is_nil, 0.0, np.nan), np.ones(len(t)))
    toward = {"two_sided": -np.abs(t), "greater": -t, "less": t}[alternative]
    p = np.where(np.isinf(t), np.where(toward > 0, 1.0, 1.0 / binom(2 * n, n)), stdtr(df, toward))
    return Outcome(t, np.where(is_nil, 1.0, 2.0 * p if alternative == "two_sided" else p))


def _welch(pairs: Pairs, equal_variances: bool) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """t, degrees of freedom, and which columns have one and the same score everywhere."""
    n, rounding = len(pairs.a), rounding_of(pairs.a, pairs.b)
    exponent = np.frexp(np.maximum(np.abs(pairs.a).max(axis=0), np.abs(pairs.b).max(axis=0)))[1]
    a, b = (np.ascontiguousarray(np.ldexp(scores, -exponent).T) for scores in (pairs.a, pairs.b))
    rounding = np.ldexp(rounding, -exponent)
    mean = b.mean(axis=1) - a.mean(axis=1)
    of_a, of_b = (scores.var(axis=1, ddof=1) if n > 1 else np.zeros(len(mean)) for scores in (a, b))
    error = np.sqrt((of_a + of_b) / n)
    is_flat = np.sqrt(of_a + of_b) <= rounding
    t = np.divide(mean, error, out=np.copysign(np.inf, mean), where=~is_flat)
    both = np.full(len(mean), 2.0 * (n - 1))
    df = both if equal_variances else np.divide((n - 1) * (of_a + of_b) ** 2, of_a**2 + of_b**2, out=both, where=~is_flat)
    is_nil = is_flat & (np.abs(mean) <= rounding)
    return np.where(is_nil, 0.0, t), df, is_nil


TEST = StatisticalTest(
    "independent_t",
    independent_t,
    params=(ALTERNATIVE, EQUAL_VARIANCES),
    aliases=("unpaired_t", "two_sample_t", "ttest_ind", "independent"),
    is_paired=False,
    assumes="The queries of a and of b are different ones, drawn independently; both means are about normal.",
    cite="Student 1908, Biometrika 6(1); Welch 1947, Biometrika 34(1–2)",
)
