"""Pair: two systems on one metric; how far apart they are, how sure that is, and for how many queries."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from assay.serialize import plain_values

SHARED_TIMES = "times of batches: nobody timed single queries"
NO_TEST = "no test for this figure"


@dataclass(frozen=True)
class Pair:
    """System b against system a. `improvement`, effects and chances are above 0 where b is better, whatever the metric."""

    metric: str
    a: str
    b: str
    n: int
    """Queries on which both have a score: all figures rest on these."""
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
    direction: int
    """Whom the test speaks for: 1 for b, -1 for a, 0 for neither. It may look at ranks or wins instead of the mean."""
    draws: int
    """How many random draws p was counted from; 0 where it was calculated, or all there are were looked at."""
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
    untested: str = ""
    """Why there is no p, where that is not for want of queries."""

    @property
    def has_shared_times(self) -> bool:
        """Whether the figures are times of batches, of which no query has one of its own."""
        return self.untested == SHARED_TIMES

    @property
    def better(self) -> str | None:
        """The system that is better, if that is sure enough, and test and figures do not speak for different ones."""
        if not self.is_significant or self.claim != "differs" or self.direction * self.improvement <= 0:
            return None
        return self.b if self.improvement > 0 else self.a

    @property
    def is_split(self) -> bool:
        """Whether the test is sure, but of a system whose figure is not the better one."""
        return self.is_significant and self.claim == "differs" and self.direction != 0 and self.better is None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; None for what is not defined."""
        return {**plain_values(asdict(self)), "better": self.better}
