"""Explanation: a metric's figures under other conventions, and which of them are somebody's number."""

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
    """A metric under some conventions: its value, or the reason why there is none."""

    conventions: tuple[Convention, ...]
    """Those in which it differs from ours."""
    setting: Setting
    table: ScoreTable | None = field(default=None, repr=False)
    value: float = float("nan")
    fault: str = ""
    tool: str = ""
    """The tool that scores so; empty where no tool was asked about."""
    is_lacking: bool = False
    """Whether the tool has no such metric; the fault says so."""
    is_undefined: bool = False
    """Whether the tool answers, but with nan or with what nobody defined; the fault says so."""
    with_option: bool = False
    """Whether a switch of the tool's own makes it count missing queries."""
    band: Band | None = field(default=None, repr=False)
    """Between which values it lies, where the tool leaves the order of equal scores to chance."""
    causes: tuple[Convention, ...] = ()
    """Those of its conventions that change the value by themselves."""
    profile: str = ""
    """The profile to ask for in order to get it; empty: none."""
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The fields of the policy to set besides."""

    @property
    def label(self) -> str:
        """The tool, and its switch."""
        return f"{self.tool} {PROFILES[self.tool].option.name}" if self.with_option else self.tool

    @cached_property
    def ends(self) -> tuple[float, float] | None:
        """The lowest and the highest value, where there is a band."""
        return (self.band.columns["min"].summary(), self.band.columns["max"].summary()) if self.band else None

    @cached_property
    def scores(self) -> dict[str, float]:
        """Query → score, for the queries that count; the lowest one where there is a band."""
        return self._by_query(self.table.columns[self.setting.metric.name]) if self.table else {}

    @cached_property
    def highest(self) -> dict[str, float]:
        """Query → highest score, where there is a band."""
        return self._by_query(self.band.columns["max"]) if self.band else {}

    def _by_query(self, column: Column) -> dict[str, float]:
        queries = self.table.query_ids if self.table else ()
        return {query: score for query, score in zip(queries, column.score.tolist(), strict=True) if score == score}

    @property
    def reasons(self) -> list[str]:
        """Its conventions in plain words; where none of a tool's matters by itself, its rounding may."""
        is_rounded = self.tool and not self.causes and self.setting.digits is not None
        rounding = [f"scores rounded to {self.setting.digits} decimals"] if is_rounded else []
        return [*(convention.words for convention in self.causes or self.conventions), *rounding]

    @property
    def words(self) -> str:
        """All reasons in one line."""
        return "; ".join(self.reasons)

    def equals(self, other: Figure) -> bool:
        """Whether both have a value, and the same."""
        return not self.fault and not other.fault and not self.differs(other)

    def differs(self, other: Figure) -> bool:
        """Whether both have values, and these are different."""
        if self.fault or other.fault or (self.value != self.value and other.value != other.value):
            return False
        return not abs(self.value - other.value) <= SCORE_TOLERANCE


@dataclass(frozen=True)
class Moved:
    """A query that carries a difference: its score here and there (None: not counted), and how many share a score there."""

    query: str
    ours: float | None
    theirs: float | None
    n_equal: int
    highest: float | None = None
    """Where the score there is left to chance: the highest it may be; `theirs` is the lowest."""

    @property
    def is_changed(self) -> bool:
        """Whether the query does carry a difference."""
        if self.ours is None or self.theirs is None:
            return self.ours is not self.theirs
        return (
            abs(self.ours - self.theirs) > SCORE_TOLERANCE or (self.highest or self.theirs) - self.theirs > SCORE_TOLERANCE
        )


@dataclass(frozen=True)
class Explanation:
    """What `why` found out about one metric."""

    metric: BoundMetric
    ours: Figure
    tools: tuple[Figure, ...]
    """The metric as each tool scores it."""
    singles: tuple[Figure, ...]
    """The metric with one convention changed, where that changes the value."""
    start: str = "assay"
    """Whose conventions `ours` follows."""
    target: Target | None = None
    """The number to explain."""
    matches: tuple[Figure, ...] = ()
    """What gives that number, the simplest first."""
    is_cut: bool = False
    """Whether matches give the number with digits cut off rather than rounded."""
    nearest: Figure | None = None
    """Where nothing gives the number: what comes nearest."""
    notes: tuple[str, ...] = ()
    """What hints at a mistake in the data."""
    n_equal: Mapping[str, int] = field(default_factory=dict, repr=False)
    """Query → the most documents that share a score with a judged one."""

    @property
    def expected(self) -> float | None:
        """The number to explain."""
        return self.target.value if self.target else None

    def moved(self, figure: Figure) -> list[Moved]:
        """The queries that make a figure differ from ours, those that move most first."""
        ours, theirs, highest = self.ours.scores, figure.scores, figure.highest
        moves = [
            Moved(query, ours.get(query), theirs.get(query), self.n_equal.get(query, 1), highest.get(query))
            for query in dict.fromkeys((*ours, *theirs))
        ]
        changed = [move for move in moves if move.is_changed]
        return sorted(changed, key=lambda move: -abs((move.ours or 0.0) - (move.theirs or 0.0)))


SCORE_TOLERANCE = 1e-12
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
    def parse(cls, expected: float | str) -> Target:
        """`0.3333`, `.42`, `42.1%`; a number with few digits was probably rounded, but nobody rounds scores to 0 or 1."""
        text = str(expected).strip()
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
        return min(abs(bound - value) for bound in meant)

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
        return self.unit * 1e-9 + SCORE_TOLERANCE

    def _readings(self, value: float) -> tuple[float, ...]:
        """A value on the scale of the number, or on both it may be on."""
        return (value, 100 * value) if self.value > 1 and not self.is_percentage else (value,)
