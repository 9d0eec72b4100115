"""Explanation: the values of a metric under other conventions, and which of them match an expected number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from assay.errors import BadParameter
from assay.evaluation.bands import Band
from assay.evaluation.conventions import Convention
from assay.evaluation.profile import Setting
from assay.evaluation.profiles import PROFILES
from assay.metrics import BoundMetric
from assay.model import Column, ScoreTable


@dataclass(frozen=True)
class Figure:
    """A metric under some conventions: its value, or the reason why it has none."""

    conventions: tuple[Convention, ...]
    """The conventions in which it differs from ours."""
    setting: Setting
    table: ScoreTable | None = field(default=None, repr=False)
    value: float = float("nan")
    fault: str = ""
    tool: str = ""
    """The tool that scores like this; empty if it is not about a tool."""
    is_lacking: bool = False
    """Whether the tool does not have the metric; `fault` says so."""
    is_undefined: bool = False
    """Whether the tool returns nan or an undefined value; `fault` says so."""
    with_option: bool = False
    """Whether an option of the tool is on that makes it count missing queries."""
    band: Band | None = field(default=None, repr=False)
    """The range of values, if the tool leaves the order of equal scores to chance."""
    causes: tuple[Convention, ...] = ()
    """The conventions that change the value on their own."""
    profile: str = ""
    """The profile that reproduces it; empty: none."""
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The policy fields to set in addition."""

    @property
    def label(self) -> str:
        """The tool, with its option."""
        return f"{self.tool} {PROFILES[self.tool].option.name}" if self.with_option else self.tool

    @cached_property
    def ends(self) -> tuple[float, float] | None:
        """The lowest and the highest value, if there is a band."""
        return (self.band.columns["min"].summary(), self.band.columns["max"].summary()) if self.band else None

    @cached_property
    def scores(self) -> dict[str, float]:
        """Query → score for the queries that count; the lowest score if there is a band."""
        return self._by_query(self.table.columns[self.setting.metric.name]) if self.table else {}

    @cached_property
    def highest(self) -> dict[str, float]:
        """Query → highest score, if there is a band."""
        return self._by_query(self.band.columns["max"]) if self.band else {}

    def _by_query(self, column: Column) -> dict[str, float]:
        queries = self.table.query_ids if self.table else ()
        return {query: score for query, score in zip(queries, column.score.tolist(), strict=True) if score == score}

    @property
    def reasons(self) -> list[str]:
        """Its conventions in words; if none of a tool's conventions matters on its own, its rounding."""
        is_rounded = self.tool and not self.causes and self.setting.digits is not None
        rounding = [f"scores are rounded to {self.setting.digits} decimals"] if is_rounded else []
        return [*(convention.words for convention in self.causes or self.conventions), *rounding]

    @property
    def words(self) -> str:
        """All reasons in one line."""
        return "; ".join(self.reasons)

    def equals(self, other: Figure) -> bool:
        """Whether both have a value and the values are equal."""
        return not self.fault and not other.fault and not self.differs(other)

    def differs(self, other: Figure) -> bool:
        """Whether both have a value and the values differ."""
        if self.fault or other.fault or (self.value != self.value and other.value != other.value):
            return False
        return not abs(self.value - other.value) <= SCORE_TOLERANCE


@dataclass(frozen=True)
class Moved:
    """A query whose score differs: our score, the other score (None: not counted), and how many documents are tied."""

    query: str
    ours: float | None
    theirs: float | None
    n_equal: int
    highest: float | None = None
    """The highest possible score, if the other score is left to chance; `theirs` is the lowest."""

    @property
    def is_changed(self) -> bool:
        """Whether the score of the query differs."""
        if self.ours is None or self.theirs is None:
            return self.ours is not self.theirs
        return (
            abs(self.ours - self.theirs) > SCORE_TOLERANCE or (self.highest or self.theirs) - self.theirs > SCORE_TOLERANCE
        )


