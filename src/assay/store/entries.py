"""Entries: what the store says about results without reading their scores; and an evaluation that was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from assay.evaluation import Result
from assay.store.parcel import Figure


class Entry(NamedTuple):
    """A stored result, as a list shows it."""

    evaluation: str
    """The id of its evaluation."""
    saved: str
    started: str
    benchmark: str
    provider: str
    n_queries: int
    n_failed: int
    dataset: str
    """A digest of the benchmark: another one is another version of it."""
    is_failed: bool
    """Whether the provider failed on every query, so that no figure says anything."""
    figures: Mapping[str, Figure]
    """Metric → its summary, in the order of the plan."""
    tags: tuple[str, ...]
    baselines: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        figures = {
            name: {"value": one.value, "low": one.low, "high": one.high, "n": one.n} for name, one in self.figures.items()
        }
        return {**self._asdict(), "figures": figures, "tags": list(self.tags), "baselines": list(self.baselines)}


class Point(NamedTuple):
    """One summary in the history of a metric."""

    evaluation: str
    started: str
    benchmark: str
    provider: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    dataset: str
    """A digest of the benchmark and of how answers were judged: figures compare where it is equal."""
    was_baseline: bool = False
    """Whether somebody has blessed the result, under whatever name."""


class Note(NamedTuple):
    """What somebody wrote about an evaluation, and when."""

    written: str
    text: str


@dataclass(frozen=True)
class StoredEvaluation:
    """One evaluation, read: what was planned, and its results as they were saved."""

    id: str
    started: str
    saved: str
    plan: Mapping[str, Any]
    results: tuple[Result, ...]
    tags: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    baselines: tuple[str, ...] = ()
