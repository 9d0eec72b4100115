"""Parts of a result: its scores, the evidence for them, and how they were computed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypedDict, TypeVar

import numpy as np

from assay.arrays import Floats
from assay.evaluation.bands import Band
from assay.evaluation.grader import Grader
from assay.evaluation.profile import Setting
from assay.metrics import BoundMetric
from assay.model import Column, Exposure, Policy, Qrels, Query, ScoreTable
from assay.serialize import to_json

T = TypeVar("T")
ROWS_ARE = "rows_are"
"""The key of the provenance that says what the rows of a table are, if they are not queries."""
QUERY = "query"
OF_ALL_QUERIES: dict[str, Any] = {"intervals": {}, "tie_bands": {}, "residuals": {}}
"""Fields that are valid only for all queries together, and their empty values."""


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of each query by each metric, and what is known about the metrics."""

    table: ScoreTable
    metrics: tuple[BoundMetric, ...]
    counts: Mapping[str, int]
    missing: tuple[str, ...] = ()
    settings: tuple[Setting, ...] = ()
    beside: tuple[str, ...] = ()
    intervals: Mapping[str, Confidence] = field(default_factory=dict)
    tie_bands: Mapping[str, Band] = field(default_factory=dict)
    residuals: Mapping[str, Band] = field(default_factory=dict)
    repeats: Mapping[str, Floats] = field(default_factory=dict)
    """Metric → queries × repeats, if each query was sent several times; the table has the means."""

    def of_metrics(self, names: Sequence[str]) -> Scores:
        """The scores by these metrics, in this order."""
        metrics = {metric.name: metric for metric in self.metrics}
        return replace(
            self,
            table=replace(self.table, columns={name: self.table.columns[name] for name in names}),
            metrics=tuple(metrics[name] for name in names if name in metrics),
            settings=tuple(setting for setting in self.settings if setting.metric.name in names),
            beside=tuple(name for name in self.beside if name in names),
            intervals=_chosen(self.intervals, names),
            tie_bands=_chosen(self.tie_bands, names),
            residuals=_chosen(self.residuals, names),
            repeats=_chosen(self.repeats, names),
        )

    def of_queries(self, queries: Sequence[str]) -> Scores:
        """The scores of these queries, in this order, without intervals and bands, which are about all queries."""
        place = {query: number for number, query in enumerate(self.table.query_ids)}
        order = np.array([place[query] for query in queries], dtype=np.int64)
        table, repeats = self.table.take(order), {name: scores[order] for name, scores in self.repeats.items()}
        if len(queries) == len(place):
            return replace(self, table=table, repeats=repeats)
        inside = set(queries)
        return replace(
            self,
            table=table,
            repeats=repeats,
            counts={**self.counts, "scored": len(queries)},
            missing=tuple(query for query in self.missing if query in inside),
            **OF_ALL_QUERIES,
        )

    def joined(self, other: Scores) -> Scores:
        """These scores with the metrics of other scores of the same queries added. If both have a metric, these win."""
        asked = {metric.name for metric in other.metrics} - set(other.beside)
        return replace(
            self,
            table=ScoreTable(self.table.query_ids, {**self.table.columns, **other.table.columns, **self.table.columns}),
            metrics=(*self.metrics, *(metric for metric in other.metrics if metric.name not in self.table.columns)),
            settings=(*self.settings, *(setting for setting in other.settings if setting not in self.settings)),
            beside=tuple(name for name in dict.fromkeys((*self.beside, *other.beside)) if name not in asked),
            intervals={**other.intervals, **self.intervals},
            tie_bands={**other.tie_bands, **self.tie_bands},
            residuals={**other.residuals, **self.residuals},
            repeats={**other.repeats, **self.repeats},
        )

    @classmethod
    def stacked(cls, parts: Sequence[tuple[str, Scores]]) -> Scores:
        """The scores of several benchmarks, or of parts of one, in one table, with the metrics that all of them have."""
        every = [scores for _, scores in parts]
        names = [name for name in every[0].table.columns if all(name in scores.table.columns for scores in every)]
        columns = {name: _stacked_column([scores.table.columns[name] for scores in every]) for name in names}
        query_ids = tuple(qualified(name, query) for name, scores in parts for query in scores.table.query_ids)
        return replace(
            every[0].of_metrics(names),
            table=ScoreTable(query_ids, columns),
            repeats=_stacked_repeats([scores.repeats for scores in every]),
            counts={name: sum(scores.counts.get(name, 0) for scores in every) for name in every[0].counts},
            missing=tuple(qualified(name, query) for name, scores in parts for query in scores.missing),
            **OF_ALL_QUERIES,
        )


