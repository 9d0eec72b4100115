"""What the comparison tests share: systems made of scores, and one example worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from tests._results import make_result

from assay import Result

OLD = [1.0, 0.5, 0.25, 0.5, 0.2, 1.0, 0.5, 0.0]
NEW = [1.0, 1.0, 0.5, 1.0, 1.0, 0.5, 1.0, 0.25]
"""mrr of two systems on eight queries: new is better on six, worse on one (q6), equal on one; 3.95 and 6.25 of 8."""


def system(name: str, scores: Mapping[str, Sequence[float]], queries: Sequence[str] = (), **fields: Any) -> Result:
    """A system with these scores: metric → score of each query."""
    return make_result(scores, name, query_ids=queries, **{"queries": {}, **fields})


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
