"""Decision: what a router and a retrieval gate decided about one query, out of fields as people write them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from assay.errors import DataError
from assay.model.ids import text_id
from assay.model.numeric import as_number
from assay.model.said import said_under, said_yes
from assay.text import shortened

ROUTE = ("route", "routes", "selected_expert")
OPTIMAL = ("optimal_expert", "optimal_experts", "optimal_route")
GATED = ("gated", "skipped")
NEEDED = ("needs_retrieval", "retrieval_needed")
COST = ("cost", "retrieval_cost")
"""Names under which each field is looked for."""
SAID = frozenset((*ROUTE, *GATED, *COST))
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
    name, value = said_under(fields, names)
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
        value = value.tolist() if hasattr(value, "tolist") else value
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
    name, value = said_under(fields, names)
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
    (said_yes, GATED),
    (said_yes, NEEDED),
    (_amount, COST),
)
"""How the fields of a decision are read, in their order."""
