"""Student's t-tests: of a difference of means, and of one within a margin."""

import numpy as np

from assay.grammar import Param, flag, not_negative
from assay.stats.numeric import ROUNDING, rounding_of
from assay.stats.significance import ALTERNATIVE, Outcome, Pairs, StatisticalTest, nothing
from assay.stats.student import chance_beyond, chance_of_gap, student, two_samples

EQUIVALENCE_MARGIN = Param("margin", not_negative, 0.01, "the smallest difference that matters, in units of the score")


def equivalence(pairs: Pairs, margin: float) -> Outcome:
    """Whether two systems are certainly closer to each other than a margin.

    A small p says: the mean difference lies within ±margin. A large p of another test never says that.

    Two one-sided t tests (TOST), against -margin and against +margin: p is the larger one, the statistic its t. A
    single query has p = 1; where the difference is the same on all n queries and within the margin, p is 1 ÷ 2^n.
    """
    if not len(pairs.a):
        return nothing(pairs.a.shape[1])
    direction = student(pairs.differences, rounding_of(pairs.a, pairs.b)).direction
    rounding = rounding_of(pairs.a, pairs.b) + ROUNDING * margin
    above, below = student(pairs.differences + margin, rounding), student(pairs.differences - margin, rounding)
    p_above, p_below = chance_beyond(above, "greater"), chance_beyond(below, "less")
    return Outcome(np.where(p_above >= p_below, above.t, below.t), np.maximum(p_above, p_below), direction)


EQUIVALENCE = StatisticalTest(
    "equivalence",
    equivalence,
    params=(EQUIVALENCE_MARGIN,),
    aliases=("tost", "equivalent"),
    claim="equal",
    assumes="The mean difference is about normal, and the margin was chosen before looking at the scores.",
    cite="Schuirmann 1987, J. Pharmacokinetics and Biopharmaceutics 15(6)",
)


EQUAL_VARIANCES = Param(
    "equal_variances", flag, True, "true: both spreads pooled into one (Student); false: each its own (Welch)"
)


def independent_t(pairs: Pairs, alternative: str, equal_variances: bool) -> Outcome:
    """Whether two systems measured on different queries differ in their mean.

    The statistic is t, above 0 where b has the larger mean. On the same queries paired_t sees far more.

    Where neither system varies and they differ, t is infinite and p is 2 ÷ (2n choose n) (half of it for one side):
    what dealing the scores out anew gives. Identical systems and a single query have p = 1.
    """
    if not len(pairs.a):
        return nothing(pairs.a.shape[1])
    samples = two_samples(pairs.a, pairs.b, equal_variances=equal_variances)
    return Outcome(samples.t, chance_of_gap(samples, alternative), samples.direction)


INDEPENDENT_T = StatisticalTest(
    "independent_t",
    independent_t,
    params=(ALTERNATIVE, EQUAL_VARIANCES),
    aliases=("unpaired_t", "two_sample_t", "ttest_ind", "independent"),
    is_paired=False,
    assumes="The queries of a and of b are different ones, drawn independently; both means are about normal.",
    cite="Student 1908, Biometrika 6(1); Welch 1947, Biometrika 34(1–2)",
)


NON_INFERIORITY_MARGIN = Param(
    "margin", not_negative, 0.01, "how much worse b may be before it matters, in units of the score"
)


def non_inferiority(pairs: Pairs, margin: float) -> Outcome:
    """Whether b is certainly not worse than a by more than a margin.

    A small p says: b is not worse than a by the margin or more. Larger scores must be better, so negate latencies.

    The statistic is the t of the differences plus the margin. A single query has p = 1; where the difference is the
    same on all n queries and above -margin, as with identical systems, p is 1 ÷ 2^n.
    """
    if not len(pairs.a):
        return nothing(pairs.a.shape[1])
    rounding = rounding_of(pairs.a, pairs.b)
    sample = student(pairs.differences + margin, rounding + ROUNDING * margin)
    return Outcome(sample.t, chance_beyond(sample, "greater"), student(pairs.differences, rounding).direction)


NON_INFERIORITY = StatisticalTest(
    "non_inferiority",
    non_inferiority,
    params=(NON_INFERIORITY_MARGIN,),
    aliases=("noninferiority", "not_worse"),
    claim="not_worse",
    assumes="The mean difference is about normal, and the margin was chosen before looking at the scores.",
    cite="Wellek 2010, Testing Statistical Hypotheses of Equivalence and Noninferiority",
)


def paired_t(pairs: Pairs, alternative: str) -> Outcome:
    """Whether the mean difference between two systems is larger than the spread over queries explains.

    The statistic is t, above 0 where b has the larger mean. Identical systems and a single query have p = 1.

    Where b differs from a by the same amount on every query, t is infinite and p is 2 ÷ 2^n (1 ÷ 2^n for one side):
    what flipping the sign of each difference gives.
    """
    if not len(pairs.a):
        return nothing(pairs.a.shape[1])
    sample = student(pairs.differences, rounding_of(pairs.a, pairs.b))
    return Outcome(sample.t, chance_beyond(sample, alternative), sample.direction)


PAIRED_T = StatisticalTest(
    "paired_t",
    paired_t,
    params=(ALTERNATIVE,),
    aliases=("t", "student", "t_test", "ttest", "paired", "paired_t_test", "ttest_rel"),
    assumes="The mean difference would be about normal if the queries were drawn again: true from some 30 queries up.",
    cite="Student 1908, The Probable Error of a Mean, Biometrika 6(1)",
)
