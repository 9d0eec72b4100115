"""sign: whether one system wins on more queries than a fair coin would give it."""

import numpy as np

from assay.grammar import Param, not_negative
from assay.stats._rounding import rounding_of
from assay.stats._test import ALTERNATIVE, Outcome, Pairs, StatisticalTest, nothing

TOLERANCE = Param("tolerance", not_negative, 0.0, "differences up to this are ties")


def sign(pairs: Pairs, alternative: str, tolerance: float) -> Outcome:
    """Whether one system wins on more queries than a fair coin would give it.

    The statistic is the number of queries where b wins; p is exact. Ties are dropped; with ties only, p = 1.
    """
    from scipy.special import bdtr

    if not len(pairs.a):
        return nothing(pairs.a.shape[1])
    tie = tolerance + rounding_of(pairs.a, pairs.b)
    wins = np.count_nonzero(pairs.differences > tie, axis=0)
    losses = np.count_nonzero(pairs.differences < -tie, axis=0)
    fewest = {"two_sided": np.minimum(wins, losses), "greater": losses, "less": wins}[alternative]
    p = bdtr(fewest.astype(float), wins + losses, 0.5)
    p = np.minimum(2.0 * p, 1.0) if alternative == "two_sided" else p
    return Outcome(wins.astype(float), p, np.sign(wins - losses).astype(float))


TEST = StatisticalTest(
    "sign",
    sign,
    params=(ALTERNATIVE, TOLERANCE),
    aliases=("sign_test", "binomial", "binomtest"),
    ahead="{ahead} wins on more queries than {behind}",
    assumes="Queries are independent; how large a difference is does not count, so it sees less than the others.",
    cite="Arbuthnott 1710, An Argument for Divine Providence, Phil. Trans. 27",
)
