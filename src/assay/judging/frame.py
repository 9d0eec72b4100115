"""Frame: the pairs of query and document that can be drawn for judging, with their ranks in each system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from assay.arrays import Floats, Ints
from assay.errors import DataError, UsageError
from assay.evaluation import Result
from assay.judging.linear import worth_of_ranks
from assay.metrics import BoundMetric
from assay.model import Policy, RankRule, Run
from assay.text import some_of

Documents = Callable[[str], Sequence[str]]
"""Query → its documents, best first."""
Source = Result | Mapping[str, Any] | Any
"""A result with rankings, or anything that a run is read from."""


@dataclass(frozen=True)
class Frame:
    """Pairs of query and document, sorted, and what each is worth to each system."""

    systems: tuple[str, ...]
    queries: tuple[str, ...]
    query: Ints
    """For each pair: the place of its query."""
    documents: tuple[str, ...]
    """For each pair: its document."""
    rank: Ints
    """Pairs × systems: the rank of the document; 0 if it is not among the first documents of the system."""
    metric: BoundMetric
    depth: int

    @property
    def n_pairs(self) -> int:
        """The number of pairs."""
        return len(self.documents)

    @cached_property
    def weight(self) -> Floats:
        """Pairs × systems: the largest contribution that a pair can make to the metric of a system."""
        return worth_of_ranks(self.metric, self.depth)[self.rank]

    @property
    def shares_alone(self) -> Mapping[str, float]:
        """System → the share of its documents that no other system has: what could not be drawn if it were not pooled."""
        has = self.rank > 0
        alone = has & (has.sum(axis=1, keepdims=True) == 1)
        counts = zip(self.systems, alone.sum(axis=0).tolist(), has.sum(axis=0).tolist(), strict=True)
        return {name: n_alone / n if n else 0.0 for name, n_alone, n in counts}

    def place_of(self, system: str) -> int:
        """The position of a system."""
        if system not in self.systems:
            raise UsageError(f"no system is called {system!r} (choose from {', '.join(self.systems)})")
        return self.systems.index(system)


def ranked_documents(source: Source, rule: RankRule, depth: int | None) -> Documents:
    """A function that returns the first documents of a query, in the order of the rule."""
    if isinstance(source, Result) and source.grader is not None:
        documents = source.grader.documents(rule, depth)
        return lambda query: documents(query, depth)
    run = _run_of(source)
    run = run.without_self() if rule.drop_self else run
    most = min((n for n in (depth, rule.depth) if n is not None), default=None)
    return lambda query: run.in_order(run.numbers[query], rule)[:most] if query in run.numbers else []


def _run_of(source: Source) -> Run:
    if isinstance(source, Run):
        return source
    if not isinstance(source, Result):
        return Run(source)
    if not source.run:
        raise DataError(
            "the result has no rankings, so no pairs can be drawn from it. Use a result of assay eval, or pass the runs",
            source=source.name or "a result",
        )
    return Run({query: dict(source.run[query]) for query in source.run})


def queries_of(source: Source) -> Iterable[str]:
    """The queries of a system."""
    if isinstance(source, Result):
        return dict.fromkeys((*source.query_ids, *source.run))
    return source.query_ids if isinstance(source, Run) else Run(source).query_ids


def named_sources(results: Any) -> dict[str, Source]:
    """System → its result or run, sorted by name."""
    if isinstance(results, Result):
        results = [results]
    if not isinstance(results, Mapping):
        results = list(results)
        if not all(isinstance(result, Result) for result in results):
            raise UsageError("runs must have names, as in {'bm25': run, 'dense': other}")
        names = [result.name or "run" for result in results]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise UsageError(f"two systems are called {some_of(twice)}. Give each its own name: result.renamed('new')")
        results = dict(zip(names, results, strict=True))
    if not results:
        raise UsageError("a pool needs at least one system")
    return {
        str(name): source if isinstance(source, Result | Run) else Run(source) for name, source in sorted(results.items())
    }


def frame_of(results: Any, metric: BoundMetric, depth: int, queries: Sequence[str] | None = None) -> Frame:
    """The pairs among the first `depth` documents of several systems; `queries` are all queries, also empty ones."""
    sources = named_sources(results)
    every = set(queries or ()) | {query for source in sources.values() for query in queries_of(source)}
    ids = tuple(sorted(every))
    numbers = {query: place for place, query in enumerate(ids)}
    ranks: dict[tuple[int, str], dict[int, int]] = {}
    for system, source in enumerate(sources.values()):
        rule = (source.policy if isinstance(source, Result) else Policy()).rank_rule
        documents = ranked_documents(source, rule, depth)
        for query in ids:
            for rank, document in enumerate(documents(query), 1):
                ranks.setdefault((numbers[query], document), {})[system] = rank
    pairs = sorted(ranks)
    table = np.zeros((len(pairs), len(sources)), dtype=np.int64)
    for row, pair in enumerate(pairs):
        table[row, list(ranks[pair])] = list(ranks[pair].values())
    places = np.array([place for place, _ in pairs], dtype=np.int64)
    return Frame(tuple(sources), ids, places, tuple(document for _, document in pairs), table, metric, depth)
