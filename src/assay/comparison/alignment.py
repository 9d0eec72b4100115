"""Results that can be compared: with the same data and conventions, on shared queries and metrics.

Results that differ are an error, unless the user asks to compare only what they share.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np

from assay.arrays import Floats
from assay.comparison.independent_users import is_about_users
from assay.comparison.options import place_of
from assay.errors import Hint, NotComparable, UsageError
from assay.evaluation import Result, documents_read_by
from assay.metrics import BoundMetric, Metric, WrittenMetric, parse_metrics
from assay.model import Policy
from assay.text import counted, some_of

INTERSECT = Hint("--intersect", "compares only what the results share")


@dataclass(frozen=True)
class Aligned:
    """Results of several systems over the same queries in the same order, and the metrics that all of them have."""

    results: tuple[Result, ...]
    metrics: tuple[BoundMetric, ...]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The systems."""
        return tuple(result.name for result in self.results)

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The queries that the systems are compared on."""
        return self.results[0].query_ids

    def scores(self, metric: str) -> Floats:
        """Queries × systems; nan if a score is undefined."""
        return np.column_stack([result.table.columns[metric].score for result in self.results]).astype(float)

    def place(self, name: str) -> int:
        """The position of a system."""
        return place_of(name, self.names)


def align(
    results: Sequence[Result], metrics: WrittenMetric | Iterable[WrittenMetric] | None = None, *, intersect: bool = False
) -> Aligned:
    """Align results over the same queries. With `intersect`, notes say what differs, and only shared queries count.

    Queries are in the order of their ids, so that no figure depends on the order of lines in a file. Results on different
    benchmarks cannot be aligned, even if their queries have the same ids.
    """
    if len(results) < 2:
        here = f"only one: {results[0].name}" if results else "none"
        raise UsageError(f"a comparison needs at least two systems, found {here}")
    names = [result.name for result in results]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"two systems are called {some_of(twice)}. Give them names, as in base=a.json new=b.json")
    _check_benchmarks(results)
    shared = shared_metrics(results, metrics)
    check_paired(shared)
    differences = _all_differences(results, shared) if intersect else check_comparable(results, shared)
    others = [set(result.query_ids) for result in results[1:]]
    queries = sorted(query for query in results[0].query_ids if all(query in ids for ids in others))
    if differences and not queries:
        raise NotComparable(list(differences), about="no query is in all of them. ")
    return Aligned(tuple(result.subset(queries=queries, metrics=shared) for result in results), shared, differences)


def check_comparable(results: Sequence[Result], metrics: Sequence[BoundMetric]) -> tuple[str, ...]:
    """Raise NotComparable if the results differ in data or conventions; else return no differences.

    Search logs have other users each time, so results of logs may differ in their rows.
    """
    _check_benchmarks(results)
    if all(is_about_users(metric) for result in results for metric in result.metrics):
        return ()
    if differences := _all_differences(results, metrics):
        raise NotComparable(list(differences), hint=INTERSECT)
    return ()


def check_paired(metrics: Sequence[BoundMetric]) -> None:
    """Raise for metrics of search logs: two results have different users, so there are no pairs to compare."""
    if names := [metric.name for metric in metrics if is_about_users(metric)]:
        what = f"{names[0]} is about users, and two results do not have the same users in the same rows"
        variants = "To compare the variants of a log: assay experiment compare LOG"
        raise NotComparable([f"{what}. {variants}. To compare a log with an earlier one: assay gate"])


def _check_benchmarks(results: Sequence[Result]) -> None:
    for first, other in pairwise(results):
        if first.benchmark and other.benchmark and first.benchmark != other.benchmark:
            about = f"{first.name} and {other.name} are on different benchmarks, {first.benchmark} and {other.benchmark}"
            raise NotComparable([about])


def _all_differences(results: Sequence[Result], metrics: Sequence[BoundMetric]) -> tuple[str, ...]:
    every = (difference for first, other in pairwise(results) for difference in _differences(first, other, metrics))
    return tuple(dict.fromkeys(every))


def _differences(first: Result, other: Result, metrics: Sequence[BoundMetric]) -> Iterator[str]:
    """What differs between two results, in words."""
    if what := _changed_data(first, other):
        yield f"{first.name} and {other.name} have different {what}"
    yield from _relevance_differences(first, other)
    yield from _document_differences(first, other, metrics)
    yield from _depth_differences(first, other, metrics)
    yield from _verdict_differences(first, other, metrics)
    for field in fields(Policy):
        ours, theirs = getattr(first.policy, field.name), getattr(other.policy, field.name)
        if ours != theirs:
            yield f"{field.name.replace('_', ' ')} is {ours} for {first.name} and {theirs} for {other.name}"
    if first.profile != other.profile:
        yield f"profile is {first.profile or 'none'} for {first.name} and {other.profile or 'none'} for {other.name}"
    yield from _queries_only_in(first, other)
    yield from _queries_only_in(other, first)


def _changed_data(first: Result, other: Result) -> str:
    """Which data differ; empty if they are the same or unknown."""
    prints = [result.provenance.get("dataset", {}).get("fingerprints") for result in (first, other)]
    if all(prints):
        return " and ".join(name for name in prints[0] if prints[0][name] != prints[1].get(name))
    if any(result.relevance.get("strategy_used", "qrels") != "qrels" for result in (first, other)):
        return ""  # judgments then depend on what was retrieved, so each system has its own
    ours, theirs = (result.fingerprints.get("judgments") for result in (first, other))
    return "judgments" if ours and theirs and ours != theirs else ""


NAMED_SOURCES = ("vectors", "popularity")
"""Data of documents of which results record the source; of other data they record only a digest."""


def _document_differences(first: Result, other: Result, metrics: Sequence[BoundMetric]) -> Iterator[str]:
    """Differences in what metrics read about documents: tags, texts, vectors, popularity, and which documents there are."""
    changed: dict[tuple[str, str, str], list[str]] = {}
    for metric in metrics:
        ours, theirs = (documents_read_by(result, metric) for result in (first, other))
        for what in ours:
            if what in theirs and ours[what] != theirs[what]:
                changed.setdefault((what, ours[what], theirs[what]), []).append(metric.name)
    for (what, ours_is, theirs_is), names in changed.items():
        if what in NAMED_SOURCES:
            yield f"{first.name} reads the {what} of documents from {ours_is}, and {other.name} from {theirs_is}"
        else:
            ours_has, theirs_has = (known.rpartition(" ")[0] for known in (ours_is, theirs_is))  # `20 documents`
            sizes = f" ({ours_has} and {theirs_has})" if ours_has != theirs_has else ""
            different = f"catalogues{sizes}" if what == "catalogue" else f"{what} of documents"
            verb = "reads" if len(names) == 1 else "read"
            yield f"{first.name} and {other.name} have different {different}, which {some_of(names)} {verb}"


def _relevance_differences(first: Result, other: Result) -> Iterator[str]:
    """Differences in how relevance was decided."""
    used = [str(result.relevance.get("strategy_used", "qrels")) for result in (first, other)]
    if used[0] != used[1]:
        yield f"relevance is decided by {used[0]} for {first.name} and by {used[1]} for {other.name}"
        return
    for name in ("unit", "token_threshold", "semantic_threshold", "semantic_model"):
        ours, theirs = (result.relevance.get(name) for result in (first, other))
        if ours is not None and theirs is not None and ours != theirs:
            yield f"{name.replace('_', ' ')} of relevance is {ours} for {first.name} and {theirs} for {other.name}"


def _depth_differences(first: Result, other: Result, metrics: Sequence[BoundMetric]) -> Iterator[str]:
    """Different numbers of retrieved documents, if the smaller one is below the cutoff of a metric."""
    depths = [int(result.provenance["k"]) for result in (first, other) if result.provenance.get("k")]
    if len(set(depths)) < 2:
        return
    deeper = [metric.name for metric in metrics if (metric.params.get("k") or math.inf) > min(depths)]
    if deeper:
        yield (
            f"{first.name} retrieved up to {depths[0]:,} documents per query and {other.name} up to {depths[1]:,}, "
            f"which affects {some_of(deeper)}"
        )


def _verdict_differences(first: Result, other: Result, metrics: Sequence[BoundMetric]) -> Iterator[str]:
    """Differences in whose verdicts were used, and in the nuggets that answers were compared with."""
    judged = [metric for metric in metrics if metric.metric.view == "verdicts"]
    ours, theirs = (result.provenance.get("judgments") or {} for result in (first, other))
    if not judged:
        return
    if ours.get("layer") != theirs.get("layer"):
        yield f"the verdicts are by {ours.get('layer')} for {first.name} and by {theirs.get('layer')} for {other.name}"
    elif ours.get("layer") == "model" and ours.get("judges") != theirs.get("judges"):
        names = [" ".join(each.get("judges") or ()) for each in (ours, theirs)]
        yield f"the model judge is {names[0]} for {first.name} and {names[1]} for {other.name}"
    has_nuggets = any(metric.metric.name == "nugget_recall" for metric in judged)
    if has_nuggets and ours.get("nuggets") != theirs.get("nuggets"):
        yield f"{first.name} and {other.name} have different nuggets"


def _queries_only_in(first: Result, other: Result) -> Iterator[str]:
    others = set(other.query_ids)
    alone = [query for query in first.query_ids if query not in others]
    if alone:
        verb = "is" if len(alone) == 1 else "are"
        yield f"{counted(len(alone), 'query')} {verb} only in {first.name} ({some_of(alone)})"


def shared_metrics(
    results: Sequence[Result], asked: WrittenMetric | Iterable[WrittenMetric] | None = None
) -> tuple[BoundMetric, ...]:
    """The requested metrics, or those that all systems share and that were requested when they were scored."""
    if asked:
        return tuple(_as_scored(metric, results) for metric in asked_metrics(results, asked))
    beside = {name for result in results for name in result.beside}
    shared = [
        metric
        for metric in results[0].metrics
        if metric.name not in beside and all(metric.name in result.summary for result in results)
    ]
    if not shared:
        raise UsageError("the systems have no metric in common")
    return tuple(shared)


def asked_metrics(results: Sequence[Result], asked: WrittenMetric | Iterable[WrittenMetric]) -> list[BoundMetric]:
    """The requested metrics. A name that results have means their metric, whether or not it is known here."""
    several = [asked] if isinstance(asked, str | BoundMetric | Metric) or not isinstance(asked, Iterable) else asked
    recorded = {metric.name: metric for result in reversed(results) for metric in result.metrics}
    metrics = [recorded[metric] if isinstance(metric, str) and metric in recorded else metric for metric in several]
    return parse_metrics(metrics, results[0].profile)


def _as_scored(metric: BoundMetric, results: Sequence[Result]) -> BoundMetric:
    """The metric as it was scored: a profile may have replaced it."""
    if not metric.metric.aggregation.summarise:
        raise UsageError(f"{metric.name} is text and cannot be compared. Choose a numeric metric, such as ndcg@10")
    name = next((result.own_name(metric) for result in results if metric in result), metric.name)
    if lacking := [result.name for result in results if name not in result.summary]:
        there = some_of(list(results[0].summary), 10)
        raise UsageError(f"{name} was not scored for {', '.join(lacking[:5])} (metrics of {results[0].name}: {there})")
    return next(bound for bound in results[0].metrics if bound.name == name)
