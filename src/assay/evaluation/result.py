"""Result: the scores of one run, how they came about, and their summary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.errors import UnknownName, UsageError
from assay.evaluation.bands import Band, tie_report
from assay.evaluation.grader import Grader
from assay.evaluation.profile import Setting
from assay.metrics import BoundMetric, find_metric
from assay.model import Column, Policy, Qrels, Query, ScoreTable
from assay.serialize import to_json
from assay.text import counted


@dataclass(frozen=True, eq=False)
class Result:
    """`result["ndcg@10"]` is the summary; `result.scores("ndcg@10")` the score of each query.

    Any spelling of a metric works as a key.
    """

    name: str
    table: ScoreTable
    metrics: tuple[BoundMetric, ...]
    counts: Mapping[str, int]
    policy: Policy
    missing: tuple[str, ...] = ()
    """Judged queries that the run does not have."""
    notes: tuple[str, ...] = field(default=())
    """What a careful reader should know."""
    profile: str = ""
    """The tool whose conventions were followed, if any."""
    settings: tuple[Setting, ...] = field(default=(), repr=False)
    """How each metric was asked for and scored."""
    tie_bands: Mapping[str, Band] = field(default_factory=dict, repr=False)
    """Metric → its lowest, mean and highest scores over all orders of tied documents."""
    residuals: Mapping[str, Band] = field(default_factory=dict, repr=False)
    """Metric → its scores if unjudged documents were not relevant, and if they were."""
    relevance: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Where grades came from, if not from judgments alone: the resolvers used, and for how many queries."""
    intervals: Mapping[str, Confidence] = field(default_factory=dict, repr=False)
    """Metric → where its true figure may lie; see `with_intervals`."""
    queries: Mapping[str, Query] = field(default_factory=dict, repr=False)
    """The queries in words and with their tags, where a benchmark has them."""
    beside: tuple[str, ...] = ()
    """Metrics that nobody asked for: they help to read the others."""
    benchmark: str = ""
    """The benchmark it is about, where a provider was run on one."""
    failures: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Query → why the provider failed on it; such a query scores 0."""
    run: Mapping[str, Mapping[str, float]] = field(default_factory=dict, repr=False)
    """What the provider retrieved: query → document → score."""
    said: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    """What the provider said beside what it retrieved: query → its answer in words, its route; nothing where it did not."""
    provenance: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Everything the result rests on: dataset, provider, versions, times, counts."""
    grader: Grader | None = field(default=None, repr=False)
    """What was scored; none where the result was read from a file."""
    relevant: Mapping[str, Mapping[str, float]] = field(default_factory=dict, repr=False)
    """Query → its relevant documents with their grades, best first; nothing where nobody knows them."""
    nonrelevant: Mapping[str, Mapping[str, float]] = field(default_factory=dict, repr=False)
    """Query → documents that were judged and are not relevant; what was read from a file has those that were retrieved."""
    recorded: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Fingerprints of a result that was read from a file."""

    @cached_property
    def summary(self) -> dict[str, float]:
        """Metric → its figure over all scored queries."""
        return self.table.summary()

    @cached_property
    def ties(self) -> dict[str, Any]:
        """How many queries have ties that change a score; nothing where the result was read from a file."""
        return tie_report(self.grader, self.settings) if self.grader else {}

    @property
    def policies(self) -> dict[str, Policy]:
        """Metric → the policy it was scored under; they differ where a profile says so."""
        return {setting.metric.name: setting.policy for setting in self.settings}

    @cached_property
    def fingerprints(self) -> dict[str, str]:
        """Of the judgments and of the rankings: equal where the data are."""
        return self.grader.fingerprints() if self.grader else dict(self.recorded)

    @property
    def has_shared_times(self) -> bool:
        """Whether queries were answered together: then each has its share of the time, and nobody timed it alone."""
        times = self.provenance.get("latency_ms") or {}
        if "mean" in times:
            return "p50" not in times
        return self.grader is not None and self.grader.has_shared_times

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The scored queries, in the order of `array`."""
        return self.table.query_ids

    def __getitem__(self, metric: str) -> float:
        name = self.own_name(metric)
        if name not in self.summary:
            raise UsageError(f"{name} is text and has no summary; scores({name!r}) has it for each query")
        return self.summary[name]

    def __contains__(self, metric: object) -> bool:
        try:
            return self.own_name(metric) in self.table.columns
        except UsageError:
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(self.table.columns)

    def scores(self, metric: str) -> dict[str, Any]:
        """Query id → score."""
        return dict(zip(self.query_ids, self.array(metric).tolist(), strict=True))

    def array(self, metric: str) -> NDArray[Any]:
        """Scores aligned with `query_ids`; a copy, yours to change."""
        return np.array(self._column(metric).score)

    def sorted_by(self, metric: str) -> Result:
        """The same result with its queries in order of a metric, best first."""
        name = self.own_name(metric)
        if name not in self.summary:
            raise UsageError(f"{name} is text, which has no best")
        scores = self.table.columns[name].score
        direction = next(bound for bound in self.metrics if bound.name == name).metric.higher_is_better
        order = np.argsort(-scores if direction else scores, kind="stable")
        return replace(self, table=self.table.take(order))

    def to_dict(self, *, per_query: bool = True) -> dict[str, Any]:
        """Plain JSON values, as `--format json` writes them. A summary over no query at all is None."""
        plain: dict[str, Any] = {
            "name": self.name,
            "summary": to_json(self.summary),
            "counts": dict(self.counts),
            "policy": self.policy.to_dict(),
            "missing": list(self.missing),
            "notes": list(self.notes),
        }
        if self.profile:
            plain["profile"] = self.profile
            plain["policies"] = {name: policy.changes(self.policy) for name, policy in self.policies.items()}
        for name, bands in (("tie_bands", self.tie_bands), ("residuals", self.residuals)):
            if bands:
                plain[name] = {metric: band.summary() for metric, band in bands.items()}
        plain |= {name: value for name, value in self._further().items() if value}
        plain["fingerprints"] = dict(self.fingerprints)
        if per_query:
            plain["per_query"] = self.table.by_query()
            if self.queries:
                plain["queries"] = {name: {"text": query.text, "tags": query.tags} for name, query in self.queries.items()}
        if self.run:
            plain["run"] = {query: dict(ranking) for query, ranking in self.run.items()}
            plain["relevant"] = {query: dict(self.relevant[query]) for query in self.query_ids if query in self.relevant}
        if judged := retrieved_nonrelevant(self):
            plain["nonrelevant"] = judged
        if self.said:
            plain["said"] = {query: dict(fields) for query, fields in self.said.items()}
        return plain

    def _further(self) -> dict[str, Any]:
        """What a result may have or not."""
        return {
            "intervals": {name: interval.to_dict() for name, interval in self.intervals.items()},
            "beside": list(self.beside),
            "benchmark": self.benchmark,
            "ties": dict(self.ties),
            "relevance": dict(self.relevance),
            "failures": dict(self.failures),
            "provenance": dict(self.provenance),
            "own_metrics": {
                metric.name: {"higher_is_better": metric.metric.higher_is_better}
                for metric in self.metrics
                if metric.metric.is_own
            },
            "made_of": {name: parts for name, column in self.table.columns.items() if (parts := column.parts())},
        }

    def own_name(self, metric: Any) -> str:
        """The column a spelling stands for; a metric that is not in the catalog goes by its own name."""
        name = metric.name if isinstance(metric, BoundMetric) else metric
        if name not in self.table.columns:
            name = find_metric(metric, self.profile).name
            name = next(
                (setting.metric.name for setting in self.settings if name in (setting.asked.name, *setting.also_asked)), name
            )
        if name not in self.table.columns:
            raise UnknownName("metric", metric, hint=f"it has {', '.join(self.table.columns)}", owner="this result")
        return str(name)

    def __repr__(self) -> str:
        shapes = {name: ".0f" if column.aggregation.is_total else ".4f" for name, column in self.table.columns.items()}
        figures = ", ".join(f"{name}={value:{shapes[name]}}" for name, value in self.summary.items())
        return f"Result({self.name or 'run'}: {figures}; {counted(len(self.query_ids), 'query')})"

    def _column(self, metric: str) -> Column:
        return self.table.columns[self.own_name(metric)]


