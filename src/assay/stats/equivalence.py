"""equivalence: whether two systems are certainly closer to each other than a margin."""

import numpy as np

from assay.grammar import Param, not_negative
from assay.stats._rounding import ROUNDING, rounding_of
from assay.stats._student import chance_beyond, student
from assay.stats._test import Outcome, Pairs, StatisticalTest, nothing

MARGIN = Param("margin", not_negative, 0.01, "the smallest difference that matters, in units of the score")


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


TEST = StatisticalTest(
    "equivalence",
    equivalence,
    params=(MARGIN,),
    aliases=("tost", "equivalent"),
    claim="equal",
    assumes="The mean difference is about normal, and the margin was chosen before looking at the scores.",
    cite="Schuirmann 1987, J. Pharmacokinetics and Biopharmaceutics 15(6)",
)
