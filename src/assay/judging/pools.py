"""Pool: the pairs that were drawn for judging, each with its probability, so that values can be estimated from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from assay.errors import BadParameter, UsageError
from assay.evaluation import Result
from assay.judging.design import DIFFERENCE, NOTHING, QUERIES, BoundDesign, Draw, Request, parse_design
from assay.judging.extension import check_extensible, extend_draw, extension_seed
from assay.judging.frame import Documents, Frame, frame_of, named_sources, ranked_documents
from assay.judging.layers import Grades
from assay.judging.linear import as_metric, is_linear
from assay.metrics import BoundMetric
from assay.model import Policy, fingerprint
from assay.text import counted

DEFAULT_PAIRS = 300
DEFAULT_DEPTH = 10


class PoolPair(NamedTuple):
    """A pair of query and document that could be drawn."""

    query: str
    document: str
    probability: float
    """The probability with which it was drawn, above 0 and at most 1."""
    place: int | None = None
    """Its place in the order of judging, from 0; None if it was not drawn."""


@dataclass(frozen=True)
class Pool:
    """All pairs that could be drawn, and those that were drawn. `drawn` has the pairs to judge, in the order of judging."""

    how: str
    """The design, as it is written: `spread`, `difference(a=bm25, b=dense)`."""
    seed: int
    metric: str
    """The metric that the weights of the pairs belong to."""
    depth: int
    """How many documents of each ranking could be drawn."""
    systems: tuple[str, ...]
    queries: tuple[str, ...]
    """All queries, also those without pairs."""
    pairs: tuple[PoolPair, ...]
    """All pairs with a probability above 0, sorted by query and document."""
    benchmark: str = ""
    is_complete: bool = False
    """Whether every pair within the depth was drawn."""
    judges: tuple[str, ...] = ()
    """The people who share the work; empty: everyone judges all pairs."""
    overlap: float = 0.0
    """The share of the work that goes to all judges, so that their agreement is known."""
    guidelines: str = ""
    """What judges read beside each pair; empty: the usual text."""
    extends: tuple[str, ...] = ()
    """The ids of the smaller pools whose drawn pairs are all part of this one, the first one first."""

    @cached_property
    def id(self) -> str:
        """The first characters of the fingerprint of the draw: equal draws have equal ids, whoever judges them."""
        settings = (self.how, str(self.seed), self.metric, str(self.depth), self.benchmark, str(self.is_complete))
        about = (*settings, "extends", *self.extends) if self.extends else settings
        rows = [about, self.systems, self.queries, *((*pair[:2], repr(pair[2]), str(pair[3])) for pair in self.pairs)]
        return fingerprint(rows)[:16]

    @property
    def design(self) -> BoundDesign:
        """The design with its parameters."""
        return parse_design(self.how)

    @property
    def unit(self) -> str:
        """What was drawn at random: pairs, queries, or pairs for a difference; empty if nothing can be estimated."""
        unit = self.design.unit
        return QUERIES if unit == NOTHING and self.is_complete else unit

    @cached_property
    def drawn(self) -> tuple[PoolPair, ...]:
        """The pairs to judge, in the order of judging."""
        chosen = [(pair.place, pair) for pair in self.pairs if pair.place is not None]
        return tuple(pair for _, pair in sorted(chosen))

    @cached_property
    def by_pair(self) -> Mapping[tuple[str, str], PoolPair]:
        """(query, document) → its pair."""
        return {(pair.query, pair.document): pair for pair in self.pairs}

    @cached_property
    def places(self) -> Mapping[tuple[str, str], int]:
        """(query, document) → the place of its pair in `pairs`."""
        return {(pair.query, pair.document): place for place, pair in enumerate(self.pairs)}

    @property
    def compared(self) -> tuple[str, str]:
        """The two systems of a pool that was drawn for their difference."""
        if self.unit != DIFFERENCE:
            raise UsageError(f"the pool was drawn with {self.how}, not for the difference of two systems")
        params = self.design.params
        return str(params["a"]), str(params["b"])

    def difference_outside(self, a: Any, b: Any) -> float:
        """The share of the documents that tell two systems apart that could not be drawn.

        For the rankings that the pool was drawn from, it is 0.
        """
        frame = frame_of({"a": a, "b": b}, pool_metric(self.metric, self.depth), self.depth)
        rows = np.flatnonzero(frame.weight[:, 0] != frame.weight[:, 1]).tolist()
        inside = [(frame.queries[frame.query[row]], frame.documents[row]) in self.by_pair for row in rows]
        return 1.0 - sum(inside) / len(inside) if inside else 0.0

    @property
    def n_expected(self) -> float:
        """The sum of all probabilities: the expected number of drawn pairs."""
        return float(sum(pair.probability for pair in self.pairs))

    def never_eligible(self, source: Any, k: int | None = None) -> float:
        """The share of the first k documents of a system (by default as deep as the pool) that could not be drawn.

        It is above 0 for a system that was not pooled. Such documents count as not relevant.
        """
        rule = (source.policy if isinstance(source, Result) else Policy()).rank_rule
        (named,) = named_sources({"": source}).values()
        return self.share_outside(ranked_documents(named, rule, k or self.depth))

    def share_outside(self, documents: Documents) -> float:
        """The share of the documents of all queries that could not be drawn; 0 without documents."""
        outside = [(query, doc) in self.by_pair for query in self.queries for doc in documents(query)]
        return 1.0 - sum(outside) / len(outside) if outside else 0.0

    def __repr__(self) -> str:
        pairs = f"{len(self.drawn):,} of {counted(len(self.pairs), 'pair')}"
        return f"Pool({self.how}: {pairs}, {counted(len(self.queries), 'query')}, seed {self.seed})"


def pool(
    results: Result | Sequence[Result] | Mapping[str, Any],
    pairs: int = DEFAULT_PAIRS,
    how: str = "spread",
    seed: int = 1,
    *,
    depth: int = DEFAULT_DEPTH,
    metric: str | BoundMetric | None = None,
    judged: Mapping[str, Mapping[str, float]] | None = None,
    queries: Iterable[str] = (),
    extends: Pool | None = None,
) -> Pool:
    """Draw pairs of query and document to judge, from results with rankings or from named runs.

    `how` is a design: `spread`, `whole`, `depth`, `move_to_front` or `difference(a, b)`. The pairs are among the first
    `depth` documents of each ranking. `metric` says what a pair is worth: precision at the depth, unless you name another
    linear metric. `judged` has the grades that are known already, for designs that use them. `queries` adds queries that no
    system has results for. The order of systems, queries and documents does not change the draw. `extends` is a smaller pool
    of the same rankings: all its drawn pairs stay, so its grades count, and all settings but `pairs` are those of it.
    """
    if extends is not None:
        check_extensible(extends, pairs)
        how = extends.design.design.name if extends.unit == QUERIES else extends.how
        seed, depth, metric, queries = extends.seed, extends.depth, extends.metric, extends.queries
    for label, value, least in (("pairs", pairs, 1), ("depth", depth, 1), ("seed", seed, 0)):
        _check_whole(label, value, least)
    design, bound = parse_design(how), pool_metric(metric, depth)
    if parse_design(design.name) != design:
        raise BadParameter(f"{how}: a name with commas, quotes or brackets cannot be part of a design. Rename the system")
    return _drawn(named_sources(results), design, bound, depth, queries, (pairs, seed, judged or {}), extends)


def _drawn(
    sources: Mapping[str, Any],
    design: BoundDesign,
    metric: BoundMetric,
    depth: int,
    queries: Iterable[str],
    request: tuple[int, int, Grades],
    extends: Pool | None,
) -> Pool:
    """The pool of a design; `request` has the number of pairs, the seed, and the grades that are known."""
    pairs, seed, judged = request
    frame = frame_of(sources, metric, depth, list(queries))
    if not frame.n_pairs:
        raise UsageError("no system has results, so there is nothing to judge")
    draw = design.draw(frame, Request(pairs, np.random.default_rng(seed), judged))
    if extends is not None:
        draw = extend_draw(frame, extends, draw, np.random.default_rng(extension_seed(extends)))
    return Pool(
        design.name,
        seed,
        metric.name,
        depth,
        frame.systems,
        frame.queries,
        _pairs(frame, draw),
        benchmark=_benchmark_of(sources),
        is_complete=len(draw.order) == frame.n_pairs,
        extends=() if extends is None else (*extends.extends, extends.id),
    )


def _pairs(frame: Frame, draw: Draw) -> tuple[PoolPair, ...]:
    """The pairs that could be drawn, with their places in the order of judging."""
    places = {row: place for place, row in enumerate(draw.order.tolist())}
    rows = zip(frame.query.tolist(), frame.documents, draw.probability.tolist(), strict=True)
    return tuple(
        PoolPair(frame.queries[query], document, probability, places.get(row))
        for row, (query, document, probability) in enumerate(rows)
        if probability > 0
    )


def _benchmark_of(sources: Mapping[str, Any]) -> str:
    """The benchmark of the results; empty if it is unknown."""
    benchmarks = {source.benchmark for source in sources.values() if isinstance(source, Result) and source.benchmark}
    if len(benchmarks) > 1:
        raise UsageError(f"the results are on different benchmarks: {', '.join(sorted(benchmarks))}. Draw one pool for each")
    return next(iter(benchmarks), "")


def pool_metric(metric: str | BoundMetric | None, depth: int) -> BoundMetric:
    """The metric that says what a pair is worth; an error if it is not linear."""
    bound = as_metric(metric or f"precision@{depth}")
    if not is_linear(bound):
        raise BadParameter(
            f"{bound.name} cannot weigh single pairs, because it is not a sum over documents. Use precision@k, dcg@k or rbp"
        )
    return bound


def _check_whole(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise BadParameter(f"{name} must be a whole number of at least {least}, not {value!r}")
