"""Statistics of a plan: what is worked out beside the summaries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.catalog import find_entry
from assay.errors import BadParameter, UsageError
from assay.evaluation.plan_values import parse_flag, parse_number
from assay.stats import parse_paired_test

STATISTICS_KEYS = ("confidence_intervals", "significance_testing", "alpha_level")
INTERVALS = ("auto", "bootstrap", "bca", "t", "wilson")
"""What intervals are worked out by; the first where a plan only says true."""


@dataclass(frozen=True)
class Statistics:
    """Intervals of all summaries, and a test between providers; None for none of them."""

    confidence_intervals: str | None = INTERVALS[0]
    significance_testing: str | None = "randomization"
    alpha: float = 0.05
    """How often a difference may be seen that is not there."""

    @property
    def level(self) -> float:
        """Of the intervals: what alpha leaves."""
        return 1 - self.alpha


def parse_statistics(given: Mapping[str, Any], where: str) -> Statistics:
    """The block `statistical_analysis`, as YAML has it."""
    alpha = parse_number(given.get("alpha_level", Statistics.alpha), "alpha_level", where)
    if alpha >= 1:
        raise BadParameter(f"{where}: alpha_level is a number between 0 and 1, such as 0.05, not {given['alpha_level']!r}")
    intervals = _method(given.get("confidence_intervals", True), "confidence_intervals", _interval, where)
    testing = _method(given.get("significance_testing", True), "significance_testing", _test, where)
    return Statistics(intervals, testing, alpha)


def _method(given: Any, name: str, parse: Callable[[str], str], where: str) -> str | None:
    """A method by its name; true stands for the usual one."""
    try:
        return getattr(Statistics(), name) if parse_flag(given, name, where) else None
    except BadParameter:
        if not isinstance(given, str):
            raise
    try:
        return parse(given)
    except UsageError as error:
        raise BadParameter(f"{where}: {name} is true, false or a name: {error}") from None


def _interval(name: str) -> str:
    return find_entry("interval", name, {method: method for method in INTERVALS})


def _test(name: str) -> str:
    return parse_paired_test(name).name
