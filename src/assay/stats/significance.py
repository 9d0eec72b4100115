"""Significance: the record of a statistical test, how a test is named, and what tests are given and give back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import Floats, Ints
from assay.catalog import Described, find_by_any_name, load_entries
from assay.errors import UsageError
from assay.grammar import Param, changed_settings, one_of, parse_settings, split_call, written
from assay.stats.numeric import rounding_of

ALTERNATIVE = Param(
    "alternative",
    one_of("two_sided", "greater", "less"),
    "two_sided",
    "what would be news: any difference, or b above a, or below",
)


@dataclass(frozen=True)
class Pairs:
    """Scores of systems a and b on the same queries: queries × columns, nowhere undefined."""

    a: Floats
    b: Floats
    seed: int = 0

    @cached_property
    def differences(self) -> Floats:
        """How far b is above a: exactly 0 where they differ by rounding only."""
        raw = self.b - self.a
        return np.where(np.abs(raw) <= rounding_of(self.a, self.b), 0.0, raw)


class Outcome(NamedTuple):
    """One figure per column: the test's statistic, and the probability of one as extreme if nothing were different."""

    statistic: Floats
    p: Floats
    direction: Floats
    """Whom it speaks for: 1 for b, -1 for a, 0 for neither. By ranks or wins that may be another than by the mean."""
    draws: Ints | int = 0
    """How many random draws p was counted from; 0 where it was calculated, or all there are were looked at."""


@dataclass(frozen=True)
class Field:
    """Scores of several systems on the same queries for one metric: queries × systems, nowhere undefined."""

    scores: Floats
    seed: int = 0


class FieldOutcome(NamedTuple):
    """Whether the systems differ at all, and which of them do."""

    statistic: float
    p: float
    pairwise: Floats
    """System × system: p of each pair, 1 on the diagonal; nan where the test says nothing about pairs."""
    standing: Floats
    """Of each system, what is compared: its mean, or its mean rank, from the middle of all; larger for larger scores."""
    draws: int = 0
    """How many random draws p was counted from; 0 where it was calculated, or all there are were looked at."""


@dataclass(frozen=True)
class StatisticalTest(Described):
    """One test. Its function's docstring says what it asks, and then what happens at the edges."""

    name: str
    function: Callable[..., Any]
    """`Pairs` and parameters → `Outcome`; with `is_for_many`, `Field` and parameters → `FieldOutcome`."""
    params: tuple[Param, ...] = ()
    aliases: tuple[str, ...] = ()
    is_for_many: bool = False
    is_paired: bool = True
    claim: str = "differs"
    """What a small p is evidence of: that b `differs`, that it is `not_worse` than a, or that both are `equal`."""
    ahead: str = "{ahead} is ahead of {behind}"
    """What it says of a system that it speaks for, in words: its mean need not be the better one."""
    assumes: str = ""
    """What must hold for its p to be right, in one sentence."""
    caution: Callable[..., str] | None = None
    """Number of queries and parameters → what to beware of, in one sentence; empty where there is nothing."""
    cite: str = ""


@dataclass(frozen=True)
class BoundTest:
    """A test with its parameters."""

    test: StatisticalTest
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """How it is written: `randomization(resamples=100000)`."""
        return written(self.test.name, changed_settings(self.test.params, self.params))

    @property
    def scale(self) -> float:
        """What it measures differences by, in units of the score: its margin or its region of practical equality."""
        return float(self.params.get("margin", self.params.get("rope", 0.0)))

    def caution(self, n: int) -> str:
        """What to beware of with so many queries; empty where there is nothing."""
        return self.test.caution(n, **self.params) if self.test.caution else ""

    def compare(self, pairs: Pairs) -> Outcome:
        """Two systems, any number of columns."""
        outcome: Outcome = self.test.function(pairs, **self.params)
        return outcome

    def compare_many(self, field_: Field) -> FieldOutcome:
        """Several systems on one metric."""
        outcome: FieldOutcome = self.test.function(field_, **self.params)
        return outcome


@cache
def all_tests() -> dict[str, StatisticalTest]:
    """Name → test, sorted by name."""
    return dict(load_entries("assay.stats.catalog", StatisticalTest, "assay.stats"))


def parse_test(text: str) -> BoundTest:
    """`randomization`, `bootstrap(method=studentised)`; other names people use are understood."""
    name, settings = split_call(text)
    test = find_by_any_name("test", name, all_tests())
    return BoundTest(test, parse_settings(text, test.name, test.params, settings))


def parse_paired_test(text: str) -> BoundTest:
    """A test for systems that answered the same queries, as all do that are compared; others are refused."""
    bound = parse_test(text)
    if not bound.test.is_paired:
        raise UsageError(
            f"{bound.test.name} is for scores of different queries; systems are compared query by query, and paired_t asks "
            "the same and sees more. assay.stats.statistical_significance_test takes two lists of scores"
        )
    return bound


def nothing(n_columns: int) -> Outcome:
    """What every test says where there is no query at all: nothing."""
    return Outcome(np.full(n_columns, np.nan), np.full(n_columns, np.nan), np.zeros(n_columns))
