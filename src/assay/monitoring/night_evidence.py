"""Night evidence: what evaluations on fresh queries say together about a drop.

M = Σⱼ w · mean over λ of Π over evaluations j … now of Πᵢ (1 − λ·dᵢ), with differences dᵢ scaled to −1 … 1 and w = 1/N. If
the mean difference is never below 0, M ever reaches 1/α with a chance of at most α (Ville's inequality), for up to N
evaluations, however often one looks. It needs independent queries in every evaluation.

Once M has reached 1/α, the first evaluation without a drop closes the evidence: the sum starts again after it. This leaves
out parts of the sum, so M is never larger than without it, and the bound still holds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.comparison import gains_of

if TYPE_CHECKING:
    from assay.monitoring.case import Case
    from assay.monitoring.change_rules import MarginRule

BETS = np.array([0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9])
"""λ: how much is bet on a drop. Small values find small drops, large values find large ones."""
Night = tuple[list[float], float, int]
"""What an evaluation says: for each λ the logarithm of its factor, the sum of all gains, and their number."""
MAX_NIGHTS = 365
ALARM_CHANCE = 0.05


class Weighed(NamedTuple):
    """The evidence of all evaluations, and the drop since the evaluation at which it began most likely."""

    evidence: float
    is_alarm: bool
    drop: float
    nights: int
    newest: float = 0.0
    """The drop in the newest evaluation."""
    is_closed: bool = False
    """Whether the newest evaluation has no drop and closed the evidence of an alarm."""


def night_logs(gains: Floats, width: float) -> Floats:
    """For each λ the logarithm of Πᵢ (1 − λ·dᵢ); differences are scaled by the largest possible one."""
    return np.asarray(np.log1p(-BETS[:, np.newaxis] * gains / width).sum(axis=1))


def evidence_of(rule: MarginRule, case: Case) -> Night:
    """What one evaluation adds; nothing if the metric has no largest value or there is no baseline."""
    low, high = rule.bound.metric.range
    if case.before is None or not math.isfinite(high - low):
        return [0.0] * len(BETS), 0.0, 0
    gains = gains_of(rule.bound, *case.columns(rule.bound.name))
    return night_logs(gains, high - low).tolist(), float(gains.sum()), len(gains)


def weigh(nights: Sequence[Night], chance: float = ALARM_CHANCE, most: int = MAX_NIGHTS) -> Weighed:
    """M after the last of these evaluations; the promise is about so many of them at `most`."""
    first, is_closed = _open_since(nights, chance, most)
    newest = _drop(nights[-1:])
    if first == len(nights):
        return Weighed(0.0, is_alarm=False, drop=0.0, nights=0, newest=newest, is_closed=is_closed)
    logs = np.array([factors for factors, _, _ in nights[first:]], dtype=float)
    since = np.cumsum(logs[::-1], axis=0)[::-1]
    """Evaluation j × λ: the logarithm of the product from j to now."""
    parts = np.logaddexp.reduce(since, axis=1) - math.log(len(BETS) * most)
    evidence = float(np.exp(min(700.0, np.logaddexp.reduce(parts))))
    start = first + int(np.argmax(parts))
    return Weighed(evidence, evidence >= 1 / chance, _drop(nights[start:]), len(nights) - start, newest)


def _open_since(nights: Sequence[Night], chance: float, most: int) -> tuple[int, bool]:
    """The first evaluation whose evidence is not closed, and whether the newest evaluation closed it.

    The sum over starting evaluations is kept for each λ: S ← (S + w)·Πᵢ (1 − λ·dᵢ).
    """
    first, is_reached, is_closed = 0, False, False
    sums = np.full(len(BETS), -np.inf)
    for place, night in enumerate(nights):
        is_closed = is_reached and _drop([night]) <= 0
        if is_closed:
            first, is_reached, sums = place + 1, False, np.full(len(BETS), -np.inf)
            continue
        sums = np.logaddexp(sums, -math.log(most)) + np.asarray(night[0], dtype=float)
        is_reached = is_reached or bool(np.logaddexp.reduce(sums) - math.log(len(BETS)) >= -math.log(chance))
    return first, is_closed


def _drop(nights: Sequence[Night]) -> float:
    """The mean drop over all queries of these evaluations; 0 without queries."""
    n = sum(night[2] for night in nights)
    return -sum(night[1] for night in nights) / n if n else 0.0
