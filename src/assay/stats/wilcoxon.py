"""wilcoxon: whether the larger differences between two systems favour one of them, by rank instead of by size."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.grammar import Param, one_of
from assay.model import Floats
from assay.stats._ranks import shared_ranks
from assay.stats._rounding import rounding_of
from assay.stats._test import ALTERNATIVE, Outcome, Pairs, StatisticalTest, nothing

ZEROS = Param(
    "zeros",
    one_of("wilcox", "pratt", "zsplit"),
    "wilcox",
    "queries without a difference: wilcox drops them, pratt ranks them and then drops them, zsplit halves their ranks",
)
METHOD = Param(
    "method", one_of("auto", "normal"), "auto", "auto: exact up to 50 differences; normal: approximated from 2 up"
)
MOST_EXACT = 50
"""Differences up to which all sign patterns are counted; their number, 2^50, is still exact in a float."""
BLOCK_CELLS = 1_000_000
"""Differences ranked at once, so that memory stays small."""


class _Ranked(NamedTuple):
    """Columns as rows: the signed rank of each difference; 0 for one that does not count."""

    signed: Floats
    zero_ranks: Floats
    """Per row, Σ rank of zeros that are split between both sides."""
    zero_variance: Floats
    """Per row, what those zeros add to the variance."""


def wilcoxon(pairs: Pairs, alternative: str, zeros: str, method: str) -> Outcome:
    """Whether the larger differences between two systems favour one of them, by rank instead of by size.

    The statistic is the sum of the ranks of the queries where b is above. Without any difference p = 1.

    Exact up to 50 differences, equal ones included (each sign pattern of the observed ranks is as likely as the others);
    beyond that, and for split zeros, the normal approximation with the variance of the ranks as they are, so ties are
    accounted for; no continuity correction.
    """
    n, n_columns = pairs.a.shape
    if not n:
        return nothing(n_columns)
    step = max(1, BLOCK_CELLS // n)
    blocks = [slice(start, start + step) for start in range(0, n_columns, step)]
    parts = [_of_block(Pairs(pairs.a[:, block], pairs.b[:, block]), alternative, zeros, method) for block in blocks]
    if not parts:
        return nothing(0)
    statistic, p, direction = (np.concatenate([part[place] for part in parts]) for place in range(3))
    return Outcome(statistic, p, direction)


def _of_block(pairs: Pairs, alternative: str, zeros: str, method: str) -> Outcome:
    ranked = _rank(pairs, zeros)
    up = np.maximum(ranked.signed, 0.0).sum(axis=1) + ranked.zero_ranks / 2
    down = np.maximum(-ranked.signed, 0.0).sum(axis=1) + ranked.zero_ranks / 2
    p = _normal_p(ranked, up - down, alternative)
    n_counted = np.count_nonzero(ranked.signed, axis=1)
    is_exact = (n_counted <= (MOST_EXACT if method == "auto" else 1)) & (ranked.zero_ranks == 0)
    for row in np.flatnonzero(is_exact):
        p[row] = _exact_p(ranked.signed[row], alternative)
    return Outcome(up, np.where(n_counted == 0, 1.0, p), np.sign(up - down))


def _rank(pairs: Pairs, zeros: str) -> _Ranked:
    """Zeros go before all others in the order, so dropping them first or last makes the ranks differ."""
    rows = np.ascontiguousarray(pairs.differences.T)
    is_zero = rows == 0
    ranks = shared_ranks(np.abs(rows), rounding_of(pairs.a, pairs.b))
    n_zeros = np.count_nonzero(is_zero, axis=1)
    if zeros == "wilcox":
        ranks -= n_zeros[:, None]
    of_zeros = np.where(is_zero, ranks, 0.0) if zeros == "zsplit" else np.zeros((len(rows), 1))
    return _Ranked(np.sign(rows) * ranks, of_zeros.sum(axis=1), (of_zeros**2).sum(axis=1) / 4)


def _normal_p(ranked: _Ranked, lead: Floats, alternative: str) -> Floats:
    from scipy.special import ndtr

    sd = np.sqrt((ranked.signed**2).sum(axis=1) / 4 + ranked.zero_variance)
    z = np.divide(lead / 2, sd, out=np.zeros(len(sd)), where=sd > 0)
    toward = {"two_sided": -np.abs(z), "greater": -z, "less": z}[alternative]
    return np.minimum((2.0 if alternative == "two_sided" else 1.0) * ndtr(toward), 1.0)


def _exact_p(signed: Floats, alternative: str) -> float:
    """Counts, among all sign patterns, those whose rank sum is as extreme; half ranks are doubled to whole ones."""
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


TEST = StatisticalTest(
    "wilcoxon",
    wilcoxon,
    params=(ALTERNATIVE, ZEROS, METHOD),
    aliases=("signed_rank", "wilcoxon_signed_rank"),
    ahead="{ahead} is ahead of {behind} by the ranks of the differences",
    assumes="Differences are spread alike on both sides of their middle; it asks about that middle, not about the mean.",
    cite="Wilcoxon 1945, Biometrics Bulletin 1(6); Pratt 1959, JASA 54(287)",
)
