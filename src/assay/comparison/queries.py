"""Single queries: how similar rankings are, which relevant documents were gained and lost, which scores changed most."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from assay.comparison.comparison import Comparison
from assay.comparison.options import ComparisonOptions, pairs_of
from assay.comparison.pair_figures import sign_of
from assay.errors import BadParameter, UsageError
from assay.evaluation import Result
from assay.model import Rankings, Run
from assay.serialize import to_json
from assay.stats import Agreement, Moved, agreement, moved_documents


@dataclass(frozen=True, eq=False)
class RankAgreement:
    """The rankings of system b compared with those of system a."""

    a: str
    b: str
    agreement: Agreement
    moved: Mapping[str, Moved] | None = None
    """Query → relevant documents gained and lost in the top k; None if it is unknown what is relevant."""
    texts: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Query → its text, if it is known."""

    @property
    def k(self) -> int:
        """The cutoff for overlap, gains and losses."""
        return self.agreement.k

    @property
    def means(self) -> dict[str, float]:
        """Coefficient → mean over queries: `tau`, `tau_ap`, `rbo(p=0.9)`, `overlap@10`."""
        return self.agreement.means

    @cached_property
    def n_gained(self) -> int | None:
        """How many relevant documents b has in the top k and a does not."""
        return None if self.moved is None else sum(len(documents.gained) for documents in self.moved.values())

    @cached_property
    def n_lost(self) -> int | None:
        """How many relevant documents a has in the top k and b does not."""
        return None if self.moved is None else sum(len(documents.lost) for documents in self.moved.values())

    def least(self, most: int = 10) -> list[str]:
        """Queries with the least similar rankings (by RBO), the least similar first."""
        places = sorted(range(len(self.agreement.query_ids)), key=lambda place: (float(self.agreement.rbo[place]), place))
        return [self.agreement.query_ids[place] for place in places[:most]]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each query, as plain values."""
        return [
            {"a": self.a, "b": self.b, "query": query, **to_json(figures), **self._documents(query)}
            for query, figures in self.agreement.by_query().items()
        ]

    def to_dict(self, *, per_query: bool = True) -> dict[str, Any]:
        """Everything as plain JSON values."""
        plain: dict[str, Any] = {
            "a": self.a,
            "b": self.b,
            "k": self.k,
            "p": self.agreement.p,
            "n_queries": len(self.agreement.query_ids),
            "means": to_json(self.means),
            "n_gained": self.n_gained,
            "n_lost": self.n_lost,
        }
        if per_query:
            plain["per_query"] = {
                query: {**to_json(figures), **self._documents(query)} for query, figures in self.agreement.by_query().items()
            }
        return plain

    def _documents(self, query: str) -> dict[str, Any]:
        if self.moved is None:
            return {}
        moved = self.moved.get(query, Moved((), ()))
        return {"gained": list(moved.gained), "lost": list(moved.lost)}


def rank_agreements(
    results: Sequence[Result],
    how: ComparisonOptions | None = None,
    *,
    k: int = 10,
    p: float = 0.9,
    runs: Mapping[str, Any] | None = None,
) -> tuple[RankAgreement, ...]:
    """How similar the rankings of systems are: each with the baseline, or all pairs.

    Rankings come from the results, or from `runs` by name (anything that `assay.Run` reads). Only queries that all results
    have scored count.
    """
    if len(results) < 2:
        raise UsageError(f"a comparison needs at least two systems, found {len(results)}")
    names = [result.name for result in results]
    shared = set(results[0].query_ids).intersection(*(result.query_ids for result in results[1:]))
    queries = [query for query in results[0].query_ids if query in shared]
    rankings = {result.name: _rankings(result, queries, runs or {}) for result in results}
    if len(rankings) < len(results):
        raise UsageError("two systems have the same name. Give them names, as in base=a.json new=b.json")
    by_name = dict(zip(names, results, strict=True))
    texts = {name: query.text for result in results for name, query in result.queries.items() if query.text}
    return tuple(
        RankAgreement(a, b, agreement(rankings[a], rankings[b], k, p), _gained_and_lost(by_name, rankings, (a, b), k), texts)
        for a, b in ((names[first], names[other]) for first, other in pairs_of(names, how.baseline if how else None))
    )


def _rankings(result: Result, queries: Sequence[str], runs: Mapping[str, Any]) -> Run:
    """The rankings of a system on these queries; a query without a ranking gets an empty one."""
    source = runs.get(result.name, result.run)
    if not source and not result.failures:
        raise UsageError(
            f"{result.name} has no rankings to compare: results of assay eval have rankings, results of assay score do not. "
            "Use the judgments and runs instead"
        )
    run = source if isinstance(source, Run) else Run(source)
    if run.query_ids == tuple(queries):
        return run
    return Run({query: run.get(query, {}) for query in queries})


def _gained_and_lost(
    results: Mapping[str, Result], runs: Mapping[str, Run], pair: tuple[str, str], k: int
) -> dict[str, Moved] | None:
    """Relevant documents gained and lost. They are relevant in either result, which may differ if texts decided."""
    judged = [results[name].relevant for name in pair if results[name].relevant]
    if not judged:
        return None
    a, b = (runs[name] for name in pair)
    relevant = {query: set[str]().union(*(known.get(query, {}) for known in judged)) for query in a}
    return moved_documents(a, b, relevant, k)


MAX_DOCUMENTS_SHOWN = 5
"""The number of documents of a ranking to show."""


@dataclass(frozen=True)
class Mover:
    """One query whose score changed from system a to system b: better if `improvement` is above 0, for every metric."""

    query: str
    metric: str
    a: str
    b: str
    score_a: float
    score_b: float
    improvement: float
    text: str = ""
    """The text of the query; empty if unknown."""
    ranking_a: tuple[str, ...] = ()
    """All documents, best first; empty if the ranking is unknown or nothing was retrieved."""
    ranking_b: tuple[str, ...] = ()
    relevant: Mapping[str, float] = field(default_factory=dict)
    """Relevant document → grade, best first; empty if judgments are unknown."""
    error_a: str = ""
    """Why the first system failed on the query; empty if it did not fail."""
    error_b: str = ""

    @property
    def difference(self) -> float:
        """The score of b minus the score of a."""
        return self.score_b - self.score_a

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, with the first few documents of the rankings and the ranks of all relevant documents."""
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
            "ranking_a": list(self.ranking_a[:MAX_DOCUMENTS_SHOWN]),
            "ranking_b": list(self.ranking_b[:MAX_DOCUMENTS_SHOWN]),
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
    """The rank of a document; None if it was not retrieved."""
    return ranking.index(document) + 1 if document in ranking else None


