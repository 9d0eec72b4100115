"""What the comparison tests share: systems made of scores, one example worked out by hand, and choices in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from tests._results import make_result

from assay import Query, Result
from assay.comparison import Comparison, ComparisonOptions, compare_results

OLD = [1.0, 0.5, 0.25, 0.5, 0.2, 1.0, 0.5, 0.0]
NEW = [1.0, 1.0, 0.5, 1.0, 1.0, 0.5, 1.0, 0.25]
"""mrr of two systems on eight queries: new is better on six, worse on one (q6), equal on one; 3.95 and 6.25 of 8."""


def system(name: str, scores: Mapping[str, Sequence[float]], queries: Sequence[str] = (), **fields: Any) -> Result:
    """A system with these scores: metric → score of each query."""
    return make_result(scores, name, query_ids=queries, **{"queries": {}, **fields})


def tagged(
    name: str,
    scores: Mapping[str, Sequence[float]],
    tags: Mapping[str, Sequence[str | None]] | None = None,
    benchmark: str = "",
) -> Result:
    """Metric → scores of q0, q1, …; tag → its value for each of them, None where a query lacks it. Queries have no words."""
    ids = [f"q{number}" for number in range(len(next(iter(scores.values()))))]
    made = make_result(scores, name, query_ids=ids, tags=tags, benchmark=benchmark)
    return made.with_fields(queries={query: Query(query, metadata=asked.metadata) for query, asked in made.queries.items()})


def old_and_new(**fields: Any) -> list[Result]:
    """The two systems of the example."""
    return [system("old", {"mrr": OLD}, **fields), system("new", {"mrr": NEW}, **fields)]


def ladder(n_systems: int, n_queries: int = 40) -> list[Result]:
    """Systems that are each clearly better than the one before: s1 < s2 < …"""
    noise = np.random.default_rng(1).uniform(0, 0.001, (n_queries, n_systems))
    base = np.linspace(0, 0.1, n_queries)
    return [
        system(f"s{number + 1}", {"map": (base + number / n_systems / 2 + noise[:, number]).tolist()})
        for number in range(n_systems)
    ]


def compared(*systems: Result, **how: Any) -> Comparison:
    """The comparison of systems by these choices."""
    return compare_results(list(systems), ComparisonOptions(**how))