@dataclass(frozen=True, repr=False)
class Explanation:
    """What `why` found about one metric."""

    metric: BoundMetric
    ours: Figure
    tools: tuple[Figure, ...]
    """The metric as each tool scores it."""
    singles: tuple[Figure, ...]
    """The metric with one convention changed, for each convention that changes the value."""
    start: str = "assay"
    """The tool whose conventions `ours` follows."""
    target: Target | None = None
    """The number to explain."""
    matches: tuple[Figure, ...] = ()
    """The conventions that give this number, the simplest first."""
    is_cut: bool = False
    """Whether the matches give the number only if its digits are cut off, not rounded."""
    nearest: Figure | None = None
    """The closest value, if no conventions give the number."""
    undefined: tuple[Figure, ...] = ()
    """Values with a band that contains the number, if nothing simple gives it: the order of ties decides about it."""
    n_pairs: int = 0
    """How many pairs of conventions were tried, if no single convention gives the number."""
    notes: tuple[str, ...] = ()
    """Signs of a mistake in the data."""
    n_equal: Mapping[str, int] = field(default_factory=dict, repr=False)
    """Query → the largest number of documents that share a score with a judged document."""

    def __repr__(self) -> str:
        ways = f"; {len(self.matches)} ways to {self.target.text}" if self.target else ""
        return f"Explanation({self.metric.name}={self.ours.value:.4f}{ways})"

    @property
    def expected(self) -> float | None:
        """The number to explain."""
        return self.target.value if self.target else None

    @property
    def is_coincidence(self) -> bool:
        """Whether only pairs of conventions give the number. Many pairs are tried, so one may match by chance."""
        return bool(self.matches) and all(len(figure.conventions) > 1 and not figure.tool for figure in self.matches)

    def moved(self, figure: Figure) -> list[Moved]:
        """The queries whose scores differ from ours, largest difference first."""
        ours, theirs, highest = self.ours.scores, figure.scores, figure.highest
        moves = [
            Moved(query, ours.get(query), theirs.get(query), self.n_equal.get(query, 1), highest.get(query))
            for query in dict.fromkeys((*ours, *theirs))
        ]
        changed = [move for move in moves if move.is_changed]
        return sorted(changed, key=lambda move: -abs((move.ours or 0.0) - (move.theirs or 0.0)))


SCORE_TOLERANCE = 1e-12
"""Values that differ by no more than this count as equal."""
FEW_DIGITS = 3
"""A number with fewer significant digits matches too many conventions."""


@dataclass(frozen=True)
class Target:
    """The number to explain, and the precision with which it was written."""

    text: str
    value: float
    unit: float
    """One unit of its last digit; 0 if the number is exact."""
    n_digits: int
    """Significant digits."""
    is_percentage: bool = False
    """Whether it was given with a percent sign."""

    @classmethod
    def parse(cls, expected: float | str) -> Target:
        """Parse `0.3333`, `.42` or `42.1%`. A number is taken as rounded to its last digit, but 0 and 1 are exact."""
        text = str(expected).strip()
        shape = re.fullmatch(r"(-?(?:\d+(?:\.(\d*))?|\.(\d+))(?:[eE][-+]?\d+)?)\s*(%?)", text)
        if not shape:
            raise BadParameter(f"the expected value must be a number such as 0.3333 or 33.3%, not {text!r}")
        value, scale = float(shape[1]), 0.01 if shape[4] else 1.0
        decimals = 12 if "e" in text.lower() else len(shape[2] or shape[3] or "")
        is_exact = not decimals and not shape[4] and abs(value) <= 1
        n_digits = len(re.split("[eE]", shape[1])[0].replace(".", "").lstrip("-0"))
        return cls(shape[1], value * scale, 0.0 if is_exact else 10.0**-decimals * scale, n_digits, bool(shape[4]))

    @property
    def is_coarse(self) -> bool:
        """Whether the number has so few digits that it matches many values."""
        return self.n_digits < FEW_DIGITS and self.unit > 0

    def matches(self, value: float) -> bool:
        """Whether the rounded value equals the number. A number above 1 without a percent sign may be a percentage."""
        near = self._slack + self.unit / 2
        return any(abs(scaled - self.value) <= near for scaled in self._readings(value))

    def matches_cut(self, value: float) -> bool:
        """Whether the value equals the number when the digits after its last digit are cut off."""
        sign = -1 if self.value < 0 else 1
        beyond = [sign * (scaled - self.value) for scaled in self._readings(value)]
        return any(-self._slack <= rest < self.unit - self._slack for rest in beyond)

    def lies_within(self, low: float, high: float) -> bool:
        """Whether the number is between low and high, with the ends rounded."""
        near = self._slack + self.unit / 2
        ends = zip(self._readings(low), self._readings(high), strict=True)
        return any(first - near <= self.value <= last + near for first, last in ends)

    def distance(self, value: float) -> float:
        """The distance between the number and a value."""
        meant = [self.value, self.value / 100][: len(self._readings(value))]
        return min(abs(bound - value) for bound in meant)

    def echo(self, value: float) -> str:
        """The number as given, and as a percentage if that is closer to the value."""
        if self.is_percentage:
            return f"{self.text} % ({self.value:.12g})"
        literal, *percentage = (abs(scaled - self.value) for scaled in self._readings(value))
        if percentage and percentage[0] < literal:
            return f"{self.text} % ({self.value / 100:.12g})"
        return self.text

    @property
    def _slack(self) -> float:
        return self.unit * 1e-9 + SCORE_TOLERANCE

    def _readings(self, value: float) -> tuple[float, ...]:
        """The value on the scale of the number; on both scales if the number may be a percentage."""
        return (value, 100 * value) if self.value > 1 and not self.is_percentage else (value,)
