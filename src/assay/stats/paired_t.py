"""paired_t: whether the mean difference between two systems is larger than the spread over queries explains."""

from assay.stats._rounding import rounding_of
from assay.stats._student import chance_beyond, student
from assay.stats._test import ALTERNATIVE, Outcome, Pairs, StatisticalTest, nothing


def paired_t(pairs: Pairs, alternative: str) -> Outcome:
    """Whether the mean difference between two systems is larger than the spread over queries explains.

    The statistic is t, above 0 where b has the larger mean. Identical systems and a single query have p = 1.

    Where b differs from a by the same amount on every query, t is infinite and p is 2 ÷ 2^n (1 ÷ 2^n for one side):
    what flipping the sign of each difference gives.
    """
    if not len(pairs.a):
        return nothing(pairs.a.shape[1])
    found = student(pairs.differences, rounding_of(pairs.a, pairs.b))
    return Outcome(found.t, chance_beyond(found, alternative), found.direction)


TEST = StatisticalTest(
    "paired_t",
    paired_t,
    params=(ALTERNATIVE,),
    aliases=("t", "student", "t_test", "ttest", "paired", "paired_t_test", "ttest_rel"),
    assumes="The mean difference would be about normal if the queries were drawn again: true from some 30 queries up.",
    cite="Student 1908, The Probable Error of a Mean, Biometrika 6(1)",
)
