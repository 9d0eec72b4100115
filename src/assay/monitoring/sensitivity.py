"""Sensitivity: what a rule can notice with the queries at hand, and how often it fails although nothing is worse.

The chances are estimates. The differences of a change that drops the mean by δ have the spread of the observed differences,
plus the spread of the drop itself: a share of the queries loses a typical amount, the others lose nothing.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.grammar import show

FEWEST_CHANGED = 5
"""With fewer changed queries, the typical loss of a query is assumed."""
USUAL_SD = 0.26
"""The assumed spread without results, as a share of the range: half of the queries have another ranking, reciprocal rank."""
USUAL_SHARE = 0.5
"""The share of queries that change, without results."""


class Spread(NamedTuple):
    """How the differences of single queries vary."""

    sd: float
    loss: float
    """The typical amount that a query loses; infinite if unknown."""
    share: float
    """The share of queries that change, even if nothing is worse."""
    is_binary: bool = False
    """Whether a query changes by the whole range or not at all."""
    is_assumed: bool = False


def spread_of(gains: Floats, width: float, *, is_binary: bool = False) -> Spread:
    """The spread of observed differences; `width` is the largest possible difference."""
    changed = gains[gains != 0]
    usual = width if is_binary else width / 2
    loss = float((changed**2).sum() / np.abs(changed).sum()) if len(changed) >= FEWEST_CHANGED else usual
    sd = float(gains.std(ddof=1)) if len(gains) > 1 else 0.0
    return Spread(sd, loss, len(changed) / len(gains) if len(gains) else 0.0, is_binary)


def assumed_spread(width: float) -> Spread:
    """The spread that is assumed without results; unknown if the metric has no largest value."""
    return Spread(USUAL_SD * width, width / 2, USUAL_SHARE, is_assumed=True)


def chance_to_notice(drop: float, margin: float, n: int, spread: Spread, alpha: float) -> float:
    """The chance that a margin rule fails at this true drop: it is significant at alpha, and the observed drop is larger.

    nan if the spread is unknown. The randomisation test needs at least log₂(1/alpha) changed queries.
    """
    from scipy.special import bdtrc, ndtr, ndtri

    if not math.isfinite(spread.sd) or n < 1 or drop <= 0:
        return math.nan
    added = max(0.0, drop * (spread.loss - drop)) if math.isfinite(spread.loss) else 0.0
    error = math.sqrt((spread.sd**2 + added) / n)
    step = spread.loss / (2 * n) if spread.is_binary else 0.0
    fewest = math.ceil(-math.log2(alpha) - 1e-9)
    share = min(1.0, spread.share + drop / spread.loss) if math.isfinite(spread.loss) else 1.0
    is_possible = float(bdtrc(fewest - 1, n, share)) if fewest <= n else 0.0
    if not error:
        return is_possible
    threshold = max(margin, -float(ndtri(alpha)) * error + step)
    return min(is_possible, float(ndtr((drop - threshold) / error)))


def chance_of_false_failure(limit: float, n: int, spread: Spread) -> float:
    """The chance that equal systems break a limit on the observed drop."""
    from scipy.special import ndtr

    if not math.isfinite(spread.sd) or n < 1 or not spread.sd:
        return math.nan
    return float(ndtr(-limit / (spread.sd / math.sqrt(n))))


def cases_text(chance: float) -> str:
    """`in about 45 of 100 cases`."""
    if chance < 0.005:
        return "in fewer than 1 of 100 cases"
    if chance > 0.995:
        return "in more than 99 of 100 cases"
    return f"in about {100 * chance:.0f} of 100 cases"


def size_text(size: float) -> str:
    """The size of a drop with two digits that matter."""
    return show(float(f"{size:.3g}"))


def rounded_up(number: int) -> int:
    """Rounded up to two digits, because it is an estimate."""
    step = 10 ** max(0, len(str(number)) - 2)
    return math.ceil(number / step) * step


def notice_text(margin: float, chance: float, units: str, noun: str = "drop", unit: str = "") -> str:
    """`48 queries: a drop of 0.1 (twice the margin) would be noticed in about 45 of 100 cases`; empty if it is unknown."""
    if math.isnan(chance):
        return ""
    return f"{units}: a {noun} of {size_text(2 * margin)}{unit} (twice the margin) would be noticed {cases_text(chance)}"


def false_failure_text(chance: float, units: str) -> str:
    """`48 queries: a system that is as good would break this rule in about 38 of 100 cases`; empty if unknown."""
    if math.isnan(chance):
        return ""
    return f"{units}: a system that is as good would break this rule {cases_text(chance)}"


def unseen_share(n: int, alpha: float = 0.025) -> float:
    """The largest share of queries that a change can touch without touching one of n queries, with a chance of alpha."""
    return float(1 - alpha ** (1 / n)) if n else 1.0
