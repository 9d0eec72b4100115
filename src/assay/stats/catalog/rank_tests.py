"""Rank tests: compare differences by rank or sign, not by size."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats
from assay.grammar import Param, not_negative, one_of
from assay.stats.catalog.anova import arrangements, gaps, standing, verdict_without_evidence, with_diagonal
from assay.stats.numeric import ROUNDING, rounding_of, shared_ranks
from assay.stats.significance import ALTERNATIVE, Field, FieldOutcome, Outcome, Pairs, StatisticalTest, nothing
from assay.stats.student import chance_of_range

WILCOXON_ZEROS = Param(
    "zeros",
    one_of("wilcox", "pratt", "zsplit"),
    "wilcox",
    "queries without a difference. wilcox: drop them; pratt: rank them, then drop them; zsplit: split their ranks in half",
)
WILCOXON_METHOD = Param(
    "method",
    one_of("auto", "normal"),
    "auto",
    "auto: exact for up to 50 differences; normal: normal approximation for 2 differences or more",
)
MAX_EXACT_RANKS = 50
"""Largest number of differences for which all sign patterns are counted; 2^50 is still exact in a float."""
BLOCK_CELLS = 1_000_000
"""Differences ranked at once, so that memory stays small."""


class _Ranked(NamedTuple):
    """Columns as rows: the signed rank of each difference; 0 if it does not count."""

    signed: Floats
    zero_ranks: Floats
    """For each row: Σ rank of the zeros that are split between both sides."""
    zero_variance: Floats
    """For each row: the variance that those zeros add."""


def wilcoxon(pairs: Pairs, alternative: str, zeros: str, method: str) -> Outcome:
    """Whether the larger differences between two systems favour one of them, by rank instead of by size.

    The statistic is the sum of the ranks of the queries on which b is above a. Without any difference p = 1.

    Exact for up to 50 differences, also if some are equal (all sign patterns of the observed ranks are equally likely). For
    more differences, and for split zeros, it uses the normal approximation with the variance of the observed ranks, which
    accounts for ties, and without a continuity correction.
    """
    n, n_columns = pairs.a.shape
    if not n:
        return nothing(n_columns)
    step = max(1, BLOCK_CELLS // n)
    blocks = [slice(start, start + step) for start in range(0, n_columns, step)]
    parts = [_wilcoxon_block(Pairs(pairs.a[:, block], pairs.b[:, block]), alternative, zeros, method) for block in blocks]
    if not parts:
        return nothing(0)
    statistic, p, direction = (np.concatenate([part[place] for part in parts]) for place in range(3))
    return Outcome(statistic, p, direction)


def _wilcoxon_block(pairs: Pairs, alternative: str, zeros: str, method: str) -> Outcome:
    ranked = _signed_ranks(pairs, zeros)
    up = np.maximum(ranked.signed, 0.0).sum(axis=1) + ranked.zero_ranks / 2
    down = np.maximum(-ranked.signed, 0.0).sum(axis=1) + ranked.zero_ranks / 2
    p = _normal_rank_p(ranked, up - down, alternative)
    n_counted = np.count_nonzero(ranked.signed, axis=1)
    is_exact = (n_counted <= (MAX_EXACT_RANKS if method == "auto" else 1)) & (ranked.zero_ranks == 0)
    for row in np.flatnonzero(is_exact):
        p[row] = _exact_rank_p(ranked.signed[row], alternative)
    return Outcome(up, np.where(n_counted == 0, 1.0, p), np.sign(up - down))


def _signed_ranks(pairs: Pairs, zeros: str) -> _Ranked:
    """Zeros have the lowest ranks, so dropping them before or after ranking gives different ranks."""
    rows = np.ascontiguousarray(pairs.differences.T)
    is_zero = rows == 0
    ranks = shared_ranks(np.abs(rows), rounding_of(pairs.a, pairs.b))
    n_zeros = np.count_nonzero(is_zero, axis=1)
    if zeros == "wilcox":
        ranks -= n_zeros[:, None]
    of_zeros = np.where(is_zero, ranks, 0.0) if zeros == "zsplit" else np.zeros((len(rows), 1))
    return _Ranked(np.sign(rows) * ranks, of_zeros.sum(axis=1), (of_zeros**2).sum(axis=1) / 4)


def _normal_rank_p(ranked: _Ranked, lead: Floats, alternative: str) -> Floats:
    from scipy.special import ndtr

    sd = np.sqrt((ranked.signed**2).sum(axis=1) / 4 + ranked.zero_variance)
    z = np.divide(lead / 2, sd, out=np.zeros(len(sd)), where=sd > 0)
    toward = {"two_sided": -np.abs(z), "greater": -z, "less": z}[alternative]
    return np.minimum((2.0 if alternative == "two_sided" else 1.0) * ndtr(toward), 1.0)


def _exact_rank_p(signed: Floats, alternative: str) -> float:
    """The share of sign patterns whose rank sum is as extreme; ranks are doubled to make half ranks whole numbers."""
    doubled = np.rint(2 * np.abs(signed[signed != 0])).astype(np.int64)
    up = int(np.rint(2 * signed[signed > 0].sum()))
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1.0
    reach = 0
    for rank in np.sort(doubled).tolist():
        ways[rank : reach + rank + 1] += ways[: reach + 1].copy()
        reach += rank
    at_least, at_most = _share(ways[up:], len(doubled)), _share(ways[: up + 1], len(doubled))
    return {"two_sided": min(1.0, 2.0 * min(at_least, at_most)), "greater": at_least, "less": at_most}[alternative]


def _share(ways: NDArray[np.float64], n_signs: int) -> float:
    return float(ways.sum()) / 2.0**n_signs


WILCOXON = StatisticalTest(
    "wilcoxon",
    wilcoxon,
    params=(ALTERNATIVE, WILCOXON_ZEROS, WILCOXON_METHOD),
    aliases=("signed_rank", "wilcoxon_signed_rank"),
    ahead="{ahead} is ahead of {behind} by the ranks of the differences",
    assumes="Differences are symmetric around their median; the test is about the median, not the mean.",
    cite="Wilcoxon 1945, Biometrics Bulletin 1(6); Pratt 1959, JASA 54(287)",
)


FRIEDMAN_STATISTIC = Param(
    "statistic",
    one_of("f", "chi2"),
    "f",
    "f: the F of Iman and Davenport, which is more accurate; chi2: Friedman's original statistic",
)


def friedman(field: Field, statistic: str) -> FieldOutcome:
    """Whether some of several systems consistently rank higher than others, and which ones (Nemenyi).

    The systems are ranked on each query, and equal scores share a rank. The p of a pair is Nemenyi's, for all pairs.

    Systems that tie on every query and a single query have p = 1. If every query ranks the systems in the same order, F is
    infinite, and p is the probability that random orders on all queries are the same.
    """
    n, m = field.scores.shape
    if n < 2 or m < 2:
        return verdict_without_evidence(n, m)
    rounding = np.full(n, ROUNDING * np.abs(field.scores).max())
    ranks = shared_ranks(field.scores, rounding)
    means = ranks.mean(axis=0)
    q = gaps(means) / np.sqrt(m * (m + 1) / (12 * n))
    value, p = _friedman_statistic(ranks, means, statistic)
    return FieldOutcome(value, p, with_diagonal(chance_of_range(q, m)), standing(means - (m + 1) / 2, ROUNDING * m))


def _friedman_statistic(ranks: Floats, means: Floats, statistic: str) -> tuple[float, float]:
    """The statistic and its p. The spread of the observed ranks accounts for ties."""
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


FRIEDMAN = StatisticalTest(
    "friedman",
    friedman,
    params=(FRIEDMAN_STATISTIC,),
    aliases=("nemenyi", "friedman_nemenyi"),
    ahead="{ahead} mostly ranks above {behind}",
    is_for_many=True,
    assumes="Queries are independent. Only the order of the systems on each query counts, so scores can have any scale.",
    cite="Friedman 1937, JASA 32(200); Iman & Davenport 1980; Nemenyi 1963; Demšar 2006, JMLR 7",
)


SIGN_TOLERANCE = Param("tolerance", not_negative, 0.0, "differences up to this value are ties")


def sign(pairs: Pairs, alternative: str, tolerance: float) -> Outcome:
    """Whether one system wins on more queries than a fair coin would give it.

    The statistic is the number of queries on which b wins, and p is exact. Ties are dropped; if all queries tie, p = 1.
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


SIGN = StatisticalTest(
    "sign",
    sign,
    params=(ALTERNATIVE, SIGN_TOLERANCE),
    aliases=("sign_test", "binomial", "binomtest"),
    ahead="{ahead} wins on more queries than {behind}",
    assumes="Queries are independent. The size of a difference does not count, so the test has less power than the others.",
    cite="Arbuthnott 1710, An Argument for Divine Providence, Phil. Trans. 27",
)
