"""non_inferiority: whether b is certainly not worse than a by more than a margin."""

from assay.grammar import Param, not_negative
from assay.stats._rounding import ROUNDING, rounding_of
from assay.stats._student import chance_beyond, student
from assay.stats._test import Outcome, Pairs, StatisticalTest, nothing

MARGIN = Param("margin", not_negative, 0.01, "how much worse b may be before it matters, in units of the score")


def non_inferiority(pairs: Pairs, margin: float) -> Outcome:
    """Whether b is certainly not worse than a by more than a margin.

    A small p says: b is not worse than a by the margin or more. Larger scores must be better, so negate latencies.

    The statistic is the t of the differences plus the margin. A single query has p = 1; where the difference is the
    same on all n queries and above -margin, as with identical systems, p is 1 ÷ 2^n.
    """
    if not len(pairs.a):
        return nothing(pairs.a.shape[1])
    rounding = rounding_of(pairs.a, pairs.b)
    found = student(pairs.differences + margin, rounding + ROUNDING * margin)
    return Outcome(found.t, chance_beyond(found, "greater"), student(pairs.differences, rounding).direction)


TEST = StatisticalTest(
    "non_inferiority",
    non_inferiority,
    params=(MARGIN,),
    aliases=("noninferiority", "not_worse"),
    claim="not_worse",
    assumes="The mean difference is about normal, and the margin was chosen before looking at the scores.",
    cite="Wellek 2010, Testing Statistical Hypotheses of Equivalence and Noninferiority",
)
