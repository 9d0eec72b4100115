"""points: the points of a series, and what is marked on them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from assay.evaluation import Changed
from assay.monitoring.steps import STEP


class StoredPoint(Protocol):
    """A summary as a store returns it."""

    @property
    def evaluation(self) -> str:
        """The id of the evaluation."""

    @property
    def started(self) -> str:
        """When the evaluation started."""

    @property
    def benchmark(self) -> str:
        """The benchmark."""

    @property
    def provider(self) -> str:
        """The provider."""

    @property
    def value(self) -> float | None:
        """The value, if there is one."""

    @property
    def low(self) -> float | None:
        """Lower end of its interval."""

    @property
    def high(self) -> float | None:
        """Upper end of its interval."""

    @property
    def n(self) -> int:
        """The number of queries that the value is based on."""

    @property
    def dataset(self) -> str:
        """A digest of the data of the benchmark, and of how relevance was decided."""

    @property
    def was_baseline(self) -> bool:
        """Whether the result was blessed as a baseline at any time."""

    @property
    def result(self) -> int:
        """The number of the result in the store, by which its scores are read; 0 if it is not stored."""


class Point(NamedTuple):
    """One value of a series."""

    evaluation: str
    started: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    dataset: str = ""
    was_baseline: bool = False
    result: int = 0


@dataclass(frozen=True)
class Change:
    """A step, a spike or a drift: the evaluation in which it was found, how large it is, and what is known about it."""

    point: Point
    earlier: Point
    """The point before, with which it was compared."""
    place: int
    """Its position in the series."""
    kind: str
    """`step`, `spike` or `drift`."""
    before: float
    """The mean since the last step; the value of the point before, if only this was compared."""
    after: float
    is_worse: bool
    p: float = math.nan
    """p of the paired test, corrected for repeated looks; nan if there is no test."""
    is_shown: bool = False
    """Whether the test shows the change beyond these queries."""
    worse: tuple[str, ...] = ()
    """Queries that got worse, the largest loss first; at most five."""
    n_worse: int = 0
    n_better: int = 0
    changed: tuple[Changed, ...] = ()
    """What is recorded as different between the two evaluations."""

    @property
    def is_step(self) -> bool:
        """Whether the values stayed at another level."""
        return self.kind == STEP

    @property
    def is_only_seen(self) -> bool:
        """Whether queries changed, but no test shows a change beyond them. A time is judged by its chart."""
        has_queries = not math.isnan(self.p) or bool(self.n_worse or self.n_better)
        return has_queries and not self.is_shown

    @property
    def direction(self) -> str:
        """`worse` or `better`; `lower` or `higher` if the change was only seen on these queries."""
        if self.is_only_seen:
            return "lower" if self.after < self.before else "higher"
        return "worse" if self.is_worse else "better"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "kind": self.kind,
            "evaluation": self.point.evaluation,
            "started": self.point.started,
            "place": self.place,
            "compared_with": self.earlier.evaluation,
            "before": self.before,
            "after": self.after,
            "is_worse": self.is_worse,
            "p": None if math.isnan(self.p) else self.p,
            "is_shown_beyond_queries": None if math.isnan(self.p) else self.is_shown,
            "worse": list(self.worse),
            "n_worse": self.n_worse,
            "n_better": self.n_better,
            "changed": [{"part": changed.part, "text": changed.text} for changed in self.changed],
        }


class Found(NamedTuple):
    """What was found in a series."""

    changes: tuple[Change, ...] = ()
    """In order of time."""
    doubt: str = ""
    """Why small changes of the newest data cannot be detected yet; empty if they can."""
    data_changes: Mapping[int, tuple[Changed, ...]] = MappingProxyType({})
    """Position where other data begin → what is recorded as different."""
