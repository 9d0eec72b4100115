"""friedman: whether some of several systems rank higher than others query after query, and which (Nemenyi)."""

import numpy as np

from assay.grammar import Param, one_of
from assay.model import Floats
from assay.stats._ranks import shared_ranks
from assay.stats._rounding import ROUNDING
from assay.stats._studentised_range import chance_of_range
from assay.stats._test import Field, FieldOutcome, StatisticalTest
from assay.stats._two_way import arrangements, gaps, standing, verdict_without_evidence, with_diagonal

STATISTIC = Param(
    "statistic", one_of("f", "chi2"), "f", "f: Iman and Davenport's F, closer to the truth; chi2: Friedman's own"
)


def friedman(field: Field, statistic: str) -> FieldOutcome:
    """Whether some of several systems rank higher than others query after query, and which (Nemenyi).

    On each query the systems are ranked, equal scores sharing a rank; p of a pair is Nemenyi's and allows for all.

    Systems that tie on every query and a single query have p = 1. Where every query ranks the systems in the same way,
    F is infinite and its p the chance that ranking each query anew gives that one order again.
    """
    n, m = field.scores.shape
    if n < 2 or m < 2:
        return verdict_without_evidence(n, m)
    rounding = np.full(n, ROUNDING * np.abs(field.scores).max())
    ranks = shared_ranks(field.scores, rounding)
    means = ranks.mean(axis=0)
    q = gaps(means) / np.sqrt(m * (m + 1) / (12 * n))
    found, p = _overall(ranks, means, statistic)
    return FieldOutcome(found, p, with_diagonal(chance_of_range(q, m)), standing(means - (m + 1) / 2, ROUNDING * m))


def _overall(ranks: Floats, means: Floats, statistic: str) -> tuple[float, float]:
    """The statistic and its p, with the spread of the ranks as they are, so ties are accounted for."""
    from scipy.special import chdtrc, fdtrc

    n, m = ranks.shape
    middle = (m + 1) / 2
    spread = float(((ranks - middle) ** 2).sum())
    between = n * float(((means - middle) ** 2).sum())
    if spread == 0:
        return 0.0, 1.0
    chi2 = (m - 1) * n * between / spread
    if statistic == "chi2":
        return chi2, float(chdtrc(m - 1, chi2))
    if spread - between <= ROUNDING * spread:
        return np.inf, float(arrangements(means, ROUNDING)) ** (1 - n)
    f = (n - 1) * between / (spread - between)
    return f, float(fdtrc(m - 1, (m - 1) * (n - 1), f))


TEST = StatisticalTest(
    "friedman",
    friedman,
    params=(STATISTIC,),
    aliases=("nemenyi", "friedman_nemenyi"),
    ahead="{ahead} mostly ranks above {behind}",
    is_for_many=True,
    assumes="Queries are independent; only the order of the systems on each query counts, so scores may have any scale.",
    cite="Friedman 1937, JASA 32(200); Iman & Davenport 1980; Nemenyi 1963; Demšar 2006, JMLR 7",
)
