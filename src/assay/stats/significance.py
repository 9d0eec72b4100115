"""Significance: the record of a statistical test, its name and parameters, and the input and output of tests."""

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
    "the alternative hypothesis. two_sided: any difference; greater: b is above a; less: b is below a",
)


@dataclass(frozen=True)
class Pairs:
    """Scores of systems a and b on the same queries: queries × columns, without undefined scores."""

    a: Floats
    b: Floats
    seed: int = 0
    widths: Floats | None = None
    """The largest possible difference of each column, infinite if there is none; None if unknown."""

    @cached_property
    def differences(self) -> Floats:
        """The differences b − a; exactly 0 if a and b differ only by rounding."""
        raw = self.b - self.a
        return np.where(np.abs(raw) <= rounding_of(self.a, self.b), 0.0, raw)


class Outcome(NamedTuple):
    """For each column: the statistic of the test, and the probability of one as extreme if the systems were equal."""

    statistic: Floats
    p: Floats
    direction: Floats
    """Which system is ahead: 1 for b, -1 for a, 0 for neither. By ranks or wins this may differ from the mean."""
    draws: Ints | int = 0
    """Number of random draws behind p; 0 if p was calculated, or if all possibilities were evaluated."""


@dataclass(frozen=True)
class Field:
    """Scores of several systems on the same queries for one metric: queries × systems, without undefined scores."""

    scores: Floats
    seed: int = 0


class FieldOutcome(NamedTuple):
    """Whether the systems differ at all, and which of them do."""

    statistic: float
    p: float
    pairwise: Floats
    """System × system: the p of each pair, 1 on the diagonal; nan if the test does not compare pairs."""
    standing: Floats
    """For each system, the compared value: its mean or its mean rank, minus the centre; larger for larger scores."""
    draws: int = 0
    """Number of random draws behind p; 0 if p was calculated, or if all possibilities were evaluated."""
    df: tuple[int, ...] = ()
    """Degrees of freedom of F; empty for other statistics."""
    effect: Floats | None = None
    """System × system: ES_HSD, the mean of the column minus that of the row in residual standard deviations of the two-way
    analysis of variance (Sakai 2014); None if the test does not have it."""


@dataclass(frozen=True)
class StatisticalTest(Described):
    """One test. The docstring of its function has the meaning first, then the edge cases."""

    name: str
    function: Callable[..., Any]
    """`Pairs` and parameters → `Outcome`; with `is_for_many`, `Field` and parameters → `FieldOutcome`."""
    params: tuple[Param, ...] = ()
    aliases: tuple[str, ...] = ()
    is_for_many: bool = False
    is_paired: bool = True
    is_of_mean: bool = False
    """Whether it tests the mean difference, so that an interval of the mean can agree with it."""
    is_bayesian: bool = False
    """Whether it computes how probable it is that the mean of b is better."""
    claim: str = "differs"
    """What a small p is evidence of: that b `differs`, that it is `not_worse` than a, or that both are `equal`."""
    ahead: str = "{ahead} is ahead of {behind}"
    """How a verdict says which system is ahead: in a rank test, that need not be the one with the better mean."""
    assumes: str = ""
    """The assumptions under which p is valid, in one sentence."""
    caution: Callable[..., str] | None = None
    """Number of queries and parameters → a warning; empty if there is none."""
    cite: str = ""


@dataclass(frozen=True)
class BoundTest:
    """A test with its parameters."""

    test: StatisticalTest
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name with its settings: `randomization(resamples=100000)`."""
        return written(self.test.name, changed_settings(self.test.params, self.params))

    @property
    def scale(self) -> float:
        """The margin or the region of practical equivalence, in units of the score; 0 if the test has neither."""
        return float(self.params.get("margin", self.params.get("rope", 0.0)))

    def caution(self, n: int) -> str:
        """A warning for this number of queries; empty if there is none."""
        return self.test.caution(n, **self.params) if self.test.caution else ""

    def compare(self, pairs: Pairs) -> Outcome:
        """Compare two systems, in any number of columns."""
        outcome: Outcome = self.test.function(pairs, **self.params)
        return outcome

    def compare_many(self, field_: Field) -> FieldOutcome:
        """Compare several systems on one metric."""
        outcome: FieldOutcome = self.test.function(field_, **self.params)
        return outcome


@cache
def all_tests() -> dict[str, StatisticalTest]:
    """Name → test, sorted by name."""
    return dict(load_entries("assay.stats.catalog", StatisticalTest, "assay.stats"))


def parse_test(text: str) -> BoundTest:
    """Parse `randomization` or `bootstrap(method=studentised)`; other common names work too."""
    name, settings = split_call(text)
    test = find_by_any_name("test", name, all_tests())
    return BoundTest(test, parse_settings(text, test.name, test.params, settings))


def parse_paired_test(text: str) -> BoundTest:
    """Parse a test for systems on the same queries; an unpaired test is an error."""
    bound = parse_test(text)
    if not bound.test.is_paired:
        raise UsageError(
            f"{bound.test.name} is for scores on different queries, but these systems are compared on the same queries. Use "
            "paired_t, or call assay.stats.statistical_significance_test with two lists of scores"
        )
    return bound


def nothing(n_columns: int) -> Outcome:
    """The outcome of every test without queries: undefined."""
    return Outcome(np.full(n_columns, np.nan), np.full(n_columns, np.nan), np.zeros(n_columns))
