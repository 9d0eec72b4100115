"""Remarkable queries: those that moved most, failed, score 0, or retrieved what nobody judged; so many of each kind."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.comparison import sign_of
from assay.metrics import BoundMetric
from assay.reports._page_matter import BenchmarkReport
from assay.text import counted

MOST = 20
"""Queries of one kind."""
FEW = 100
"""Where there are no more queries than this, all of them are shown."""
UNJUDGED = "judged@10"
MOST_JUDGED = 0.5
"""A query of whose first ten fewer were judged may look worse than it is."""


class Kind(NamedTuple):
    """Queries that have something in common, the most remarkable first."""

    title: str
    queries: list[str]
    lead: str = ""


@dataclass(frozen=True)
class NotableQueries:
    """Kinds of queries without repetition, and for each query all that is remarkable about it."""

    metric: BoundMetric
    kinds: tuple[Kind, ...]
    why: dict[str, list[str]]
    scores: Floats = field(repr=False)
    """Queries × systems."""
    places: dict[str, int] = field(repr=False)

    def score(self, place: int, query: str) -> float:
        """The score of a query in one of the systems."""
        return float(self.scores[self.places[query], place])


def notable_queries(matter: BenchmarkReport) -> NotableQueries:
    """In one pass over scores; kinds that nobody is in are left out."""
    metric, results = matter.moving, matter.looked_at
    if metric is None:
        raise ValueError("no query has a score of its own")
    queries = results[0].query_ids
    scores = np.column_stack([result.table.columns[metric.name].score for result in results]).astype(float)
    kinds: list[Kind] = []
    why: dict[str, list[str]] = {}
    taken: set[str] = set()
    for title, reason, found in _kinds(matter, metric, queries, scores):
        for query in found:
            why.setdefault(query, []).append(reason)
        fresh = [query for query in found if query not in taken][:MOST]
        if fresh:
            lead = f"{len(fresh):,} of {counted(len(found), 'query')}." if len(found) > len(fresh) else ""
            kinds.append(Kind(title, fresh, lead))
            taken.update(fresh)
    others = [query for query in queries if query not in taken]
    if others and len(queries) <= FEW:
        kinds.append(Kind("Other queries", others))
    return NotableQueries(metric, tuple(kinds), why, scores, {query: place for place, query in enumerate(queries)})


def _kinds(
    matter: BenchmarkReport, metric: BoundMetric, queries: Sequence[str], scores: Floats
) -> Iterable[tuple[str, str, list[str]]]:
    """Title, a word for it, and the queries; losses first, because they hurt."""
    results = matter.looked_at
    if len(results) == 2:
        gain = sign_of(metric) * (scores[:, 1] - scores[:, 0])
        yield "Largest losses", "lost", _ordered(queries, gain, gain < 0)
        yield "Largest gains", "gained", _ordered(queries, -gain, gain > 0)
    failed = [query for query in queries if any(query in result.failures for result in results)]
    yield "Failed", "failed", failed
    is_good = metric.metric.higher_is_better and metric.metric.view != "timing"
    if is_good:
        zero = np.nan_to_num(scores, nan=math.inf).max(axis=1) == 0
        title = "Nothing found by either system" if len(results) == 2 else "Nothing found"
        yield title, "zero", [query for query, is_zero in zip(queries, zero.tolist(), strict=True) if is_zero]
    yield "Mostly unjudged", "unjudged", _unjudged(matter, queries)
    if len(results) == 1:
        worst = sign_of(metric) * scores[:, 0]
        yield "Lowest scores", "low", _ordered(queries, worst, ~np.isnan(worst))[:MOST]


def _ordered(queries: Sequence[str], by: Floats, inside: np.ndarray) -> list[str]:
    """The queries inside, the smallest first, equal ones in their own order."""
    chosen = np.flatnonzero(inside)
    return [queries[place] for place in chosen[np.argsort(by[chosen], kind="stable")].tolist()]


def _unjudged(matter: BenchmarkReport, queries: Sequence[str]) -> list[str]:
    """Queries of whose first ten fewer than half were judged by anybody, the fewest first; not where that is the rule."""
    place = matter.pair[1] if matter.pair is not None else 0
    result = matter.results[place]
    if UNJUDGED not in result or result[UNJUDGED] < MOST_JUDGED:
        return []
    shares = dict(zip(result.query_ids, result.array(UNJUDGED).tolist(), strict=True))
    few = [(share, query) for query in queries if (share := shares.get(query, 1.0)) < MOST_JUDGED]
    return [query for _, query in sorted(few, key=lambda one: one[0])]
