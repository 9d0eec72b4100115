"""ExperimentOptions: the settings of an A/B test, which are recorded in its outcome."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from datetime import time as clock
from typing import Any

from assay.errors import BadParameter
from assay.experiments.sample_ratio import Shares, Split, parse_split
from assay.stats import Correction, checked_fraction, parse_correction

HOUR = 3600.0
CONTROL_NAMES = ("control", "baseline", "base", "a", "off", "0", "old", "before")
"""Names by which the control is recognised, if it is not named."""


@dataclass(frozen=True)
class ExperimentOptions:
    """The settings. They are checked when it is created."""

    control: str | None = None
    """The variant that all others are compared with; None: a usual name such as `control`, else the first name."""
    split: Split | None = None
    """The expected shares of users; None: equal shares."""
    start: str | date | datetime | None = None
    """The start of the experiment: searches before it only reduce the variance; a sequential test leaves them out."""
    sequential: bool = False
    """Whether intervals and p hold at all times, for an experiment that is looked at while it runs."""
    window: float = 24.0
    """Sequential: hours after the first search of a user in which searches count."""
    alpha: float = 0.05
    correction: str = "holm"
    correct_metrics: bool = False
    """Whether every metric is tested, and p is corrected over all of them. Otherwise only the first metric decides."""

    def __post_init__(self) -> None:
        checked_fraction("alpha", self.alpha)
        parse_correction(self.correction)
        parse_split(self.split)
        self.start_time  # noqa: B018 (checks it now)
        number = self.window
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number < math.inf:
            raise BadParameter(f"the window must be a number of hours above 0, not {number!r}")

    @property
    def level(self) -> float:
        """The confidence level of the intervals."""
        return round(1 - self.alpha, 12)

    @property
    def shares(self) -> Shares | None:
        """The expected shares, as the user wrote them."""
        return parse_split(self.split)

    @property
    def correcting(self) -> Correction:
        """The correction for many comparisons."""
        return parse_correction(self.correction)

    @property
    def start_time(self) -> int | None:
        """The start in microseconds since 1970; a time without a zone is in UTC."""
        if self.start is None:
            return None
        try:
            day = self.start if isinstance(self.start, date) else datetime.fromisoformat(self.start)
        except (TypeError, ValueError):
            message = f"the start must be a time such as 2026-03-01 or 2026-03-01T09:30:00Z, not {self.start!r}"
            raise BadParameter(message) from None
        time = day if isinstance(day, datetime) else datetime.combine(day, clock())
        time = time if time.tzinfo else time.replace(tzinfo=UTC)
        return round(time.timestamp() * 1e6)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as recorded."""
        split = dict(self.shares) if isinstance(self.shares, Mapping) else None
        return {
            "control": self.control,
            "split": split,
            "start": self.start.isoformat() if isinstance(self.start, date) else self.start,
            "sequential": self.sequential,
            "window": self.window if self.sequential else None,
            "alpha": self.alpha,
            "correction": self.correcting.name,
            "correct_metrics": self.correct_metrics,
        }