def subset_of(result: Result, queries: Sequence[str], metrics: Sequence[BoundMetric]) -> Result:
    """The result over these queries in this order; queries that it has not scored are left out."""
    places = {query: number for number, query in enumerate(result.query_ids)}
    kept_queries = tuple(query for query in queries if query in places)
    table = result.table.take(np.array([places[query] for query in kept_queries], dtype=np.int64))
    columns = {metric.name: table.columns[metric.name] for metric in metrics}
    subset = replace(result, table=replace(table, columns=columns), metrics=tuple(metrics))
    return (
        subset
        if set(kept_queries) == set(places)
        else replace(subset, **_fields_of_queries(result, kept_queries), **_OF_ALL_QUERIES)
    )


_OF_ALL_QUERIES: dict[str, Any] = {"intervals": {}, "tie_bands": {}, "residuals": {}, "grader": None, "recorded": {}}
"""What a result knows only about all of its queries together."""


def _fields_of_queries(result: Result, queries: Sequence[str]) -> dict[str, Any]:
    """What a result knows about each query by itself, of these alone."""
    inside = set(queries)
    return {
        "counts": {**result.counts, "scored": len(queries)},
        "missing": tuple(query for query in result.missing if query in inside),
        "failures": {query: why for query, why in result.failures.items() if query in inside},
        "run": {query: result.run[query] for query in queries if query in result.run},
    }


BENCHMARK = "benchmark"


def merge_benchmarks(results: Sequence[Result]) -> list[Result]:
    """One result for each system, over the queries of all its benchmarks; the same results where there is only one.

    Queries are then called `benchmark/query`, and their benchmark is a tag. Only metrics of all benchmarks are kept.
    """
    if len({result.benchmark for result in results}) < 2:
        return list(results)
    by_name: dict[str, list[Result]] = {}
    for result in results:
        by_name.setdefault(result.name, []).append(result)
    return [_merge(same) for same in by_name.values()]


