"""independent_t: whether two systems measured on different queries differ in their mean."""

from assay.grammar import Param, flag
from assay.stats._student import chance_of_gap, two_samples
from assay.stats._test import ALTERNATIVE, Outcome, Pairs, StatisticalTest, nothing

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
    found = two_samples(pairs.a, pairs.b, equal_variances=equal_variances)
    return Outcome(found.t, chance_of_gap(found, alternative), found.direction)


TEST = StatisticalTest(
    "independent_t",
    independent_t,
    params=(ALTERNATIVE, EQUAL_VARIANCES),
    aliases=("unpaired_t", "two_sample_t", "ttest_ind", "independent"),
    is_paired=False,
    assumes="The queries of a and of b are different ones, drawn independently; both means are about normal.",
    cite="Student 1908, Biometrika 6(1); Welch 1947, Biometrika 34(1–2)",
)