def _chosen(by_metric: Mapping[str, T], names: Collection[str]) -> dict[str, T]:
    return {name: value for name, value in by_metric.items() if name in names}


def _stacked_column(columns: Sequence[Column]) -> Column:
    weights = [column.weight for column in columns]
    is_of_lists = columns[0].aggregation.figure is not None and all(column.is_composed for column in columns)
    weight = Exposure.stacked(weights) if is_of_lists else np.concatenate(weights)
    return Column(np.concatenate([column.score for column in columns]), weight, columns[0].aggregation)


def _stacked_repeats(parts: Sequence[Mapping[str, Floats]]) -> dict[str, Floats]:
    """The repeats of several benchmarks, if all were repeated; nan if some queries were sent less often."""
    shared = [name for name in parts[0] if all(name in part for part in parts)]
    most = max((part[name].shape[1] for part in parts for name in shared), default=0)
    return {name: np.concatenate([_widened(part[name], most) for part in parts]) for name in shared}


def _widened(scores: Floats, n_repeats: int) -> Floats:
    return np.pad(scores, ((0, 0), (0, n_repeats - scores.shape[1])), constant_values=np.nan)


def qualified(benchmark: str, query: str) -> str:
    """The id of a query in a result over several benchmarks; without a benchmark, its own id."""
    return f"{benchmark}/{query}" if benchmark else query


def _qualified_keys(benchmark: str, by_query: Mapping[str, T]) -> dict[str, T]:
    return {qualified(benchmark, query): by_query[query] for query in by_query}


@dataclass(frozen=True, eq=False)
class Evidence:
    """What was retrieved, judged and reported for each query; empty if it was not stored."""

    run: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    relevant: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    nonrelevant: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    said: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    queries: Mapping[str, Query] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)
    reruns: Mapping[str, Sequence[Mapping[str, float]]] = field(default_factory=dict)
    """Query → its further rankings, if it was sent several times; `run` has the first ranking."""
    grader: Grader | None = None

    def of_queries(self, queries: Sequence[str]) -> Evidence:
        """The evidence for these queries, without the grader, which is about all queries."""
        by_query: dict[str, Any] = {name: MappingPart.of(mapping, queries) for name, mapping in self._by_query().items()}
        return Evidence(**by_query)

    def qualified(self, benchmark: str, query_ids: Sequence[str]) -> Evidence:
        """The evidence for these queries with the benchmark in their ids and as a tag.

        Documents that are judged non-relevant are left out.
        """
        by_query = {**self._by_query(), "nonrelevant": {}, "relevant": MappingPart.of(self.relevant, query_ids)}
        by_query["queries"] = {query: self._tagged(query, benchmark) for query in query_ids}
        named: dict[str, Any] = {name: _qualified_keys(benchmark, mapping) for name, mapping in by_query.items()}
        return Evidence(**named)

    @classmethod
    def stacked(cls, parts: Sequence[Evidence]) -> Evidence:
        """The evidence of several parts, which have different queries, in one."""
        by_query: dict[str, Any] = {}
        for part in parts:
            for name, mapping in part._by_query().items():
                by_query.setdefault(name, {}).update(mapping)
        return cls(**by_query)

    def _tagged(self, query: str, benchmark: str) -> Query:
        known = self.queries.get(query, Query(query))
        tags = {**(known.metadata or {}), "benchmark": benchmark}
        return replace(known, query_id=qualified(benchmark, query), metadata=tags)

    def _by_query(self) -> dict[str, Mapping[str, Any]]:
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "grader"}


