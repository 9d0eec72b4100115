"""Routing: the `routing` view; where each query was sent, where it belonged, and whether retrieval was skipped."""

from __future__ import annotations

import hashlib
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
"""The column of queries that were sent nowhere, in a confusion matrix."""


@dataclass(frozen=True)
class Expert:
    """One expert of a router: how often a query was sent to it, belonged there, and both."""

    name: str
    n_routed: int
    n_optimal: int
    n_right: int

    @property
    def precision(self) -> float:
        """Of the queries sent to it, the share that belonged there; nan where none was."""
        return self.n_right / self.n_routed if self.n_routed else float("nan")

    @property
    def recall(self) -> float:
        """Of the queries that belonged there, the share that was sent to it; nan where none did."""
        return self.n_right / self.n_optimal if self.n_optimal else float("nan")


@dataclass(frozen=True)
class Routing:
    """The decisions about some queries, as metrics read them. Arrays are nan where there is nothing to judge."""

    decisions: tuple[Decision, ...]

    @classmethod
    def of(cls, query_ids: Iterable[str], known: Mapping[str, Decision]) -> Routing:
        """The decisions about these queries, in this order; of those that are not known nothing is."""
        return cls(tuple(known.get(query, Decision(query)) for query in query_ids))

    @cached_property
    def query_ids(self) -> tuple[str, ...]:
        """The queries, in the order of every score."""
        return tuple(decision.query_id for decision in self.decisions)

    @cached_property
    def experts(self) -> tuple[str, ...]:
        """Everyone that a query was sent to, or belonged to, by name."""
        named = (name for decision in self.decisions for name in (*(decision.routes or ()), *(decision.optimal or ())))
        return tuple(sorted(set(named)))

    @cached_property
    def nowhere(self) -> str:
        """What a confusion matrix calls the column of queries that were sent nowhere: the name of no expert."""
        name = NO_ROUTE
        while name in self.experts:
            name = f"({name})"
        return name

    @cached_property
    def place(self) -> Floats:
        """The place of the first right expert among those chosen: 1, 2, …; infinite where none is right."""
        return np.array([_place(decision) if self._has_routes else np.nan for decision in self.decisions], dtype=float)

    @cached_property
    def _has_routes(self) -> bool:
        return any(decision.routes for decision in self.decisions)

    @cached_property
    def first(self) -> list[str | None]:
        """The expert each query was sent to; None where it was sent nowhere."""
        return [decision.routes[0] if decision.routes else None for decision in self.decisions]

    @cached_property
    def skipped(self) -> Floats:
        """1 where the gate skipped retrieval, 0 where it did not, nan where nobody says."""
        return _numbers([decision.gated for decision in self.decisions])

    @cached_property
    def needed(self) -> Floats:
        """1 where retrieval is needed, 0 where it is not, nan where nobody says."""
        return _numbers([decision.needs_retrieval for decision in self.decisions])

    @cached_property
    def cost(self) -> Floats:
        """What a retrieval costs; nan where nobody says."""
        return _numbers([decision.cost for decision in self.decisions])

    def good(self, is_so: Floats) -> Floats:
        """1 or 0 where the right decision is known. One that was not reported is 0: nothing was gained."""
        has_gate = not np.isnan(self.skipped).all()
        values = np.where(np.isnan(self.skipped), 0.0, is_so)
        return np.where(np.isnan(self.needed), np.nan, values) if has_gate else np.full(len(values), np.nan)

    def bad(self, is_so: Floats) -> Floats:
        """1 or 0 where both the decision and the right one are known: what was not reported is not blamed."""
        return np.where(np.isnan(self.needed) | np.isnan(self.skipped), np.nan, is_so)

    @property
    def saved(self) -> Floats:
        """1 where retrieval was skipped and not needed."""
        return self.good((self.skipped == 1) & (self.needed == 0))

    def kinds(self, n_experts: int | None = None) -> Floats:
        """Queries × 2: a number for the expert that each was sent to, and how many experts there are, at least those."""
        number_of: dict[str | None, float] = {name: _number_of(name) for name in set(self.first) if name is not None}
        numbers = [number_of.get(name, np.nan) for name in self.first]
        n = float(max(n_experts or len(self.experts), len(number_of)))
        return np.column_stack([np.array(numbers, dtype=float), np.full(len(numbers), n)])

    def confusion(self) -> dict[str, dict[str, int]]:
        """Right expert → expert chosen → queries; only queries whose right expert is known. `nowhere` is a column too."""
        counted: dict[str, dict[str, int]] = {}
        for decision, first in zip(self.decisions, self.first, strict=True):
            if (actual := decision.actual) is not None and decision.is_routed:
                row = counted.setdefault(actual, {})
                sent = self.nowhere if first is None else first
                row[sent] = row.get(sent, 0) + 1
        return {name: dict(sorted(counted[name].items())) for name in sorted(counted)}

    def by_expert(self) -> list[Expert]:
        """Every expert, by name, over the queries whose right expert is known."""
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
        """What the gate came to: the four ways a decision can turn out; nothing where there is none to judge."""
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
        """The picture over all queries, as plain values: experts, confusion and gate, as far as there are any."""
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
        """Of what would have been right, and of what was decided."""
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
    """A number for a name, the same wherever the name occurs: results of several benchmarks are taken together."""
    return float(int.from_bytes(hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=6).digest(), "big"))


