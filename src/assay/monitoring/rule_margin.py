"""margin: surely not worse than the baseline by more than a margin, as in `mrr not worse than baseline by 0.02 (95%)`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from assay.errors import BadParameter
from assay.grammar import show
from assay.monitoring.amount import NUMBER, Amount, refuse_harmless
from assay.monitoring.case import Case
from assay.monitoring.difference import Difference
from assay.monitoring.finding import FAILED, PASSED, UNDECIDED, Finding
from assay.monitoring.rule import ComparedRule, Kind, Recorded, metric_of
from assay.monitoring.terms import Terms

LEVEL = 0.95


@dataclass(frozen=True)
class MarginRule(ComparedRule):
    """The paired interval of the difference decides, in a scale where more is better.

    Passes if its lower end is above −margin (or no query differs at all); fails if the difference is below −margin and
    the upper end below 0; otherwise it is undecided, and says how many queries would decide if the difference stays.
    """

    margin: Amount
    level: float = LEVEL

    @property
    def body(self) -> str:
        """`mrr not worse by 0.02`; the level only where it is not 95 %."""
        level = "" if self.level == LEVEL else f" ({show(round(100 * self.level, 9))}%)"
        return f"{self.bound.name} not worse by {self.margin}{level}"

    def compared(self, case: Case, before: float) -> Finding:
        """Passes, fails, or cannot tell yet."""
        found, margin = case.difference(self.bound, self.level), self.margin.value(before)
        status, effect = self._decided(found, margin)
        needed = found.needed(effect) if status == UNDECIDED else None
        return Finding(
            status,
            case.value(self.bound.name),
            before,
            margin,
            found.value,
            found.low,
            found.high,
            self.level,
            found.n,
            needed,
            () if status == PASSED else case.moved(self.bound),
            _doubt(found, needed) if status == UNDECIDED else "",
        )

    def _decided(self, found: Difference, margin: float) -> tuple[str, float]:
        """The status, and the distance that more queries would have to show."""
        is_up = self.bound.metric.higher_is_better
        value = found.value if is_up else -found.value
        low, high = (found.low, found.high) if is_up else (-found.high, -found.low)
        if low > -margin or (found.n and found.is_nothing):
            return PASSED, 0.0
        if value < -margin and high < 0:
            return FAILED, 0.0
        return UNDECIDED, value + margin if value >= -margin else value


def _doubt(found: Difference, needed: int | None) -> str:
    if found.n < 2 or not math.isfinite(found.low):
        return "undecided, too few queries to tell"
    if needed is None:
        return "undecided, and more queries would hardly decide: the difference is about the margin itself"
    return f"undecided, about {_round(needed):,} queries would decide"


def _round(number: int) -> int:
    """To two digits: it is an estimate."""
    step = 10 ** max(0, len(str(number)) - 2)
    return math.ceil(number / step) * step


def parse_margin(shape: re.Match[str], terms: Terms, recorded: Recorded = tuple) -> MarginRule:
    """The margin is a number from 0 up; the level 95 % unless it is given."""
    bound, margin = metric_of(shape["metric"], recorded), Amount.of(shape)
    if margin.number < 0:
        raise BadParameter(f"a margin is a number from 0 up, not {margin}")
    refuse_harmless(bound, margin, "get worse")
    level = float(shape["level"]) / 100 if shape["level"] else LEVEL
    if not 0.5 <= level < 1:
        raise BadParameter(f"a level is between 50% and 100%, such as (95%), not ({shape['level']}%)")
    return MarginRule(bound, margin, round(level, 9), terms=terms)


KIND = Kind(
    re.compile(
        rf"(?P<metric>.+?)\s+(?:is\s+)?(?:not|no)\s+worse(?:\s+than\s+(?:the\s+)?baseline)?(?:\s+by(?:\s+more\s+than)?)\s+{NUMBER}"
        r"(?:\s+than\s+(?:the\s+)?baseline)?(?:\s*\(\s*(?P<level>\d+(?:\.\d+)?)\s*%\s*\))?",
        re.IGNORECASE,
    ),
    parse_margin,
    "mrr not worse than baseline by 0.02 (95%)",
)
