"""ComparisonOptions: the settings of a comparison, which are recorded in it; and the pairs of systems to compare."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypedDict

from assay.catalog import find_entry
from assay.errors import BadParameter, UnknownName, UsageError, near_matches
from assay.stats import BoundTest, Correction, checked_fraction, parse_correction, parse_paired_test

INTERVALS = {
    "auto": "Student's t if enough queries changed, else Gaffke's bound; it agrees with the test",
    "bootstrap": "percentiles of the bootstrap: too narrow if few queries changed",
    "bca": "the bootstrap corrected for bias and skew",
    "t": "Student's t: fast, suitable if the mean is about normally distributed",
    "studentised": "the bootstrap of t: the most cautious one for few queries",
}
"""Methods for the interval of a difference, and when to use each."""
MAX_NAMED = 20
"""Systems that an error names."""
OTHER_SPELLINGS = {"studentized": "studentised", "percentile": "bootstrap", "student": "t"}


class SignificanceSettings(TypedDict, total=False):
    """The fields of `ComparisonOptions` except the baseline, as keywords."""

    test: str
    correction: str
    alpha: float
    interval: str
    correct_metrics: bool
    tolerance: float
    rope: float
    seed: int
    cluster: str | None


class ComparisonSettings(SignificanceSettings, total=False):
    """The fields of `ComparisonOptions`, as keywords."""

    baseline: str | None


@dataclass(frozen=True)
class ComparisonOptions:
    """The settings of a comparison. Names are checked when it is created."""

    baseline: str | None = None
    """The system that all others are compared with; None: every pair."""
    test: str = "randomization"
    correction: str = "holm"
    alpha: float = 0.05
    """The accepted rate of false positives."""
    interval: str = "auto"
    correct_metrics: bool = False
    """Whether every metric is tested, and p is corrected over all of them. Otherwise only the first metric decides."""
    tolerance: float = 0.0
    """Scores of a query that differ by no more than this count as equal when wins and losses are counted."""
    rope: float = 0.0
    """Means that differ by no more than this are practically equal. The rope of the test, if it has one, wins."""
    seed: int = 0
    cluster: str | None = None
    """A tag. Queries that share its value are tested and resampled together; None: each query alone."""

    def __post_init__(self) -> None:
        checked_fraction("alpha", self.alpha)
        for name in ("tolerance", "rope"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
                raise BadParameter(f"{name} must be a number of at least 0, not {value!r}")
        find_entry("interval method", self.interval_method, INTERVALS)
        own = self.bound_test.scale if "rope" in self.bound_test.params else 0.0
        object.__setattr__(self, "rope", own or self.rope)
        if self.correcting.name not in ("none", "bonferroni") and self.bound_test.test.is_for_many:
            raise UsageError(
                f"{self.bound_test.test.name} corrects for all pairs of systems itself, and Bonferroni corrects for several "
                f"metrics. With this test, correction must be holm (the default), bonferroni or none, not {self.correction}"
            )

    @property
    def level(self) -> float:
        """The confidence level of the intervals: 1 - alpha."""
        return round(1 - self.alpha, 12)

    @property
    def interval_method(self) -> str:
        """The method for intervals, in its canonical spelling."""
        plain = self.interval.strip().lower()
        return OTHER_SPELLINGS.get(plain, plain)

    @property
    def bound_test(self) -> BoundTest:
        """The test with its parameters; `rope` is passed to a test that has such a parameter and no value for it."""
        test = parse_paired_test(self.test)
        if test.params.get("rope") == 0:
            return replace(test, params={**test.params, "rope": self.rope})
        return test

    @property
    def correcting(self) -> Correction:
        """The correction for many comparisons. Tests for many systems correct for pairs, so it only covers metrics there."""
        chosen = parse_correction(self.correction)
        is_left = self.bound_test.test.is_for_many and chosen.name == "holm"
        return parse_correction("bonferroni") if is_left else chosen

    def is_significant(self, p: float) -> bool:
        """Whether p is at most alpha."""
        return bool(p <= self.alpha)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as recorded in results."""
        return {
            "baseline": self.baseline,
            "test": self.bound_test.name,
            "correction": self.correcting.name,
            "alpha": self.alpha,
            "interval": self.interval_method,
            "correct_metrics": self.correct_metrics,
            "tolerance": self.tolerance,
            "rope": self.rope,
            "seed": self.seed,
            **({"cluster": self.cluster} if self.cluster else {}),
        }


def listed_in_part(names: Sequence[str]) -> str:
    """`a, b, c`, and an ellipsis if there are very many."""
    return ", ".join([*names[:MAX_NAMED], *(["…"] if len(names) > MAX_NAMED else [])])


def place_of(name: str, names: Sequence[str]) -> int:
    """The position of a system; an unknown name is an error with similar names."""
    if name not in names:
        raise UnknownName("system", name, near_matches(name, names), f"choose from {listed_in_part(names)}")
    return list(names).index(name)


def pairs_of(names: Sequence[str], baseline: str | None) -> list[tuple[int, int]]:
    """The positions of every pair of systems, or of the baseline with each other system."""
    if baseline is None:
        return list(combinations(range(len(names)), 2))
    first = place_of(baseline, names)
    return [(first, other) for other in range(len(names)) if other != first]