ROUTE = ("route", "routes", "selected_expert")
OPTIMAL = ("optimal_expert", "optimal_experts", "optimal_route")
GATED = ("gated", "skipped")
NEEDED = ("needs_retrieval", "retrieval_needed")
COST = ("cost", "retrieval_cost")
"""Names under which each field is looked for."""
REPORTED_ROUTE_FIELDS = frozenset((*ROUTE, *GATED, *COST))
"""What a provider may say about a query beside its hits; the rest is the ground truth's."""
FIELDS = (*ROUTE, *OPTIMAL, *GATED, *NEEDED, *COST)


@dataclass(frozen=True, slots=True)
class Decision:
    """What a router and a retrieval gate decided about one query, and what would have been right; None: nobody says."""

    query_id: str
    routes: tuple[str, ...] | None = None
    """The experts that were chosen, the first choice first."""
    optimal: tuple[str, ...] | None = None
    """The experts any of which is right."""
    gated: bool | None = None
    """Whether the gate skipped retrieval."""
    needs_retrieval: bool | None = None
    cost: float | None = None
    """What a retrieval costs for this query, whether it took place or not."""

    @property
    def is_routed(self) -> bool:
        """Whether there was a decision between experts: a query that the gate answered need not have one."""
        return bool(self.routes) or not self.gated

    @property
    def actual(self) -> str | None:
        """The right expert: of several, the one that was chosen, else the first."""
        if not self.optimal:
            return None
        return self.routes[0] if self.routes and self.routes[0] in self.optimal else self.optimal[0]


def decision_of(query_id: str, fields: Mapping[str, Any]) -> Decision:
    """The decision that these fields tell of; names it does not know are left alone.

    Experts are a name, a list of names, names with `;` between them, or name → score, the highest first. All wrong values
    are told together.
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
            raise DataError(f"{name}: the score of expert {unscored[0]} is {shortened(value[unscored[0]])}, not a number")
        listed = sorted(scores, key=lambda expert: -(scores[expert] or 0.0))
    else:
        value = to_list() if callable(to_list := getattr(value, "tolist", None)) else value
        listed = list(value) if isinstance(value, list | tuple) else [value]
    try:
        experts = dict.fromkeys(map(text_id, listed))
    except DataError:
        raise DataError(f"{name} is the name of an expert, or a list of names, not {shortened(value)}") from None
    return tuple(experts) or None


@lru_cache(maxsize=4096)
def _listed_experts(names: str) -> tuple[str, ...] | None:
    """Names with `;` between them; the same few come again and again."""
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
        raise DataError(f"{name} is a number from 0 up, not {shortened(value)}")
    return number


READERS: tuple[tuple[Callable[[Mapping[str, Any], Iterable[str]], Any], tuple[str, ...]], ...] = (
    (_experts, ROUTE),
    (_experts, OPTIMAL),
    (bool_field, GATED),
    (bool_field, NEEDED),
    (_amount, COST),
)
"""How the fields of a decision are read, in their order."""
