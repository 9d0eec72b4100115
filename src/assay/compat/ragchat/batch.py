"""Evaluate a batch of queries: its cases, the cache of scores, and the block `retrieval_metrics:` of the system's YAML."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from assay.compat.arguments import credited_once
from assay.compat.ragchat.differences import DIFFERENCES
from assay.compat.ragchat.metrics import BY_COPIES, check_equal_lengths, id_list, relevant_grades, warn_of_copies
from assay.errors import BadParameter, DataError
from assay.evaluation import evaluate_metrics
from assay.execution import (
    PERFORMANCE_KEYS,
    SEED_KEYS,
    STATISTICS_KEYS,
    PlanFaults,
    Statistics,
    known_keys,
    parse_flag,
    parse_statistics,
    parse_texts,
    parse_whole,
    read_plan,
)
from assay.grammar import WrittenName
from assay.metrics import REL, BoundMetric, parse_metric, parse_metrics
from assay.model import GEOMETRIC_MEAN, IDS, MEAN, SUM, Column, Policy, text_id
from assay.stats import calculate_confidence_interval, statistical_significance_test
from assay.text import shortened

DEFAULT_METRICS = ("hit@1", "hit@3", "hit@5", "ndcg@5", "ndcg@10", "mrr")
QUERIES_AND_RESULTS = "queries and retrieval results"
FROM_SCORES = (MEAN, SUM, GEOMETRIC_MEAN)
"""Aggregations that need only the scores of queries."""


def evaluate_retrieval_batch(
    queries: Sequence[Mapping[str, Any]],
    retrieval_results: Sequence[Sequence[Any]],
    metrics: str | Iterable[str] | None = None,
    *,
    cache: MetricsCache | None = None,
) -> dict[str, float]:
    """The value of each metric over all queries, under the requested name. Any metric of rankings is allowed.

    A query has `relevant_docs` (ids in any form, or id → grade), and may have `relevance_grades`, which are the gains of
    documents but do not decide which are relevant. A result is a hit with `id`, or an id. A query without relevant
    documents or results scores 0 and is counted. Scores of queries with an `id` or `query_id` are cached.
    """
    scored = scores_by_batch(queries, retrieval_results, metrics, BatchOptions(max(len(queries), 1), cache=cache))
    return {name: scores.figure for name, scores in scored.items()}


def batch_evaluate_metrics(
    queries: Sequence[Mapping[str, Any]],
    batch_size: int = 100,
    retrieval_results: Sequence[Sequence[Any]] | None = None,
    metrics: str | Iterable[str] | None = None,
    *,
    parallel: bool = False,
    cache: MetricsCache | None = None,
) -> dict[str, float]:
    """The same as `evaluate_retrieval_batch`, computed for `batch_size` queries at a time. The size changes no value.

    Without `retrieval_results`, each query must have its own under that key. `parallel` computes several batches at once.
    """
    results = [own_results(query) for query in queries] if retrieval_results is None else retrieval_results
    size = _check_size(batch_size)
    scored = scores_by_batch(queries, results, metrics, BatchOptions(size, parallel, cache))
    return {name: scores.figure for name, scores in scored.items()}


class BatchOptions(NamedTuple):
    """How many queries form a batch, whether batches run in parallel, and the cache."""

    batch_size: int
    parallel: bool = False
    cache: MetricsCache | None = None
    is_graded: bool = True
    """Whether grades count. If not, every relevant document counts 1."""


class MetricScores(NamedTuple):
    """A metric, and its score for each query in order."""

    metric: BoundMetric
    values: list[float]

    @property
    def figure(self) -> float:
        """The summary of the scores, which is their mean for nearly all metrics; 0.0 without queries."""
        return Column.of(np.array(self.values), self.metric.metric.aggregation).summary() if self.values else 0.0


class Task(NamedTuple):
    """One query of a batch: its key in the cache, and its case."""

    name: str
    case: Case


def scores_by_batch(
    queries: Sequence[Mapping[str, Any]],
    results: Sequence[Sequence[Any]],
    metrics: str | Iterable[str] | None,
    work: BatchOptions,
) -> dict[str, MetricScores]:
    """Requested metric name → one score per query, in order. The batches make no difference."""
    check_equal_lengths(queries, results, QUERIES_AND_RESULTS)
    bound = {name: batch_metric(name) for name in _names(metrics)}
    pairs = zip(queries, results, strict=True)
    tasks = [Task(_name_of(query), read_case(query, hits, is_graded=work.is_graded)) for query, hits in pairs]
    warn_of_differences([task.case for task in tasks], list(bound.values()))
    top = max((grade for task in tasks for grade in task.case.graded.values()), default=0.0)
    parts = [tasks[start : start + work.batch_size] for start in range(0, len(tasks), work.batch_size)]

    def scored(part: Sequence[Task]) -> dict[str, list[float]]:
        return {name: _score_part(metric, part, top, work.cache) for name, metric in bound.items()}

    if work.parallel and len(parts) > 1:
        with ThreadPoolExecutor() as pool:
            scored_parts = list(pool.map(scored, parts))
    else:
        scored_parts = list(map(scored, parts))
    return {
        name: MetricScores(metric, [score for part in scored_parts for score in part[name]])
        for name, metric in bound.items()
    }


def batch_metric(name: str) -> BoundMetric:
    """The metric of a name; precision divides by what was retrieved. A metric without scores per query is an error."""
    metric = parse_metric(WrittenName(name))
    if metric.metric.view != "ranking":
        raise BadParameter(f"{name} is not a metric of rankings, but queries with relevant_docs need one, such as ndcg@10")
    if metric.metric.aggregation not in FROM_SCORES:
        raise BadParameter(
            f"{name} has no value over all queries; "
            f"use assay.evaluate(…).scores({metric.name!r}) for its value for each query"
        )
    if metric.metric.name != "precision" or "over" in metric.given:
        return metric
    return metric.metric.bind(**{key: metric.params[key] for key in metric.given}, over="retrieved")


def _names(metrics: str | Iterable[str] | None) -> Iterable[str]:
    """The requested names; a single name may be given as text."""
    if metrics is None:
        return DEFAULT_METRICS
    return [metrics] if isinstance(metrics, str) else metrics


def _check_size(batch_size: Any) -> int:
    if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
        raise BadParameter(f"batch_size must be a whole number of at least 1, not {batch_size!r}")
    return batch_size


def _name_of(query: Any) -> str:
    return str(query.get("query_id", query.get("id", ""))) if isinstance(query, Mapping) else ""


def _score_part(metric: BoundMetric, part: Sequence[Task], top: float, cache: MetricsCache | None) -> list[float]:
    """One score per query; cached scores are not computed again.

    `top` is the highest grade of all queries. Scores may depend on it, so it is part of the cache key.
    """
    if cache is None:
        return _evaluate_part(metric, part, top)
    keys = [(task.name, metric.name, int(metric.params.get("k") or 0)) for task in part]
    contents = [(task.case.truth(metric), task.case.ranked, float(top)) for task in part]
    scores = [cache.get_cached_metric(*key, content=content) for key, content in zip(keys, contents, strict=True)]
    missing = [place for place, score in enumerate(scores) if score is None]
    for place, score in zip(missing, _evaluate_part(metric, [part[place] for place in missing], top), strict=True):
        cache.cache_metric(*keys[place], score, content=contents[place])
        scores[place] = score
    return [score for score in scores if score is not None]


def _evaluate_part(metric: BoundMetric, part: Sequence[Task], top: float) -> list[float]:
    if not part:
        return []
    qrels = {str(place): task.case.truth(metric) for place, task in enumerate(part)}
    run = {str(place): task.case.ranked for place, task in enumerate(part)}
    policy = Policy(max_grade=float(top)) if top > 0 else None
    scores = evaluate_metrics(qrels, run, [metric], policy=policy).scores(metric.name)
    return [float(scores[query]) for query in qrels]


class MetricsCache:
    """Scores by query, metric, cutoff, and content: what was relevant, and what was retrieved.

    Without the content, a cached score is returned even if the data have changed, as in the original. The batch functions
    always pass the content.
    """

    def __init__(self) -> None:
        self._cache: dict[tuple[str, str, int, str], float] = {}
        self._joined: set[str] = set()
        """The keys as the original has them."""

    def get_cached_metric(self, query_id: str, metric: str, k: int, content: Any = None) -> float | None:
        """The cached score, or None."""
        score = self._cache.get((query_id, metric, k, _digest(content)))
        if score is None and content is None and f"{query_id}_{metric}_{k}" in self._joined:
            DIFFERENCES.warn("cache key")
        return score

    def cache_metric(self, query_id: str, metric: str, k: int, value: float, content: Any = None) -> None:
        """Cache a score."""
        self._cache[query_id, metric, k, _digest(content)] = value
        if content is None:
            self._joined.add(f"{query_id}_{metric}_{k}")

    def __len__(self) -> int:
        return len(self._cache)


def _digest(content: Any) -> str:
    """A hash of any plain value. The order of lists matters, but not the order of sets and maps."""
    if content is None:
        return ""
    return blake2b(json.dumps(_ordered(content)).encode(), digest_size=16).hexdigest()


def _ordered(content: Any) -> Any:
    """The value together with its kind, so that a list of pairs and a map are different."""
    if isinstance(content, Mapping):
        return ["map", sorted([json.dumps([_ordered(key), _ordered(value)]) for key, value in content.items()])]
    if isinstance(content, set | frozenset):
        return ["set", sorted(json.dumps(_ordered(value)) for value in content)]
    if isinstance(content, list | tuple):
        return ["list", [_ordered(value) for value in content]]
    return [type(content).__name__, str(content)]


Truth = dict[str, float]
"""Relevant id → grade."""


class Case(NamedTuple):
    """One query. A listed document without a grade is relevant, but has no gain."""

    listed: Truth
    """Grades for metrics that ask whether a document is relevant, such as `hit_at_k`."""
    graded: Truth
    """Grades for metrics that ask how relevant a document is, such as `ndcg_at_k`."""
    ranked: list[str]
    """What was retrieved, best first, each document once."""
    ids: list[str]
    """The same with its copies."""

    def truth(self, metric: BoundMetric) -> Truth:
        """The grades that a metric needs."""
        return self.listed if _is_binary(metric) else self.graded


def warn_of_differences(cases: Sequence[Case], metrics: Sequence[BoundMetric]) -> None:
    """Warn of cases for which the original gives other values."""
    for cut in {metric.params.get("k") for metric in metrics if metric.metric.name in BY_COPIES}:
        for case in cases:
            warn_of_copies(case.ids[:cut], case.listed)
    if any(metric.metric.name == "ndcg" for metric in metrics) and any(map(_has_different_grades, cases)):
        DIFFERENCES.warn("grades in a batch")


def _has_different_grades(case: Case) -> bool:
    """Whether grades change nDCG: they are given, and not all relevant documents have the same grade above 0."""
    different = set(case.graded.values())
    return case.graded != case.listed and (len(different) > 1 or min(different) <= 0)


def read_case(query: Mapping[str, Any], hits: Sequence[Any], *, is_graded: bool) -> Case:
    """Read a query with `relevant_docs` and its hits. Without grades, every relevant document counts 1."""
    if not isinstance(query, Mapping) or "relevant_docs" not in query:
        raise DataError(f"expected a query as a map with relevant_docs, found {shortened(query)}")
    relevant = query["relevant_docs"]
    listed = relevant_grades(relevant, None)
    graded = relevant_grades(relevant, query.get("relevance_grades"))
    if not is_graded:
        graded = {doc: float(grade > 0) for doc, grade in listed.items()}
    ids = id_list(hits) if isinstance(hits, str) else [_id_of(hit) for hit in hits]
    return Case(listed, graded, credited_once(ids), [text_id(id_) for id_ in ids])


def own_results(query: Mapping[str, Any]) -> Sequence[Any]:
    """The results in a query."""
    results = query.get("retrieval_results") if isinstance(query, Mapping) else None
    if results is None:
        raise DataError(f"expected retrieval_results in each query, or as a second argument, found {shortened(query)}")
    return results


def _is_binary(metric: BoundMetric) -> bool:
    """Whether a metric has a relevance level that is not set, and uses no other property of grades."""
    if REL not in metric.metric.params or metric.params[REL.name] is not None:
        return False
    return metric.params.get("gain", "binary") == "binary"


def _id_of(hit: Any) -> Any:
    if not isinstance(hit, Mapping):
        return hit
    id_ = next((hit[name] for name in ("id", *IDS) if hit.get(name) is not None), None)
    if id_ is None:
        raise DataError(f"expected a retrieved document with an id, found {shortened(dict(hit))}")
    return id_


CONFIG_KEY = "retrieval_metrics"


@dataclass(frozen=True)
class RetrievalMetricsConfig:
    """The settings of the block, with defaults."""

    enabled_metrics: tuple[str, ...]
    graded_relevance: bool = True
    """Whether grades count. If not, every relevant document counts 1."""
    confidence_intervals: bool = True
    significance_testing: bool = True
    alpha_level: float = 0.05
    batch_size: int = 100
    caching_enabled: bool = True
    parallel_processing: bool = False
    cache: MetricsCache = field(default_factory=MetricsCache, compare=False, repr=False)

    def evaluate(
        self,
        queries: Sequence[Mapping[str, Any]],
        retrieval_results: Sequence[Sequence[Any]],
        baseline_results: Sequence[Sequence[Any]] | None = None,
    ) -> dict[str, Any]:
        """`metrics`, and if the block enables them `confidence_intervals` and, against a baseline, `significance`.

        Intervals are Student's t, limited to the range of the metric. Only metrics that are means have either.
        """
        scored = self._score_queries(queries, retrieval_results)
        report: dict[str, Any] = {"metrics": {name: scores.figure for name, scores in scored.items()}}
        means = {name: scores for name, scores in scored.items() if queries and scores.metric.metric.aggregation is MEAN}
        if self.confidence_intervals and means:
            report["confidence_intervals"] = {name: self._interval(scores) for name, scores in means.items()}
        if self.significance_testing and baseline_results is not None and means:
            before = self._score_queries(queries, baseline_results)
            report["significance"] = {
                name: statistical_significance_test(scores.values, before[name].values, self.alpha_level)
                for name, scores in means.items()
            }
        return report

    def _interval(self, scored: MetricScores) -> tuple[float, float]:
        low, high = calculate_confidence_interval(scored.values, 1 - self.alpha_level)
        least, most = scored.metric.metric.range
        return max(low, least), min(high, most)

    def _score_queries(
        self, queries: Sequence[Mapping[str, Any]], results: Sequence[Sequence[Any]]
    ) -> dict[str, MetricScores]:
        cache = self.cache if self.caching_enabled else None
        work = BatchOptions(self.batch_size, self.parallel_processing, cache, self.graded_relevance)
        return scores_by_batch(queries, results, self.enabled_metrics, work)


def load_config(source: str | Path | Mapping[str, Any]) -> RetrievalMetricsConfig:
    """The config from a YAML file, or from a map that was read from one. One error lists everything that is wrong.

    A block without metrics uses those of `evaluate_retrieval_batch`. Grades count unless the block disables them.
    """
    where = "config" if isinstance(source, Mapping) else str(source)
    content = source if isinstance(source, Mapping) else read_plan(Path(source))
    if CONFIG_KEY not in content:
        raise DataError(f"{where}: expected a block {CONFIG_KEY}:, found {', '.join(map(str, content)) or 'nothing'}")
    place = f"{where}: {CONFIG_KEY}"
    faults = PlanFaults(place)
    block = known_keys(content[CONFIG_KEY], SEED_KEYS, place, faults)
    performance = known_keys(block.get("performance"), PERFORMANCE_KEYS, f"{place}.performance", faults)
    analysis = known_keys(block.get("statistical_analysis"), STATISTICS_KEYS, f"{place}.statistical_analysis", faults)
    size: int | None = faults.attempt(parse_whole, performance.get("batch_size"), "batch_size", place)
    statistics = faults.attempt(parse_statistics, analysis, place) or Statistics()

    def flag(fields: Mapping[str, Any], name: str) -> bool:
        usual = getattr(RetrievalMetricsConfig, name)
        return bool(faults.attempt(parse_flag, fields.get(name, usual), name, place))

    config = RetrievalMetricsConfig(
        _parse_enabled_metrics(block.get("enabled_metrics", DEFAULT_METRICS), place, faults),
        graded_relevance=flag(block, "graded_relevance"),
        confidence_intervals=statistics.confidence_intervals is not None,
        significance_testing=statistics.significance_testing is not None,
        alpha_level=statistics.alpha,
        batch_size=size or RetrievalMetricsConfig.batch_size,
        caching_enabled=flag(performance, "caching_enabled"),
        parallel_processing=flag(performance, "parallel_processing"),
    )
    faults.raise_if_any()
    return config


def _parse_enabled_metrics(written: Any, place: str, faults: PlanFaults) -> tuple[str, ...]:
    """The full names of the metrics, each once; faults are noted."""
    names = faults.attempt(parse_texts, written, "enabled_metrics", place, "ndcg@10") or []
    canonical = [metric.name for name in names for metric in faults.attempt(parse_metrics, WrittenName(name)) or ()]
    for name in canonical:
        faults.attempt(batch_metric, name)
    return tuple(dict.fromkeys(canonical))
