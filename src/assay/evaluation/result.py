"""Result: the scores of one run, their summary, and how they were computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Protocol, Unpack

import numpy as np
from numpy.typing import NDArray

from assay.errors import UnknownName, UsageError
from assay.evaluation.bands import Band, tie_report
from assay.evaluation.grader import Grader
from assay.evaluation.profile import Setting
from assay.evaluation.result_parts import QUERY, ROWS_ARE, Confidence, Evidence, Provenance, ResultFields, Scores
from assay.frames import Columns, Tables, Tabular, tag_columns
from assay.metrics import BoundMetric, find_metric
from assay.model import Column, Policy, Query, ScoreTable
from assay.serialize import to_json
from assay.text import counted


@dataclass(frozen=True, eq=False)
class Result(Tabular):
    """The scores of one run. `result["ndcg@10"]` is the summary, `result.scores("ndcg@10")` has the score of each query.

    Any spelling of a metric works as a key.
    """

    name: str
    all_scores: Scores = field(repr=False)
    origin: Provenance = field(repr=False)
    evidence: Evidence = field(default_factory=Evidence, repr=False)
    benchmark: str = ""
    """The benchmark, if a provider was run on one."""
    system: str = field(default="", repr=False)
    """The name of its system, if several results of this system have distinct names; not saved."""

    def with_fields(self, **values: Unpack[ResultFields]) -> Result:
        """The result with some fields replaced, each named like its attribute."""
        by_part: dict[str, dict[str, Any]] = {}
        for name, value in values.items():
            by_part.setdefault(PART_OF_FIELD.get(name, ""), {})[name] = value
        own = by_part.pop("", {})
        return replace(self, **own, **{part: replace(getattr(self, part), **some) for part, some in by_part.items()})

    def renamed(self, name: str) -> Result:
        """The same result under another name."""
        return replace(self, name=name)

    def distinguished(self, name: str) -> Result:
        """The same result under a name that differs from that of another result of the same system."""
        return self if name == self.name else replace(self, name=name, system=self.system or self.name)

    def subset(self, *, queries: Sequence[str] | None = None, metrics: Sequence[str | BoundMetric] | None = None) -> Result:
        """The result over these queries and metrics, in this order; queries without scores are left out."""
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
        """One result over the queries of several benchmarks, with query ids of the form `benchmark/query`.

        It has the metrics that all results share, and nothing that applies to only one benchmark.
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
        """The scored metrics, in the order of the table."""
        return self.all_scores.metrics

    @property
    def counts(self) -> Mapping[str, int]:
        """How many queries are judged, scored, missing and so on."""
        return self.all_scores.counts

    @property
    def missing(self) -> tuple[str, ...]:
        """Judged queries that are missing from the run."""
        return self.all_scores.missing

    @property
    def settings(self) -> tuple[Setting, ...]:
        """How each metric was requested and scored."""
        return self.all_scores.settings

    @property
    def beside(self) -> tuple[str, ...]:
        """Metrics that were not requested but help to interpret the others."""
        return self.all_scores.beside

    @property
    def intervals(self) -> Mapping[str, Confidence]:
        """Metric → the confidence interval of its mean; see `with_intervals`."""
        return self.all_scores.intervals

    @property
    def tie_bands(self) -> Mapping[str, Band]:
        """Metric → its lowest, mean and highest scores over all orders of tied documents."""
        return self.all_scores.tie_bands

    @property
    def residuals(self) -> Mapping[str, Band]:
        """Metric → its lowest and highest scores, depending on the relevance of unjudged documents."""
        return self.all_scores.residuals

    @property
    def repeats(self) -> Mapping[str, NDArray[Any]]:
        """Metric → queries × repeats, in the order of `array`; empty if each query was sent once."""
        return self.all_scores.repeats

    @property
    def n_repeats(self) -> int:
        """How often each query was sent; scores are means over these repeats."""
        return max((scores.shape[1] for scores in self.repeats.values()), default=1)

    @property
    def run(self) -> Mapping[str, Mapping[str, float]]:
        """The rankings: query → document → score. If queries were sent several times, the first ranking of each."""
        return self.evidence.run

    @property
    def is_total_failure(self) -> bool:
        """Whether the provider failed on every query and every repeat, so that its values are unknown, not 0."""
        failures = self.failures
        return bool(self.query_ids) and all(query in failures and query not in self.run for query in self.query_ids)

    @property
    def is_unjudged(self) -> bool:
        """Whether no query had any ground truth, so that metrics that need judgments are undefined."""
        return self.counts.get("judged") == 0 and bool(self.run or self.failures)

    @property
    def reruns(self) -> Mapping[str, Sequence[Mapping[str, float]]]:
        """Query → its further rankings, if queries were sent several times. A repeat that failed has none."""
        return self.evidence.reruns

    @property
    def relevant(self) -> Mapping[str, Mapping[str, float]]:
        """Query → its relevant documents with their grades, best first; empty if they are unknown."""
        return self.evidence.relevant

    @property
    def nonrelevant(self) -> Mapping[str, Mapping[str, float]]:
        """Query → documents that are judged non-relevant; in a result read from a file, only the retrieved ones."""
        return self.evidence.nonrelevant

    @property
    def said(self) -> Mapping[str, Mapping[str, Any]]:
        """What the provider reported in addition to documents: query → its answer, its route."""
        return self.evidence.said

    @property
    def queries(self) -> Mapping[str, Query]:
        """The texts and tags of the queries, if a benchmark has them."""
        return self.evidence.queries

    @property
    def failures(self) -> Mapping[str, str]:
        """Query → why the provider failed on it; such a query scores 0. With repeats, only the failed repeats score 0."""
        return self.evidence.failures

    @property
    def grader(self) -> Grader | None:
        """The graded run; None if the result was read from a file."""
        return self.evidence.grader

    @property
    def policy(self) -> Policy:
        """The conventions of the scores; a profile may have others for some metrics."""
        return self.origin.policy

    @property
    def profile(self) -> str:
        """The tool whose conventions were used, if any."""
        return self.origin.profile

    @property
    def relevance(self) -> Mapping[str, Any]:
        """Where grades come from, if not only from judgments: the resolvers, and for how many queries each was used."""
        return self.origin.relevance

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know to interpret the result."""
        return self.origin.notes

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Everything the result is based on: dataset, provider, versions, times, counts."""
        return self.origin.provenance

    @property
    def recorded(self) -> Mapping[str, str]:
        """Fingerprints of a result that was read from a file."""
        return self.origin.recorded

    @cached_property
    def summary(self) -> dict[str, float]:
        """Metric → its value over all scored queries."""
        return self.table.summary()

    @cached_property
    def ties(self) -> dict[str, Any]:
        """How many queries have ties that change a score; empty if the result was read from a file."""
        return tie_report(self.grader, self.settings) if self.grader else {}

    @property
    def policies(self) -> dict[str, Policy]:
        """Metric → the policy that it was scored under; a profile may have several."""
        return {setting.metric.name: setting.policy for setting in self.settings}

    @cached_property
    def fingerprints(self) -> dict[str, str]:
        """Fingerprints of the judgments and the rankings: equal data have equal fingerprints."""
        return self.grader.fingerprints() if self.grader else dict(self.recorded)

    @property
    def rows_are(self) -> str:
        """What a row of the table is: `query`; in the result of a search log `user`, `session`, `search` or `user group`."""
        return str(self.provenance.get(ROWS_ARE, QUERY))

    @property
    def has_shared_times(self) -> bool:
        """Whether queries were sent in batches, so that each query has a share of the time of its batch."""
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
            raise UsageError(f"{name} is text and has no summary. scores({name!r}) returns the text of each query")
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
        """The scores in the order of `query_ids`, as a copy that you can change."""
        return np.array(self._column(metric).score)

    def sorted_by(self, metric: str) -> Result:
        """The same result with its queries sorted by a metric, best first."""
        name = self.own_name(metric)
        if name not in self.summary:
            raise UsageError(f"{name} is text, so queries cannot be sorted by it")
        scores = self.table.columns[name].score
        direction = next(bound for bound in self.metrics if bound.name == name).metric.higher_is_better
        order = np.argsort(-scores if direction else scores, kind="stable")
        return self.subset(queries=[self.query_ids[place] for place in order.tolist()])

    def to_dict(self, *, per_query: bool = True) -> dict[str, Any]:
        """Plain JSON values, as `--format json` writes them. A summary over no queries is None."""
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
        if self.reruns:
            plain["reruns"] = {query: [dict(ranking) for ranking in some] for query, some in self.reruns.items()}
        if judged := retrieved_nonrelevant(self):
            plain["nonrelevant"] = judged
        if self.said:
            plain["said"] = {query: dict(fields) for query, fields in self.said.items()}
        return plain

    def _tables(self) -> Tables:
        return {"queries": self._query_columns, "summary": self._summary_columns}

    def _query_columns(self) -> Columns:
        """A row for each query: its text and tags if they are known, then its score by each metric."""
        scores = {
            name: np.array(column.score) if column.aggregation.summarise else column.score.tolist()
            for name, column in self.table.columns.items()
        }
        queries = [self.queries.get(query) or Query(query) for query in self.query_ids]
        texts = {"query": [query.text for query in queries]} if any(query.text for query in queries) else {}
        tags = tag_columns([query.tags for query in queries], ("query_id", "query", *scores))
        return {"query_id": list(self.query_ids), **texts, **tags, **scores}

    def _summary_columns(self) -> Columns:
        """A row for each metric: its value over all queries, and its confidence interval if that was computed."""
        columns: dict[str, Any] = {"metric": list(self.summary), "value": np.array(list(self.summary.values()), dtype=float)}
        if self.intervals:
            known = [self.intervals.get(name) for name in self.summary]
            for end in ("low", "high", "level"):
                columns[end] = np.array([np.nan if interval is None else getattr(interval, end) for interval in known])
            columns["method"] = [None if interval is None else interval.method for interval in known]
        return columns

    def _further(self) -> dict[str, Any]:
        """The optional fields of a result."""
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
            "repeats": to_json(self.repeats),
            "made_of": {name: parts for name, column in self.table.columns.items() if (parts := column.parts())},
        }

    def own_name(self, metric: Any) -> str:
        """The name of the column for any spelling of a metric; a metric outside the catalog keeps its own name."""
        name = metric.name if isinstance(metric, BoundMetric) else metric
        if name not in self.table.columns:
            name = find_metric(metric, self.profile).name
            name = next(
                (setting.metric.name for setting in self.settings if name in (setting.asked.name, *setting.also_asked)), name
            )
        if name not in self.table.columns:
            raise UnknownName("metric", metric, hint=f"choose from {', '.join(self.table.columns)}", owner="this result")
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
    """The parts of a result about judged documents."""

    @property
    def run(self) -> Mapping[str, Mapping[str, float]]:
        """What was retrieved."""

    @property
    def nonrelevant(self) -> Mapping[str, Mapping[str, float]]:
        """What was judged non-relevant."""

    @property
    def relevance(self) -> Mapping[str, Any]:
        """How relevance was decided."""


def retrieved_nonrelevant(result: Judged) -> dict[str, dict[str, float]]:
    """Query → retrieved documents that are judged non-relevant, without unjudged documents.

    Empty if relevance is decided by texts or spans, because then documents have no judgments.
    """
    if result.relevance.get("strategy_used", "qrels") != "qrels" or not result.nonrelevant:
        return {}
    retrieved = {}
    for query, ranking in result.run.items():
        judged = result.nonrelevant.get(query, {})
        if inside := {doc: grade for doc, grade in judged.items() if doc in ranking}:
            retrieved[query] = inside
    return retrieved
