"""Routing: the `routing` view, with the chosen and the correct expert of each query, and whether retrieval was skipped."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from assay.arrays import Floats
from assay.errors import DataError
from assay.model import as_number, bool_field, fingerprint, first_field, text_id
from assay.text import shortened

NO_ROUTE = "(none)"
"""The column of a confusion matrix for queries that were not routed."""


@dataclass(frozen=True)
class Expert:
    """One expert of a router: how many queries were sent to it, how many belong to it, and how many are both."""

    name: str
    n_routed: int
    n_optimal: int
    n_right: int

    @property
    def precision(self) -> float:
        """Share of the queries sent to it that belong to it; nan if none was sent."""
        return self.n_right / self.n_routed if self.n_routed else float("nan")

    @property
    def recall(self) -> float:
        """Share of the queries that belong to it that were sent to it; nan if none belongs to it."""
        return self.n_right / self.n_optimal if self.n_optimal else float("nan")


@dataclass(frozen=True)
class Routing:
    """The decisions about some queries, as metrics read them. Arrays are nan if a value is unknown."""

    decisions: tuple[Decision, ...]

    @classmethod
    def of(cls, query_ids: Iterable[str], known: Mapping[str, Decision]) -> Routing:
        """The decisions about these queries, in this order; empty for queries without a known decision."""
        return cls(tuple(known.get(query, Decision(query)) for query in query_ids))

    @cached_property
    def query_ids(self) -> tuple[str, ...]:
        """The queries, in the order of every score."""
        return tuple(decision.query_id for decision in self.decisions)

    @cached_property
    def experts(self) -> tuple[str, ...]:
        """All experts that a query was sent to or belongs to, sorted by name."""
        named = (name for decision in self.decisions for name in (*(decision.routes or ()), *(decision.optimal or ())))
        return tuple(sorted(set(named)))

    @cached_property
    def nowhere(self) -> str:
        """The name of the confusion matrix column for queries that were not routed; no expert has this name."""
        name = NO_ROUTE
        while name in self.experts:
            name = f"({name})"
        return name

    @cached_property
    def place(self) -> Floats:
        """The place of the first correct expert among those chosen: 1, 2, …; infinite if none is correct."""
        return np.array([_place(decision) if self._has_routes else np.nan for decision in self.decisions], dtype=float)

    @cached_property
    def _has_routes(self) -> bool:
        return any(decision.routes for decision in self.decisions)

    @cached_property
    def first(self) -> list[str | None]:
        """The expert each query was sent to; None if it was not routed."""
        return [decision.routes[0] if decision.routes else None for decision in self.decisions]

    @cached_property
    def skipped(self) -> Floats:
        """1 if the gate skipped retrieval, 0 if it did not, nan if that is unknown."""
        return _numbers([decision.gated for decision in self.decisions])

    @cached_property
    def needed(self) -> Floats:
        """1 if retrieval is needed, 0 if it is not, nan if that is unknown."""
        return _numbers([decision.needs_retrieval for decision in self.decisions])

    @cached_property
    def cost(self) -> Floats:
        """The cost of a retrieval; nan if it is unknown."""
        return _numbers([decision.cost for decision in self.decisions])

    def good(self, is_so: Floats) -> Floats:
        """1 or 0 if the correct decision is known. A decision that was not reported counts as 0."""
        has_gate = not np.isnan(self.skipped).all()
        values = np.where(np.isnan(self.skipped), 0.0, is_so)
        return np.where(np.isnan(self.needed), np.nan, values) if has_gate else np.full(len(values), np.nan)

    def bad(self, is_so: Floats) -> Floats:
        """1 or 0 if both the decision and the correct one are known, else nan."""
        return np.where(np.isnan(self.needed) | np.isnan(self.skipped), np.nan, is_so)

    @property
    def saved(self) -> Floats:
        """1 if retrieval was skipped and not needed."""
        return self.good((self.skipped == 1) & (self.needed == 0))

    def kinds(self, n_experts: int | None = None) -> Floats:
        """Queries × 2: a number for the expert each query was sent to, and the number of experts."""
        number_of: dict[str | None, float] = {name: _number_of(name) for name in set(self.first) if name is not None}
        numbers = [number_of.get(name, np.nan) for name in self.first]
        n = float(max(n_experts or len(self.experts), len(number_of)))
        return np.column_stack([np.array(numbers, dtype=float), np.full(len(numbers), n)])

    def confusion(self) -> dict[str, dict[str, int]]:
        """Correct expert → chosen expert → number of queries whose correct expert is known. `nowhere` is a column too."""
        counted: dict[str, dict[str, int]] = {}
        for decision, first in zip(self.decisions, self.first, strict=True):
            if (actual := decision.actual) is not None and decision.is_routed:
                row = counted.setdefault(actual, {})
                sent = self.nowhere if first is None else first
                row[sent] = row.get(sent, 0) + 1
        return {name: dict(sorted(counted[name].items())) for name in sorted(counted)}

    def by_expert(self) -> list[Expert]:
        """Every expert, sorted by name, over the queries whose correct expert is known."""
        confusion = self.confusion() if self._has_routes else {}
        return [
            Expert(
                name,
                sum(row.get(name, 0) for row in confusion.values()),
                sum(confusion.get(name, {}).values()),
                confusion.get(name, {}).get(name, 0),
            )
            for name in self.experts
            if confusion
        ]

    def gate_counts(self) -> dict[str, int]:
        """How many decisions of the gate had each of the four outcomes; empty if no outcome is known."""
        skipped, needed = self.skipped, self.needed
        counts = {
            "saved": (skipped == 1) & (needed == 0),
            "wrongly_skipped": (skipped == 1) & (needed == 1),
            "wasted": (skipped == 0) & (needed == 0),
            "retrieved": (skipped == 0) & (needed == 1),
        }
        matrix = {name: int(np.count_nonzero(which)) for name, which in counts.items()}
        return matrix if any(matrix.values()) else {}

    def to_dict(self) -> dict[str, Any]:
        """Experts, confusion matrix and gate counts over all queries, as plain values; parts without data are left out."""
        experts = [
            {
                "expert": expert.name,
                "routed": expert.n_routed,
                "optimal": expert.n_optimal,
                "right": expert.n_right,
                "precision": None if np.isnan(expert.precision) else expert.precision,
                "recall": None if np.isnan(expert.recall) else expert.recall,
            }
            for expert in self.by_expert()
        ]
        parts = {"experts": experts, "confusion": self.confusion() if experts else {}, "gate": self.gate_counts()}
        return {name: part for name, part in parts.items() if part}

    def fingerprints(self) -> dict[str, str]:
        """Fingerprints of the correct decisions and of the actual ones."""
        right = [
            (decision.query_id, *sorted(decision.optimal or ()), decision.needs_retrieval) for decision in self.decisions
        ]
        chosen = [
            (decision.query_id, *(decision.routes or ()), decision.gated, decision.cost) for decision in self.decisions
        ]
        return {"judgments": fingerprint(right), "rankings": fingerprint(chosen)}


def _place(decision: Decision) -> float:
    if not decision.optimal or not decision.is_routed:
        return float("nan")
    right = set(decision.optimal)
    return next((float(place) for place, name in enumerate(decision.routes or (), 1) if name in right), float("inf"))


def _numbers(values: Sequence[bool | float | None]) -> Floats:
    return np.array([np.nan if value is None else float(value) for value in values], dtype=float)


def _number_of(name: str) -> float:
    """A number for a name, the same in all results, because results of several benchmarks are combined."""
    import hashlib

    return float(int.from_bytes(hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=6).digest(), "big"))


ROUTE = ("route", "routes", "selected_expert")
OPTIMAL = ("optimal_expert", "optimal_experts", "optimal_route")
GATED = ("gated", "skipped")
NEEDED = ("needs_retrieval", "retrieval_needed")
COST = ("cost", "retrieval_cost")
"""The possible names of each field."""
REPORTED_ROUTE_FIELDS = frozenset((*ROUTE, *GATED, *COST))
"""What a provider may report about a query in addition to hits; the other fields belong to the ground truth."""
FIELDS = (*ROUTE, *OPTIMAL, *GATED, *NEEDED, *COST)


@dataclass(frozen=True, slots=True)
class Decision:
    """What a router and a retrieval gate decided about one query, and what would have been correct; None: unknown."""

    query_id: str
    routes: tuple[str, ...] | None = None
    """The chosen experts, first choice first."""
    optimal: tuple[str, ...] | None = None
    """The correct experts; any of them is right."""
    gated: bool | None = None
    """Whether the gate skipped retrieval."""
    needs_retrieval: bool | None = None
    cost: float | None = None
    """The cost of a retrieval for this query, whether it took place or not."""

    @property
    def is_routed(self) -> bool:
        """Whether an expert was to be chosen: a query for which retrieval was skipped need not have one."""
        return bool(self.routes) or not self.gated

    @property
    def actual(self) -> str | None:
        """The correct expert: of several, the one that was chosen, else the first."""
        if not self.optimal:
            return None
        return self.routes[0] if self.routes and self.routes[0] in self.optimal else self.optimal[0]


def decision_of(query_id: str, fields: Mapping[str, Any]) -> Decision:
    """The decision in these fields; unknown field names are ignored.

    Experts are a name, a list of names, names separated by `;`, or a map from name to score, highest first. The error lists
    all wrong values.
    """
    values: list[Any] = []
    faults: list[str] = []
    for read, names in READERS:
        try:
            values.append(read(fields, names))
        except DataError as error:
            faults.append(str(error))
    if faults:
        raise DataError("; ".join(faults))
    return Decision(query_id, *values)


def _experts(fields: Mapping[str, Any], names: Iterable[str]) -> tuple[str, ...] | None:
    name, value = first_field(fields, names)
    if not name:
        return None
    if isinstance(value, str):
        return _listed_experts(value)
    listed: list[Any]
    if isinstance(value, Mapping):
        scores = {expert: as_number(score) for expert, score in value.items()}
        if unscored := [expert for expert, score in scores.items() if score is None]:
            raise DataError(
                f"{name}: the score of expert {unscored[0]} must be a number, not {shortened(value[unscored[0]])}"
            )
        listed = sorted(scores, key=lambda expert: -(scores[expert] or 0.0))
    else:
        value = to_list() if callable(to_list := getattr(value, "tolist", None)) else value
        listed = list(value) if isinstance(value, list | tuple) else [value]
    try:
        experts = dict.fromkeys(map(text_id, listed))
    except DataError:
        raise DataError(f"{name} must be the name of an expert or a list of names, not {shortened(value)}") from None
    return tuple(experts) or None


@lru_cache(maxsize=4096)
def _listed_experts(names: str) -> tuple[str, ...] | None:
    """Split names at `;`; cached, because the same few names occur again and again."""
    return tuple(dict.fromkeys(text_id(part.strip()) for part in names.split(";") if part.strip())) or None


def _amount(fields: Mapping[str, Any], names: Iterable[str]) -> float | None:
    name, value = first_field(fields, names)
    if not name:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number) or number < 0:
        raise DataError(f"{name} must be a number of at least 0, not {shortened(value)}")
    return number


READERS: tuple[tuple[Callable[[Mapping[str, Any], Iterable[str]], Any], tuple[str, ...]], ...] = (
    (_experts, ROUTE),
    (_experts, OPTIMAL),
    (bool_field, GATED),
    (bool_field, NEEDED),
    (_amount, COST),
)
"""The readers of the fields of a decision, in the order of the fields."""