@dataclass(frozen=True, eq=False)
class Provenance:
    """How the scores were computed."""

    policy: Policy
    profile: str = ""
    relevance: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    recorded: Mapping[str, str] = field(default_factory=dict)

    def of_queries(self, queries: Sequence[str]) -> Provenance:
        """The same for these queries, without fingerprints, which are about all data."""
        final = {"final": [query for query in self.provenance.get("final", ()) if query in set(queries)]}
        provenance = {**self.provenance, **final} if "final" in self.provenance else self.provenance
        return replace(self, provenance=provenance, recorded={})


class ResultFields(TypedDict, total=False):
    """The fields of a result and of its parts, as keywords."""

    name: str
    benchmark: str
    all_scores: Scores
    evidence: Evidence
    origin: Provenance
    table: ScoreTable
    metrics: tuple[BoundMetric, ...]
    counts: Mapping[str, int]
    missing: tuple[str, ...]
    settings: tuple[Setting, ...]
    beside: tuple[str, ...]
    intervals: Mapping[str, Confidence]
    tie_bands: Mapping[str, Band]
    residuals: Mapping[str, Band]
    repeats: Mapping[str, Floats]
    run: Mapping[str, Mapping[str, float]]
    relevant: Mapping[str, Mapping[str, float]]
    nonrelevant: Mapping[str, Mapping[str, float]]
    said: Mapping[str, Mapping[str, Any]]
    queries: Mapping[str, Query]
    failures: Mapping[str, str]
    reruns: Mapping[str, Sequence[Mapping[str, float]]]
    grader: Grader | None
    policy: Policy
    profile: str
    relevance: Mapping[str, Any]
    notes: tuple[str, ...]
    provenance: Mapping[str, Any]
    recorded: Mapping[str, str]


@dataclass(frozen=True)
class Confidence:
    """A confidence interval: over repeated samples of such queries, it contains the true mean as often as the level says."""

    low: float
    high: float
    level: float
    method: str
    cluster: str = ""
    """The tag whose values are the clusters that vary; empty if queries vary."""
    n_clusters: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; an unknown end is None. Clusters are left out if there are none."""
        plain: dict[str, Any] = to_json(self)
        return plain if self.cluster else {name: plain[name] for name in ("low", "high", "level", "method")}


@dataclass(frozen=True, eq=False)
class MappingPart(Mapping[str, T]):
    """Some keys of a mapping. The mapping is read only when a key is used."""

    whole: Mapping[str, T]
    keys_inside: Mapping[str, None]

    @classmethod
    def of(cls, mapping: Mapping[str, T], keys: Sequence[str]) -> Mapping[str, T]:
        """The part of a mapping with these keys, in this order; keys that it does not have are left out."""
        if isinstance(mapping, MappingPart):
            return cls(mapping.whole, {key: None for key in keys if key in mapping.keys_inside})
        return cls(mapping, dict.fromkeys(keys))

    def __getitem__(self, key: str) -> T:
        if key not in self.keys_inside:
            raise KeyError(key)
        return self.whole[key]

    def __iter__(self) -> Iterator[str]:
        return (key for key in self.keys_inside if key in self.whole)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, key: object) -> bool:
        return key in self.keys_inside and key in self.whole

    def __repr__(self) -> str:
        return repr(dict(self))


@dataclass(frozen=True)
class RelevantDocuments(Mapping[str, Mapping[str, float]]):
    """Query → relevant (or non-relevant) document → grade, best first. Documents are looked up on use."""

    qrels: Qrels
    level: float | None
    """The lowest grade that is relevant; None: any grade above 0."""
    is_relevant: bool = True
    """Whether to return relevant documents; else the documents that are judged non-relevant."""

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
