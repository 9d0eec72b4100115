"""Pair: two systems on one metric; how far apart they are, how sure that is, and for how many queries."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Pair:
    """System b against system a. `improvement`, effects and chances are above 0 where b is better, whatever the metric."""

    metric: str
    a: str
    b: str
    n: int
    """Queries on which both have a score."""
    value_a: float
    value_b: float
    difference: float
    """b minus a."""
    relative: float
    """The difference as a share of a; nan where a is 0."""
    low: float
    """The interval of the difference."""
    high: float
    statistic: float
    p: float
    p_corrected: float
    is_significant: bool
    improvement: float
    cohens_d: float
    cliffs_delta: float
    wins: int
    ties: int
    losses: int
    p_better: float
    """Bayesian: the chance that b is better by more than the region of practical equality."""
    p_equal: float
    """Bayesian: the chance that they are practically equal."""
    claim: str = "differs"
    """What significance means here: that b differs, that it is not worse, or that both are equal."""

    @property
    def better(self) -> str | None:
        """The system that is better, if that is sure enough."""
        if not self.is_significant or self.claim != "differs" or self.improvement == 0:
            return None
        return self.b if self.improvement > 0 else self.a

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; None for what is not defined."""
        plain = {name: defined(value) for name, value in asdict(self).items()}
        return {**plain, "better": self.better}


def defined(value: Any) -> Any:
    """The value as JSON knows it: None in place of nan and of what is infinite."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
