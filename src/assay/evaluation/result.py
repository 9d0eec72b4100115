"""Result: the scores of one run, how they came about, and their summary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.errors import UnknownName, UsageError
from assay.evaluation.bands import Band, tie_report
from assay.evaluation.grader import Grader
from assay.evaluation.profile import Setting
from assay.evaluation.result_parts import Confidence, Evidence, Provenance, Scores
from assay.metrics import BoundMetric, find_metric
from assay.model import Column, Policy, Query, ScoreTable
from assay.serialize import to_json
from assay.text import counted


@dataclass(frozen=True, eq=False)
class Result:
    """`result["ndcg@10"]` is the summary; `result.scores("ndcg@10")` the score of each query.

    Any spelling of a metric works as a key.
    """

    name: str
    all_scores: Scores = field(repr=False)
    origin: Provenance = field(repr=False)
    evidence: Evidence = field(default_factory=Evidence, repr=False)
    benchmark: str = ""
    """The benchmark it is about, where a provider was run on one."""

    def with_fields(self, **values: Any) -> Result:
        """The result with other values of some fields, each under the name of its attribute."""
        by_part: dict[str, dict[str, Any]] = {}
        for name, value in values.items():
            by_part.setdefault(PART_OF_FIELD.get(name, ""), {})[name] = value
        own = by_part.pop("", {})
        return replace(self, **own, **{part: replace(getattr(self, part), **some) for part, some in by_part.items()})

    def renamed(self, name: str) -> Result:
        """The same result under another name."""
        return replace(self, name=name)

    def subset(self, *, queries: Sequence[str] | None = None, metrics: Sequence[str | BoundMetric] | None = None) -> Result:
        """The result over these queries and metrics, in this order; queries that it has not scored are left out."""
        result = self
        if metrics is not None:
            names = list(dict.fromkeys(map(self.own_name, metrics)))
            result = replace(result, all_scores=result.all_scores.of_metrics(names))
        if queries is None:
            return result
        scored = set(self.query_ids)
        inside = [query for query in dict.fromkeys(queries) if query in scored]
        scores = result.all_scores.of_queries(inside)
        if len(inside) == len(scored):
            return replace(result, all_scores=scores)
        return replace(
            result, all_scores=scores, evidence=self.evidence.of_queries(inside), origin=self.origin.of_queries(inside)
        )

    def merge(self, *others: Result) -> Result:
        """One result over the queries of several benchmarks, which are then called `benchmark/query`.

        Only metrics of all of them are kept, and nothing that holds for one benchmark alone.
        """
        results = (self, *others)
        evidence = [result.evidence.qualified(result.benchmark, result.query_ids) for result in results]
        shared_times = [result.provenance.get("latency_ms", {"mean": None}) for result in results if result.has_shared_times]
        notes = dict.fromkeys(note for result in results for note in result.notes)
        origin = Provenance(
            self.policy,
            self.profile,
            notes=tuple(notes),
            provenance={"latency_ms": shared_times[0]} if shared_times else {},
        )
        scores = Scores.stacked([(result.benchmark, result.all_scores) for result in results])
        return replace(self, benchmark="", all_scores=scores, evidence=Evidence.stacked(evidence), origin=origin)

    @property
    def table(self) -> ScoreTable:
        """Query × metric."""
        return self.all_scores.table

    @property
    def metrics(self) -> tuple[BoundMetric, ...]:
        """What was scored, in the order of the table."""
        return self.all_scores.metrics

    @property
    def counts(self) -> Mapping[str, int]:
        """How many queries were judged, scored, missing."""
        return self.all_scores.counts

    @property
    def missing(self) -> tuple[str, ...]:
        """Judged queries that the run does not have."""
        return self.all_scores.missing

    @property
    def settings(self) -> tuple[Setting, ...]:
        """How each metric was asked for and scored."""
        return self.all_scores.settings

    @property
    def beside(self) -> tuple[str, ...]:
        """Metrics that nobody asked for: they help to read the others."""
        return self.all_scores.beside

    @property
    def intervals(self) -> Mapping[str, Confidence]:
        """Metric → where its true figure may lie; see `with_intervals`."""
        return self.all_scores.intervals

    @property
    def tie_bands(self) -> Mapping[str, Band]:
        """Metric → its lowest, mean and highest scores over all orders of tied documents."""
        return self.all_scores.tie_bands

    @property
    def residuals(self) -> Mapping[str, Band]:
        """Metric → its scores if unjudged documents were not relevant, and if they were."""
        return self.all_scores.residuals

    @property
    def run(self) -> Mapping[str, Mapping[str, float]]:
        """What the provider retrieved: query → document → score."""
        return self.evidence.run

    @property
    def relevant(self) -> Mapping[str, Mapping[str, float]]:
        """Query → its relevant documents with their grades, best first; nothing where nobody knows them."""
        return self.evidence.relevant

    @property
    def nonrelevant(self) -> Mapping[str, Mapping[str, float]]:
        """Query → documents that were judged and are not relevant; what was read from a file has those retrieved."""
        return self.evidence.nonrelevant

    @property
    def said(self) -> Mapping[str, Mapping[str, Any]]:
        """What the provider said beside what it retrieved: query → its answer in words, its route."""
        return self.evidence.said

    @property
    def queries(self) -> Mapping[str, Query]:
        """The queries in words and with their tags, where a benchmark has them."""
        return self.evidence.queries

    @property
    def failures(self) -> Mapping[str, str]:
        """Query → why the provider failed on it; such a query scores 0."""
        return self.evidence.failures

    @property
    def grader(self) -> Grader | None:
        """What was scored; none where the result was read from a file."""
        return self.evidence.grader

    @property
    def policy(self) -> Policy:
        """The conventions that metrics were scored by, unless a profile has others for one."""
        return self.origin.policy

    @property
    def profile(self) -> str:
        """The tool whose conventions were followed, if any."""
        return self.origin.profile

    @property
    def relevance(self) -> Mapping[str, Any]:
        """Where grades came from, if not from judgments alone: the resolvers used, and for how many queries."""
        return self.origin.relevance

    @property
    def notes(self) -> tuple[str, ...]:
        """What a careful reader should know."""
        return self.origin.notes

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Everything the result rests on: dataset, provider, versions, times, counts."""
        return self.origin.provenance

    @property
    def recorded(self) -> Mapping[str, str]:
        """Fingerprints of a result that was read from a file."""
        return self.origin.recorded

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
        return self.subset(queries=[self.query_ids[place] for place in order.tolist()])

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


PART_OF_FIELD = {
    field.name: name
    for name, part in (("all_scores", Scores), ("evidence", Evidence), ("origin", Provenance))
    for field in fields(part)
}
"""Attribute of a result → the part that has it."""


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
