"""Amount: a number as rules write it, plain or in per cent of something."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from assay.errors import BadParameter
from assay.grammar import show
from assay.metrics import BoundMetric
from assay.text import shortened

NUMBER = r"(?P<number>[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)\s*(?P<unit>%|ms\b|s\b)?"
"""Shape of an amount in a rule; what takes seconds is counted in milliseconds, as metrics do."""
ROUNDING = 1e-9
"""Figures that differ by less are equal: what is left is how computers add."""


@dataclass(frozen=True)
class Amount:
    """`0.02`, or `20%`."""

    number: float
    is_percent: bool = False

    @classmethod
    def of(cls, shape: re.Match[str]) -> Amount:
        """The amount that was found in a rule."""
        number = float(shape["number"])
        if not math.isfinite(number):
            raise BadParameter(f"{shortened(shape['number'])} is too large to be a number")
        return cls(1000 * number if shape["unit"] == "s" else number, shape["unit"] == "%")

    def value(self, whole: float) -> float:
        """As a plain number; per cent are those of `whole`."""
        return self.number / 100 * abs(whole) if self.is_percent else self.number

    def __str__(self) -> str:
        return f"{show(self.number)}{'%' if self.is_percent else ''}"


def refuse_harmless(bound: BoundMetric, limit: Amount, what: str) -> None:
    """A change that no figure of the metric can exceed is a slip: such a rule never fails."""
    low, high = bound.metric.range
    if limit.is_percent:
        if low == 0 and bound.metric.higher_is_better and limit.number >= 100:
            raise BadParameter(
                f"{bound.name} cannot {what} by more than all there is, so {limit} never fails; did you mean "
                f"{show(limit.number / 100)}%?"
            )
        return
    if not math.isfinite(high - low) or limit.number < high - low:
        return
    meant = f"; did you mean {show(limit.number)}%?" if 1 <= limit.number < 100 else ""
    raise BadParameter(f"{bound.name} lies between {show(low)} and {show(high)}, so {limit} never fails{meant}")


def exceeds(value: float, limit: float) -> bool:
    """Whether a value is above a limit by more than rounding."""
    return value - limit > ROUNDING * max(1.0, abs(value), abs(limit))
