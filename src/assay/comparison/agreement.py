"""agreement: how alike systems rank, query by query, and which relevant documents came and went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from assay.comparison.how import ComparisonOptions
from assay.comparison.systems import pairs_of
from assay.errors import UsageError
from assay.evaluation import Result
from assay.model import Run
from assay.serialize import plain_values
from assay.stats import Agreement, Moved, agreement, moved_documents


@dataclass(frozen=True, eq=False)
class RankAgreement:
    """System b's rankings against system a's."""

    a: str
    b: str
    agreement: Agreement
    moved: Mapping[str, Moved] | None = None
    """Query → relevant documents gained and lost in the first k; None where nobody knows what is relevant."""

    @property
    def k(self) -> int:
        """How far down overlap, gains and losses look."""
        return self.agreement.k

    @property
    def means(self) -> dict[str, float]:
        """Coefficient → mean over queries: `tau`, `tau_ap`, `rbo(p=0.9)`, `overlap@10`."""
        return self.agreement.means

    @cached_property
    def n_gained(self) -> int | None:
        """Relevant documents that b has in the first k and a has not."""
        return None if self.moved is None else sum(len(one.gained) for one in self.moved.values())

    @cached_property
    def n_lost(self) -> int | None:
        """Relevant documents that a has in the first k and b has not."""
        return None if self.moved is None else sum(len(one.lost) for one in self.moved.values())

    def least(self, most: int = 10) -> list[str]:
        """Queries on which the rankings are least alike (by RBO), the least alike first."""
        places = sorted(range(len(self.agreement.query_ids)), key=lambda place: (float(self.agreement.rbo[place]), place))
        return [self.agreement.query_ids[place] for place in places[:most]]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each query, as plain values."""
        return [
            {"a": self.a, "b": self.b, "query": query, **plain_values(figures), **self._documents(query)}
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
            "means": plain_values(self.means),
            "n_gained": self.n_gained,
            "n_lost": self.n_lost,
        }
        if per_query:
            plain["per_query"] = {
                query: {**plain_values(figures), **self._documents(query)}
                for query, figures in self.agreement.by_query().items()
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
    """How alike systems rank, each against the baseline, or every two of them.

    Rankings are those that results keep; `runs` gives them by name where they do not (anything that `assay.Run` reads).
    Only queries that all results have scored count.
    """
    if len(results) < 2:
        raise UsageError(f"at least two systems are needed for a comparison, and here is {len(results)}")
    names = [result.name for result in results]
    shared = set(results[0].query_ids).intersection(*(result.query_ids for result in results[1:]))
    queries = [query for query in results[0].query_ids if query in shared]
    found = {result.name: _rankings(result, queries, runs or {}) for result in results}
    if len(found) < len(results):
        raise UsageError("two systems have the same name; give them names, as in base=a.json new=b.json")
    by_name = dict(zip(names, results, strict=True))
    return tuple(
        RankAgreement(a, b, agreement(found[a], found[b], k, p), _moved(by_name, found, (a, b), k))
        for a, b in ((names[one], names[other]) for one, other in pairs_of(names, how.baseline if how else None))
    )


def _rankings(result: Result, queries: Sequence[str], runs: Mapping[str, Any]) -> Run:
    """The rankings of a system on these queries; an empty one where a query got none."""
    given = runs.get(result.name, result.run)
    if not given and not result.failures:
        raise UsageError(
            f"{result.name} has no rankings to compare: assay eval keeps them in its results, assay score does not; "
            "give judgments and runs instead"
        )
    run = given if isinstance(given, Run) else Run(given)
    if run.query_ids == tuple(queries):
        return run
    return Run({query: run.get(query, {}) for query in queries})


def _moved(results: Mapping[str, Result], runs: Mapping[str, Run], pair: tuple[str, str], k: int) -> dict[str, Moved] | None:
    """What is relevant to either system counts; it may differ where relevance was found out from texts."""
    judged = [results[name].relevant for name in pair if results[name].relevant]
    if not judged:
        return None
    a, b = (runs[name] for name in pair)
    relevant = {query: set[str]().union(*(known.get(query, {}) for known in judged)) for query in a}
    return moved_documents(a, b, relevant, k)