def _merge(results: Sequence[Result]) -> Result:
    first = results[0]
    names = [name for name in first.table.columns if all(name in result.table.columns for result in results)]
    query_ids = tuple(_qualified_id(result, query) for result in results for query in result.query_ids)
    columns = {name: _stack_columns([result.table.columns[name] for result in results]) for name in names}
    queries = {
        _qualified_id(result, query): _tagged_query(result, query) for result in results for query in result.query_ids
    }
    everywhere: dict[str, Any] = {
        "missing": tuple(_qualified_id(result, query) for result in results for query in result.missing),
        "failures": {_qualified_id(result, query): why for result in results for query, why in result.failures.items()},
        "provenance": _times([result for result in results if result.has_shared_times]),
        "relevant": {
            _qualified_id(result, query): result.relevant[query]
            for result in results
            for query in result.query_ids
            if query in result.relevant
        },
        "run": {_qualified_id(result, query): ranking for result in results for query, ranking in result.run.items()},
        "counts": _sum_counts([result.counts for result in results]),
        "notes": tuple(dict.fromkeys(note for result in results for note in result.notes)),
    }
    return replace(
        first,
        benchmark="",
        table=ScoreTable(query_ids, columns),
        metrics=tuple(metric for metric in first.metrics if metric.name in names),
        queries=queries,
        **everywhere,
        **_OF_ONE_BENCHMARK,
    )


_OF_ONE_BENCHMARK: dict[str, Any] = {
    **{name: {} for name in ("intervals", "tie_bands", "residuals", "relevance", "recorded", "nonrelevant")},
    "grader": None,
}
"""What a result knows only about its own benchmark."""


def _times(shared: Sequence[Result]) -> dict[str, Any]:
    """That queries were answered together on some benchmark; nothing where they were not."""
    return {"latency_ms": shared[0].provenance["latency_ms"]} if shared else {}


def _qualified_id(result: Result, query: str) -> str:
    return f"{result.benchmark}/{query}"


def _tagged_query(result: Result, query: str) -> Query:
    """The query with its benchmark as a tag."""
    known = result.queries.get(query, Query(query))
    return replace(
        known, query_id=_qualified_id(result, query), metadata={**(known.metadata or {}), BENCHMARK: result.benchmark}
    )


def _stack_columns(columns: Sequence[Column]) -> Column:
    score, weight = (np.concatenate([getattr(column, name) for column in columns]) for name in ("score", "weight"))
    return Column(score, weight, columns[0].aggregation)


def _sum_counts(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    return {name: sum(counted.get(name, 0) for counted in counts) for name in counts[0]}


@dataclass(frozen=True)
class Confidence:
    """An interval: with other queries of the same kind, the figure would lie in it as often as the level says."""

    low: float
    high: float
    level: float
    method: str

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; None for an end that nobody knows."""
        return to_json(self)


@dataclass(frozen=True)
class RelevantDocuments(Mapping[str, Mapping[str, float]]):
    """Query → relevant document → grade, best first; or those that are not. Nothing is looked up before somebody asks."""

    qrels: Qrels
    level: float | None
    """Lowest grade that counts; None for any above 0."""
    is_relevant: bool = True
    """Whether documents that count are wanted; else those that were judged and do not."""

    def __getitem__(self, query: str) -> dict[str, float]:
        level = self.level
        grades = {
            doc: grade
            for doc, grade in self.qrels[query].items()
            if (grade > 0 if level is None else grade >= level) == self.is_relevant
        }
        return dict(sorted(grades.items(), key=lambda pair: -pair[1]))

    def __iter__(self) -> Iterator[str]:
        return iter(self.qrels)

    def __len__(self) -> int:
        return len(self.qrels)

    def __contains__(self, query: object) -> bool:
        return query in self.qrels


class Judged(Protocol):
    """What a result says about judged documents."""

    @property
    def run(self) -> Mapping[str, Mapping[str, float]]:
        """What was retrieved."""

    @property
    def nonrelevant(self) -> Mapping[str, Mapping[str, float]]:
        """What was judged and is not relevant."""

    @property
    def relevance(self) -> Mapping[str, Any]:
        """How relevance was decided."""


def retrieved_nonrelevant(result: Judged) -> dict[str, dict[str, float]]:
    """Query → retrieved documents that were judged and are not relevant; what nobody judged is not among them.

    Where relevance is decided by texts or spans nobody judged documents, and all that is not relevant would be listed.
    """
    if result.relevance.get("strategy_used", "qrels") != "qrels" or not result.nonrelevant:
        return {}
    retrieved = {}
    for query, ranking in result.run.items():
        judged = result.nonrelevant.get(query, {})
        if inside := {doc: grade for doc, grade in judged.items() if doc in ranking}:
            retrieved[query] = inside
    return retrieved
