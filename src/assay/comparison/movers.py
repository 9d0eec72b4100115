"""movers: the queries on which two systems differ most, with both scores and both rankings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.comparison.comparison import Comparison
from assay.comparison.pairing import sign_of
from assay.errors import BadParameter
from assay.evaluation import Result
from assay.model import Rankings, Run

SHOWN = 5
"""Documents of a ranking that people look at."""


@dataclass(frozen=True)
class Mover:
    """One query that moved from system a to system b: up where `improvement` is above 0, whatever the metric."""

    query: str
    metric: str
    a: str
    b: str
    score_a: float
    score_b: float
    improvement: float
    text: str = ""
    """The query in words; empty where nobody knows them."""
    ranking_a: tuple[str, ...] = ()
    """All documents, best first; empty where the ranking is not at hand, or nothing was retrieved."""
    ranking_b: tuple[str, ...] = ()
    relevant: Mapping[str, float] = field(default_factory=dict)
    """Relevant document → grade, best first; empty where judgments are not at hand."""
    error_a: str = ""
    """Why the first system failed on the query; empty where it answered."""
    error_b: str = ""

    @property
    def difference(self) -> float:
        """B minus a."""
        return self.score_b - self.score_a

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; of the rankings the first few documents, and the ranks of all that are relevant."""
        return {
            "query": self.query,
            "text": self.text,
            "metric": self.metric,
            "a": self.a,
            "b": self.b,
            "score_a": self.score_a,
            "score_b": self.score_b,
            "difference": self.difference,
            "improvement": self.improvement,
            "error_a": self.error_a or None,
            "error_b": self.error_b or None,
            "ranking_a": list(self.ranking_a[:SHOWN]),
            "ranking_b": list(self.ranking_b[:SHOWN]),
            "relevant": {
                document: {
                    "grade": grade,
                    "rank_a": rank_in(self.ranking_a, document),
                    "rank_b": rank_in(self.ranking_b, document),
                }
                for document, grade in self.relevant.items()
            },
        }


def rank_in(ranking: tuple[str, ...], document: str) -> int | None:
    """The rank of a document; None where it was not retrieved."""
    return ranking.index(document) + 1 if document in ranking else None


def largest_losses(comparison: Comparison, metric: str, a: str, b: str, n: int = 10) -> list[Mover]:
    """The n queries that lost most from system a to b, the largest loss first; queries that gained are not among them."""
    return _moved(comparison, metric, (a, b), -checked(n))


def largest_gains(comparison: Comparison, metric: str, a: str, b: str, n: int = 10) -> list[Mover]:
    """The n queries that gained most from system a to b, the largest gain first; queries that lost are not among them."""
    return _moved(comparison, metric, (a, b), checked(n))


def checked(n: int) -> int:
    """A number of queries."""
    if isinstance(n, bool) or not isinstance(n, int) or n < 0:
        raise BadParameter(f"n is a number of queries, such as 10, not {n!r}")
    return n


def _moved(comparison: Comparison, metric: str, systems: tuple[str, str], n: int) -> list[Mover]:
    """So many queries that gained, or lost where n is below 0. A query without a score in one system did not move."""
    bound = comparison.metric(metric)
    sign = sign_of(bound)
    places = [comparison.aligned.place(name) for name in systems]
    first, second = (comparison.results[place] for place in places)
    scores = comparison.aligned.scores(bound.name)[:, places]
    moved = []
    for query, (before, after) in zip(comparison.query_ids, scores.tolist(), strict=True):
        gain = sign * (after - before)
        if math.isfinite(gain) and gain * n > 0:
            moved.append((gain, query, before, after))
    moved.sort(key=lambda one: -abs(one[0]))
    return [
        Mover(query, bound.name, *systems, before, after, gain, **_looked_up(query, first, second))
        for gain, query, before, after in moved[: abs(n)]
    ]


def _looked_up(query: str, first: Result, second: Result) -> dict[str, Any]:
    """What was asked, what was retrieved, and what should have been, as far as the results know."""
    asked = first.queries.get(query) or second.queries.get(query)
    return {
        "text": asked.text if asked else "",
        "ranking_a": ranking_of(first, query),
        "ranking_b": ranking_of(second, query),
        "relevant": first.relevant.get(query) or second.relevant.get(query, {}),
        "error_a": first.failures.get(query, ""),
        "error_b": second.failures.get(query, ""),
    }


def ranking_of(result: Result, query: str) -> tuple[str, ...]:
    """The documents of a query, best first, ties as the result's policy has them."""
    ranking = result.run.get(query)
    if not ranking:
        return ()
    rule = result.policy.rank_rule
    ties = "docid_desc" if rule.ties in ("expected", "error") else rule.ties
    return tuple(Run.borrow(Rankings({query: dict(ranking)})).in_order(0, rule._replace(ties=ties)))
