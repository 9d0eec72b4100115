"""Night evidence: what evaluations on fresh queries say together about a drop.

M = Σⱼ w · mean over λ of Π over evaluations j … now of Πᵢ (1 − λ·dᵢ), with differences dᵢ scaled to −1 … 1 and w = 1/365. If
the mean difference is never below 0, M ever reaches 1/α with a chance of at most α (Ville's inequality), for up to 365
evaluations, however often one looks. It needs independent queries in every evaluation.
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
    if not nights:
        return Weighed(0.0, is_alarm=False, drop=0.0, nights=0)
    logs = np.array([factors for factors, _, _ in nights], dtype=float)
    since = np.cumsum(logs[::-1], axis=0)[::-1]
    """Evaluation j × λ: the logarithm of the product from j to now."""
    parts = np.logaddexp.reduce(since, axis=1) - math.log(len(BETS) * most)
    evidence = float(np.exp(min(700.0, np.logaddexp.reduce(parts))))
    start = int(np.argmax(parts))
    total, n = sum(night[1] for night in nights[start:]), sum(night[2] for night in nights[start:])
    return Weighed(evidence, evidence >= 1 / chance, -total / n if n else 0.0, len(nights) - start)
