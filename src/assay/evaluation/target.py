"""Target: a number somebody got, and which values may stand behind it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.errors import BadParameter

SAME = 1e-12
"""Figures that differ by no more are the same."""
FEW_DIGITS = 3
"""Significant digits below which a number fits too many things."""


@dataclass(frozen=True)
class Target:
    """A number as it was given, and how much its last digit is worth."""

    text: str
    value: float
    unit: float
    """One of its last digit; 0 where it is taken as exact."""
    n_digits: int
    """Significant digits."""
    is_percentage: bool = False
    """Whether it was given with a percent sign."""

    @classmethod
    def parse(cls, given: float | str) -> Target:
        """`0.3333`, `.42`, `42.1%`; a number with few digits was probably rounded, but nobody rounds scores to 0 or 1."""
        text = str(given).strip()
        shape = re.fullmatch(r"(-?(?:\d+(?:\.(\d*))?|\.(\d+))(?:[eE][-+]?\d+)?)\s*(%?)", text)
        if not shape:
            raise BadParameter(f"the expected value is a number such as 0.3333 or 33.3%, not {text!r}")
        value, scale = float(shape[1]), 0.01 if shape[4] else 1.0
        decimals = 12 if "e" in text.lower() else len(shape[2] or shape[3] or "")
        is_exact = not decimals and not shape[4] and abs(value) <= 1
        n_digits = len(re.split("[eE]", shape[1])[0].replace(".", "").lstrip("-0"))
        return cls(shape[1], value * scale, 0.0 if is_exact else 10.0**-decimals * scale, n_digits, bool(shape[4]))

    @property
    def is_coarse(self) -> bool:
        """Whether so few digits are given that much fits."""
        return self.n_digits < FEW_DIGITS and self.unit > 0

    def matches(self, value: float) -> bool:
        """Whether the value, rounded, is the number. A bare number above 1 may be a percentage."""
        near = self._slack + self.unit / 2
        return any(abs(scaled - self.value) <= near for scaled in self._readings(value))

    def matches_cut(self, value: float) -> bool:
        """Whether the value is the number once what follows its last digit is cut off."""
        sign = -1 if self.value < 0 else 1
        beyond = [sign * (scaled - self.value) for scaled in self._readings(value)]
        return any(-self._slack <= rest < self.unit - self._slack for rest in beyond)

    def lies_within(self, low: float, high: float) -> bool:
        """Whether the number may be one from low to high, the ends rounded."""
        near = self._slack + self.unit / 2
        ends = zip(self._readings(low), self._readings(high), strict=True)
        return any(first - near <= self.value <= last + near for first, last in ends)

    def distance(self, value: float) -> float:
        """How far the number is from a value."""
        meant = [self.value, self.value / 100][: len(self._readings(value))]
        return min(abs(one - value) for one in meant)

    def echo(self, value: float) -> str:
        """The number as it was given, and what it is read as if a value like this one is meant."""
        if self.is_percentage:
            return f"{self.text} % ({self.value:.12g})"
        literal, *percentage = (abs(scaled - self.value) for scaled in self._readings(value))
        if percentage and percentage[0] < literal:
            return f"{self.text} % ({self.value / 100:.12g})"
        return self.text

    @property
    def _slack(self) -> float:
        return self.unit * 1e-9 + SAME

    def _readings(self, value: float) -> tuple[float, ...]:
        """A value on the scale of the number, or on both it may be on."""
        return (value, 100 * value) if self.value > 1 and not self.is_percentage else (value,)
