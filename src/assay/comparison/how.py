"""How: the choices of a comparison, all recorded in it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from assay.catalog import find_entry
from assay.errors import BadParameter
from assay.stats._corrections import Correction, parse_correction
from assay.stats._test import BoundTest, parse_test

INTERVALS = {
    "bootstrap": "percentiles of the bootstrap: right for nearly everything",
    "bca": "the bootstrap mended for bias and skew",
    "t": "Student's t: quick, and right where the mean is about normal",
    "studentised": "the bootstrap of t: the most careful one for few queries",
}
"""What an interval of a difference may be made by, and when to take it."""
OTHER_SPELLINGS = {"studentized": "studentised", "percentile": "bootstrap", "student": "t"}


@dataclass(frozen=True)
class How:
    """What systems are compared by. Names are checked as soon as it is made."""

    baseline: str | None = None
    """The system all others are compared with; None: every pair."""
    test: str = "randomization"
    correction: str = "holm"
    alpha: float = 0.05
    """How often a difference may be seen where there is none."""
    interval: str = "bootstrap"
    tolerance: float = 0.0
    """Scores that differ by no more are as good as each other when queries are counted."""
    rope: float = 0.0
    """Means that differ by no more are practically equal."""
    seed: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.alpha, bool) or not isinstance(self.alpha, int | float) or not 0 < self.alpha < 1:
            raise BadParameter(f"alpha is a number between 0 and 1, such as 0.05, not {self.alpha!r}")
        for name in ("tolerance", "rope"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
                raise BadParameter(f"{name} is a number from 0 up, not {value!r}")
        find_entry("interval", self.interval_method, INTERVALS)
        _ = self.bound_test, self.correcting

    @property
    def level(self) -> float:
        """Of the intervals: what alpha leaves."""
        return round(1 - self.alpha, 12)

    @property
    def interval_method(self) -> str:
        """What intervals are made by, in its own spelling."""
        plain = self.interval.strip().lower()
        return OTHER_SPELLINGS.get(plain, plain)

    @property
    def bound_test(self) -> BoundTest:
        """The test with its parameters."""
        return parse_test(self.test)

    @property
    def correcting(self) -> Correction:
        """What makes up for many comparisons; tests for many systems do that themselves."""
        return parse_correction("none" if self.bound_test.test.is_for_many else self.correction)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as results record them."""
        return {
            "baseline": self.baseline,
            "test": self.bound_test.name,
            "correction": self.correcting.name,
            "alpha": self.alpha,
            "interval": self.interval_method,
            "tolerance": self.tolerance,
            "rope": self.rope,
            "seed": self.seed,
        }
