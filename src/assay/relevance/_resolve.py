"""resolve: decide about every query, each by the first resolver that applies, and say which one did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import DataError
from assay.model.qrels import Qrels
from assay.relevance._resolver import Ground, Judged, parse_resolver
from assay.text import counted, some_of

AUTO = ("qrels", "pack", "token")
"""What `auto` asks, in this order, for each query."""
FALLBACK = "token-fallback"
"""What seed systems call token relevance that nobody asked for by name."""


@dataclass(frozen=True)
class Resolved:
    """Grades for every query that could be decided, and how that was done."""

    qrels: Qrels
    strategies: Mapping[str, str]
    """Query → the resolver that decided."""
    undecided: tuple[str, ...]
    """Queries without any ground truth that the resolvers could use."""
    n_exact: int
    """Queries for which a retrieved text holds the expected words."""
    counted_over: Mapping[str, int]
    """What relevant items were counted over → for how many queries."""
    settings: Mapping[str, Any]

    @property
    def strategy_counts(self) -> dict[str, int]:
        """Resolver → how many queries it decided."""
        return dict(Counter(self.strategies.values()))

    @property
    def strategy_used(self) -> str:
        """The one resolver that decided, or `mixed`."""
        names = list(self.strategy_counts)
        return names[0] if len(names) == 1 else "mixed" if names else "none"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as results record them."""
        return {
            "strategy_used": self.strategy_used,
            "strategy_counts": self.strategy_counts,
            "exact_matches_found": self.n_exact,
            "counted_over": dict(self.counted_over),
            "undecided": len(self.undecided),
            **self.settings,
        }


def resolve(ground: Ground, relevance: str = "auto", **defaults: Any) -> Resolved:
    """Grades by the resolver of that name; `auto` is qrels, else pack, else token, for each query by itself."""
    is_auto = relevance.strip() == "auto"
    resolvers = [parse_resolver(name, **defaults) for name in (AUTO if is_auto else (relevance,))]
    judged: dict[str, Judged] = {}
    strategies: dict[str, str] = {}
    left = list(ground.queries.values())
    for resolver in resolvers:
        mine = [query for query in left if resolver.resolver.applies(ground, query)]
        judged |= resolver.resolve(ground, mine) if mine else {}
        name = FALLBACK if is_auto and resolver.name == "token" else resolver.name
        strategies |= {query.query_id: name for query in mine}
        left = [query for query in left if query.query_id not in judged]
    if not judged:
        raise DataError(_nothing(relevance, [query.query_id for query in left]))
    settings = {f"{resolver.name}_{name}": value for resolver in resolvers for name, value in resolver.params.items()}
    return Resolved(
        Qrels({query: _with_hidden(judged[query]) for query in ground.queries if query in judged}),
        strategies,
        tuple(query.query_id for query in left),
        sum(one.n_exact > 0 for one in judged.values()),
        Counter(one.counted_over for one in judged.values()),
        settings,
    )


def by_judgments(qrels: Qrels) -> Resolved:
    """Where judgments decide about every query, and nothing needs to be looked at."""
    return Resolved(qrels, dict.fromkeys(qrels.query_ids, "qrels"), (), 0, {"judgments": len(qrels)}, {})


def _with_hidden(judged: Judged) -> Mapping[str, float]:
    """Gold items without a document of their own, under ids that no document has."""
    return {**judged.grades, **{f"\0gold {number}": grade for number, grade in enumerate(judged.hidden)}}


def _nothing(relevance: str, queries: Sequence[str]) -> str:
    needs = {
        "auto": "judgments, evidence or an expected answer",
        "qrels": "judgments",
        "pack": "evidence that their format knows",
    }.get(relevance.partition("(")[0].strip(), "an expected answer")
    return f"none of the {counted(len(queries), 'query')} has {needs}: {some_of(queries)}"