def largest_losses(comparison: Comparison, metric: str, a: str, b: str, n: int = 10) -> list[Mover]:
    """The n queries with the largest losses from system a to b, largest first; queries that gained are left out."""
    return _movers(comparison, metric, (a, b), -_checked_count(n))


def largest_gains(comparison: Comparison, metric: str, a: str, b: str, n: int = 10) -> list[Mover]:
    """The n queries with the largest gains from system a to b, largest first; queries that lost are left out."""
    return _movers(comparison, metric, (a, b), _checked_count(n))


def _checked_count(n: int) -> int:
    """A number of queries."""
    if isinstance(n, bool) or not isinstance(n, int) or n < 0:
        raise BadParameter(f"n must be a number of queries, such as 10, not {n!r}")
    return n


def _movers(comparison: Comparison, metric: str, systems: tuple[str, str], n: int) -> list[Mover]:
    """The n queries that gained most, or lost most if n is below 0. Queries need a score in both systems."""
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
    moved.sort(key=lambda row: -abs(row[0]))
    return [
        Mover(query, bound.name, *systems, before, after, gain, **_query_details(query, first, second))
        for gain, query, before, after in moved[: abs(n)]
    ]


def _query_details(query: str, first: Result, second: Result) -> dict[str, Any]:
    """The text, the rankings and the relevant documents of a query, if the results have them."""
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
    """The documents of a query, best first, with ties ordered by the policy of the result."""
    ranking = result.run.get(query)
    if not ranking:
        return ()
    rule = result.policy.rank_rule
    ties = "docid_desc" if rule.ties in ("expected", "error") else rule.ties
    return tuple(Run.borrow(Rankings({query: dict(ranking)})).in_order(0, rule._replace(ties=ties)))
