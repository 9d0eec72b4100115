"""Student's t-tests of a difference of means, and of a difference within a margin."""

import numpy as np

from assay.grammar import Param, flag, not_negative
from assay.stats.gaffke import gaffke_p
from assay.stats.numeric import ROUNDING, rounding_of
from assay.stats.significance import ALTERNATIVE, Outcome, Pairs, StatisticalTest, nothing
from assay.stats.student import chance_beyond, chance_of_gap, student, two_samples

EQUIVALENCE_MARGIN = Param("margin", not_negative, 0.01, "the smallest difference that matters, in units of the score")


def equivalence(pairs: Pairs, margin: float) -> Outcome:
    """Whether the mean difference between two systems is smaller than a margin.

    A small p means that the mean difference is within ±margin. A large p of another test does not show that.

    Two one-sided t tests (TOST), against -margin and against +margin. p is the larger of the two, and the statistic is the
    t of that test. A single query has p = 1. If the difference is the same on all n queries and within the margin, p is
    1 ÷ 2^n.
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
    assumes="The mean difference is approximately normal, and the margin was chosen before looking at the scores.",
    cite="Schuirmann 1987, J. Pharmacokinetics and Biopharmaceutics 15(6)",
)


EQUAL_VARIANCES = Param(
    "equal_variances", flag, True, "true: one pooled variance (Student); false: separate variances (Welch)"
)


def independent_t(pairs: Pairs, alternative: str, equal_variances: bool) -> Outcome:
    """Whether two systems measured on different queries differ in their mean.

    The statistic is t, above 0 if b has the larger mean. For the same queries, paired_t has far more power.

    If neither system varies and they differ, t is infinite and p is 2 ÷ (2n choose n) (one-sided: half of it), as in a
    permutation of the scores. Identical systems and a single query have p = 1.
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
    assumes="a and b were measured on different queries, drawn independently, and both means are approximately normal.",
    cite="Student 1908, Biometrika 6(1); Welch 1947, Biometrika 34(1–2)",
)


NON_INFERIORITY_MARGIN = Param(
    "margin", not_negative, 0.01, "how much worse b may be before it matters, in units of the score"
)


def non_inferiority(pairs: Pairs, margin: float) -> Outcome:
    """Whether b is better than a, or worse by less than a margin.

    A small p means that b is not worse than a by the margin or more. Larger scores must be better, so negate latencies.

    The statistic is the t of the differences plus the margin. If the range of the scores is known, as for the metrics of a
    comparison, p is Gaffke's: it holds if most queries did not change, and is (1 - margin)^n for identical systems and a
    range of 1. Otherwise p is Student's: a single query has p = 1, and a difference that is the same on all n queries and
    above -margin has 1 ÷ 2^n.
    """
    if not len(pairs.a):
        return nothing(pairs.a.shape[1])
    rounding = rounding_of(pairs.a, pairs.b)
    sample = student(pairs.differences + margin, rounding + ROUNDING * margin)
    p = chance_beyond(sample, "greater")
    for column, width in enumerate(pairs.widths.tolist() if pairs.widths is not None else ()):
        if np.isfinite(width):
            p[column] = gaffke_p(pairs.differences[:, column], margin, -width)
    return Outcome(sample.t, p, student(pairs.differences, rounding).direction)


NON_INFERIORITY = StatisticalTest(
    "non_inferiority",
    non_inferiority,
    params=(NON_INFERIORITY_MARGIN,),
    aliases=("noninferiority", "not_worse"),
    claim="not_worse",
    assumes="The margin was chosen before looking at the scores. Scores without a range: the mean is approximately normal.",
    cite="Gaffke 2005; Learned-Miller and Thomas 2019; Phan, Thomas and Learned-Miller 2021",
)


def paired_t(pairs: Pairs, alternative: str) -> Outcome:
    """Whether the mean difference between two systems is too large to be explained by the spread over queries.

    The statistic is t, above 0 if b has the larger mean. Identical systems and a single query have p = 1.

    If b differs from a by the same amount on every query, t is infinite and p is 2 ÷ 2^n (one-sided: 1 ÷ 2^n), as in a
    test that flips the sign of each difference.
    """
    if not len(pairs.a):
        return nothing(pairs.a.shape[1])
    sample = student(pairs.differences, rounding_of(pairs.a, pairs.b))
    return Outcome(sample.t, chance_beyond(sample, alternative), sample.direction)


PAIRED_T = StatisticalTest(
    "paired_t",
    paired_t,
    params=(ALTERNATIVE,),
    is_of_mean=True,
    aliases=("t", "student", "t_test", "ttest", "paired", "paired_t_test", "ttest_rel"),
    assumes="The mean difference is approximately normal over repeated draws of queries, which holds from about 30 queries.",
    cite="Student 1908, The Probable Error of a Mean, Biometrika 6(1)",
)
