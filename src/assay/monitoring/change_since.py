"""change_since: how the newest run of a series differs from an earlier run, as decided by the one decision function."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.comparison import (
    SHARED_TIMES,
    Pair,
    change_sentence,
    column_of_users,
    decide,
    difference_text,
    is_about_users,
    sign_of,
    standing_of,
)
from assay.metrics import BoundMetric
from assay.model import Column
from assay.text import counted

if TYPE_CHECKING:
    from assay.arrays import Floats
    from assay.store import Store

WORSE, FAILED, BETTER, LOWER, HIGHER, SAME, NEW = "worse", "failed", "better", "lower", "higher", "same", "new"
STANDINGS = (WORSE, FAILED, BETTER, LOWER, HIGHER, SAME, NEW)
"""What can be said about a series, in the order of an overview."""
MAX_QUERIES = 5
"""Queries that got worse that are named."""


class RunPoint(NamedTuple):
    """One run of a series: a stored result with the value of its headline metric."""

    result: int
    evaluation: str
    place: int
    started: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    n_queries: int
    n_failed: int
    is_failed: bool
    """Whether the provider failed on every query, so that there is no value."""
    comparable: str
    """Equal if values can be compared."""

    @property
    def key(self) -> str:
        """`2026-11-15-rag-template-7f3a/0`."""
        return f"{self.evaluation}/{self.place}"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        names = ("evaluation", "place", "started", "value", "low", "high", "n", "n_queries", "n_failed", "is_failed")
        return {name: getattr(self, name) for name in names}


class RunFacts(NamedTuple):
    """What the record of a run says about how it was measured."""

    provenance: Mapping[str, Any]
    relevance: Mapping[str, Any]
    error: str = ""
    """The most frequent error of the provider; empty if there is none."""

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> RunFacts:
        """The facts of a record, without its large parts."""
        provenance, relevance = record.get("provenance") or {}, record.get("relevance") or {}
        errors = Counter(map(str, (record.get("failures") or {}).values()))
        known = {name: provenance[name] for name in ("k", "latency_ms", "chunks") if name in provenance}
        return cls(known, dict(relevance), errors.most_common(1)[0][0] if errors else "")

    @property
    def has_shared_times(self) -> bool:
        """Whether queries were sent in batches, so that single queries have no times."""
        times = self.provenance.get("latency_ms") or {}
        return "mean" in times and "p50" not in times


class Moves(NamedTuple):
    """The decision about two runs on the same queries, and the queries that moved."""

    pair: Pair | None
    n_worse: int = 0
    n_better: int = 0
    worse: tuple[str, ...] = ()
    """The queries that got worse, the largest loss first; at most five."""
    why_not: str = ""
    """Why nothing can be decided; empty if it can."""


@dataclass(frozen=True)
class ChangeSince:
    """How the newest run differs from an earlier one; or why nothing can be decided."""

    metric: BoundMetric
    earlier: RunPoint | None
    moves: Moves
    name: str = ""
    """The name of the baseline; empty for the previous run."""

    @property
    def why_not(self) -> str:
        """Why nothing can be decided; empty if it can."""
        return self.moves.why_not

    @property
    def pair(self) -> Pair | None:
        """The decision: the earlier run is system a, the newest is system b."""
        return self.moves.pair

    @property
    def standing(self) -> str:
        """`worse` or `better` if this is shown; `lower` or `higher` if only the values differ; `same`; empty if unknown."""
        return "" if self.pair is None else standing_of(self.metric, self.pair)

    @property
    def reference(self) -> str:
        """What the newest run is compared with, in words."""
        return f"baseline {self.name}" if self.name else "the last run"

    @property
    def change(self) -> str:
        """`−0.140 [−0.187, −0.096], p < 0.001`; empty if nothing can be decided."""
        return "" if self.pair is None else difference_text(self.metric, self.pair)

    def sentence(self, provider: str, reference: str = "") -> str:
        """The decision in one sentence; the reason if nothing can be decided. `reference` has other words for the run."""
        if self.pair is None:
            return f"No comparison with {self.reference}: {self.why_not}."
        return f"{change_sentence(provider, self.metric, self.pair, reference or self.reference)}."

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        pair = self.pair.to_dict() if self.pair is not None else {}
        numbers = ("value_a", "value_b", "difference", "low", "high", "p", "is_significant")
        return {
            "baseline": self.name or None,
            "evaluation": self.earlier.evaluation if self.earlier else None,
            "place": self.earlier.place if self.earlier else None,
            "started": self.earlier.started if self.earlier else None,
            "standing": self.standing or None,
            "why_not": self.why_not or None,
            **{name: pair.get(name) for name in numbers},
            "n": pair.get("n", 0),
            "worse": list(self.moves.worse),
            "n_worse": self.moves.n_worse,
            "n_better": self.moves.n_better,
        }


def decide_moves(
    store: Store, metric: BoundMetric, earlier: RunPoint, now: RunPoint, facts: tuple[RunFacts, RunFacts]
) -> Moves:
    """The decision about two runs, from the scores of their queries; `facts` are those of the two runs."""
    if why_not := _why_not(metric, earlier, now, facts):
        return Moves(None, why_not=why_not)
    if is_about_users(metric):
        return _moves_of_users(store, metric, earlier, now)
    read = _composed_scores if metric.metric.aggregation.needs_parts else _scores
    sides = read(store, metric, (earlier, now))
    if sides is None:
        return Moves(None, why_not=f"one of the runs has no scores of {metric.name} for single queries")
    query_ids, (before, after) = sides
    if not query_ids:
        return Moves(None, why_not="the two runs have different queries")
    pair = decide(metric, before, after)
    differences = sign_of(metric) * (np.asarray(after.score, dtype=float) - np.asarray(before.score, dtype=float))
    gains: Floats = np.nan_to_num(np.where(np.abs(differences) < 1e-12, 0.0, differences))
    lost = [int(place) for place in np.argsort(gains, kind="stable")[:MAX_QUERIES] if gains[place] < 0]
    n_worse, n_better = int(np.count_nonzero(gains < 0)), int(np.count_nonzero(gains > 0))
    return Moves(pair, n_worse, n_better, tuple(query_ids[place] for place in lost))


def _moves_of_users(store: Store, metric: BoundMetric, earlier: RunPoint, now: RunPoint) -> Moves:
    """The decision about two search logs, which have different users, so that nobody is named."""
    before, after = (store.find(run.evaluation).results[run.place] for run in (earlier, now))
    if metric.name not in before.table.columns or metric.name not in after.table.columns:
        return Moves(None, why_not=f"one of the runs has no {metric.name}")
    return Moves(decide(metric, column_of_users(before, metric.name), column_of_users(after, metric.name)))


def _why_not(metric: BoundMetric, earlier: RunPoint, now: RunPoint, facts: tuple[RunFacts, RunFacts]) -> str:
    """Why two runs cannot be compared; empty if they can."""
    if earlier.comparable != now.comparable:
        return "it has other data or other conventions"
    if earlier.value is None or now.value is None:
        return f"one of the runs has no {metric.name}"
    depths = [int(fact.provenance["k"]) for fact in facts if fact.provenance.get("k")]
    if len(set(depths)) == 2 and (metric.params.get("k") or math.inf) > min(depths):
        return f"it retrieved up to {counted(depths[0], 'document')} per query, and the newest run up to {depths[1]:,}"
    if metric.metric.view == "timing" and any(fact.has_shared_times for fact in facts):
        return SHARED_TIMES
    return ""


Sides = tuple[tuple[str, ...], tuple[Column, Column]]
"""The queries that two runs share, in the order of their ids, and the scores of each run; no queries if they differ."""


def _scores(store: Store, metric: BoundMetric, runs: tuple[RunPoint, RunPoint]) -> Sides | None:
    before, after = store.query_scores(metric.name, [run.result for run in runs])
    if before is None or after is None:
        return None
    aggregation = metric.metric.aggregation
    columns = (Column.of(before.scores, aggregation), Column.of(after.scores, aggregation))
    return _in_order((before.query_ids, after.query_ids), columns)


def _composed_scores(store: Store, metric: BoundMetric, runs: tuple[RunPoint, RunPoint]) -> Sides | None:
    """The same for a value that is computed from parts: these are only in the whole results."""
    before, after = (store.find(run.evaluation).results[run.place] for run in runs)
    if any(metric.name not in result.table.columns for result in (before, after)):
        return None
    columns = (before.table.columns[metric.name], after.table.columns[metric.name])
    return _in_order((before.query_ids, after.query_ids), columns)


def _in_order(ids: tuple[tuple[str, ...], tuple[str, ...]], columns: tuple[Column, Column]) -> Sides:
    if set(ids[0]) != set(ids[1]):
        return (), columns
    orders = [np.array(sorted(range(len(some)), key=some.__getitem__), dtype=np.int64) for some in ids]
    before, after = (
        Column(column.score[order], column.weight[order], column.aggregation)
        for column, order in zip(columns, orders, strict=True)
    )
    return tuple(sorted(ids[0])), (before, after)
