"""ComparisonOptions: the choices of a comparison, all recorded in it; and which systems are compared with each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from assay.catalog import find_entry
from assay.errors import BadParameter, UnknownName, UsageError, near_matches
from assay.stats import BoundTest, Correction, checked_fraction, parse_correction, parse_paired_test

INTERVALS = {
    "bootstrap": "percentiles of the bootstrap: right for nearly everything",
    "bca": "the bootstrap mended for bias and skew",
    "t": "Student's t: quick, and right where the mean is about normal",
    "studentised": "the bootstrap of t: the most careful one for few queries",
}
"""What an interval of a difference may be made by, and when to take it."""
OTHER_SPELLINGS = {"studentized": "studentised", "percentile": "bootstrap", "student": "t"}


@dataclass(frozen=True)
class ComparisonOptions:
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
    """Means that differ by no more are practically equal. The test's own rope, if it has one, goes before this."""
    seed: int = 0

    def __post_init__(self) -> None:
        checked_fraction("alpha", self.alpha)
        for name in ("tolerance", "rope"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
                raise BadParameter(f"{name} is a number from 0 up, not {value!r}")
        find_entry("interval", self.interval_method, INTERVALS)
        own = self.bound_test.scale if "rope" in self.bound_test.params else 0.0
        object.__setattr__(self, "rope", own or self.rope)
        if self.correcting.name not in ("none", "bonferroni") and self.bound_test.test.is_for_many:
            raise UsageError(
                f"{self.bound_test.test.name} corrects for all pairs of systems itself, and over several metrics by "
                f"Bonferroni: correction is holm (the default), bonferroni or none here, not {self.correction}"
            )

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
        """The test with its parameters; one that has a region of practical equality takes ours unless it has its own."""
        test = parse_paired_test(self.test)
        if test.params.get("rope") == 0:
            return replace(test, params={**test.params, "rope": self.rope})
        return test

    @property
    def correcting(self) -> Correction:
        """What makes up for many comparisons. Tests for many systems do that for pairs, so that metrics are left to it."""
        chosen = parse_correction(self.correction)
        is_left = self.bound_test.test.is_for_many and chosen.name == "holm"
        return parse_correction("bonferroni") if is_left else chosen

    def is_significant(self, p: float) -> bool:
        """Whether a p is small enough: up to alpha."""
        return bool(p <= self.alpha)

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


def place_of(name: str, names: Sequence[str]) -> int:
    """The number of a system; an unknown name is an error that offers near matches."""
    if name not in names:
        raise UnknownName("system", name, near_matches(name, names), f"there are {', '.join(names)}")
    return list(names).index(name)


def pairs_of(names: Sequence[str], baseline: str | None) -> list[tuple[int, int]]:
    """The numbers of every two systems, or of the baseline and each other one."""
    if baseline is None:
        return list(combinations(range(len(names)), 2))
    first = place_of(baseline, names)
    return [(first, other) for other in range(len(names)) if other != first]
