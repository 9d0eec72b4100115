"""load_config: the block `retrieval_metrics:` of this system's YAML, checked, and an evaluation as it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.compat.ragchat._batch import USUAL, Scored, Work, batch_metric, scores_by_batch
from assay.compat.ragchat._cache import MetricsCache
from assay.errors import DataError
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
from assay.metrics import parse_metrics
from assay.model import MEAN
from assay.stats import calculate_confidence_interval, statistical_significance_test

BLOCK = "retrieval_metrics"


@dataclass(frozen=True)
class RetrievalMetricsConfig:
    """What the block says, or what is usual."""

    enabled_metrics: tuple[str, ...]
    graded_relevance: bool = True
    """Whether grades count; without them every relevant document counts 1."""
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
        """`metrics`, and where the block asks for them `confidence_intervals` and, against a baseline, `significance`.

        Intervals are Student's, cut off where a metric cannot be. Only metrics that are means have either.
        """
        scored = self._scored(queries, retrieval_results)
        found: dict[str, Any] = {"metrics": {name: one.figure for name, one in scored.items()}}
        means = {name: one for name, one in scored.items() if queries and one.metric.metric.aggregation is MEAN}
        if self.confidence_intervals and means:
            found["confidence_intervals"] = {name: self._interval(one) for name, one in means.items()}
        if self.significance_testing and baseline_results is not None and means:
            before = self._scored(queries, baseline_results)
            found["significance"] = {
                name: statistical_significance_test(one.values, before[name].values, self.alpha_level)
                for name, one in means.items()
            }
        return found

    def _interval(self, scored: Scored) -> tuple[float, float]:
        low, high = calculate_confidence_interval(scored.values, 1 - self.alpha_level)
        least, most = scored.metric.metric.range
        return max(low, least), min(high, most)

    def _scored(self, queries: Sequence[Mapping[str, Any]], results: Sequence[Sequence[Any]]) -> dict[str, Scored]:
        cache = self.cache if self.caching_enabled else None
        work = Work(self.batch_size, self.parallel_processing, cache, self.graded_relevance)
        return scores_by_batch(queries, results, self.enabled_metrics, work)


def load_config(source: str | Path | Mapping[str, Any]) -> RetrievalMetricsConfig:
    """The config of a YAML file, or of a map that was read from one; all that is wrong with it is told at once.

    A block that names no metrics has those of `evaluate_retrieval_batch`. Grades count unless it says otherwise.
    """
    where = "config" if isinstance(source, Mapping) else str(source)
    content = source if isinstance(source, Mapping) else read_plan(Path(source))
    if BLOCK not in content:
        raise DataError(f"{where}: expected a block {BLOCK}:, found {', '.join(map(str, content)) or 'nothing'}")
    place = f"{where}: {BLOCK}"
    faults = PlanFaults(place)
    block = known_keys(content[BLOCK], SEED_KEYS, place, faults)
    performance = known_keys(block.get("performance"), PERFORMANCE_KEYS, f"{place}.performance", faults)
    analysis = known_keys(block.get("statistical_analysis"), STATISTICS_KEYS, f"{place}.statistical_analysis", faults)
    size: int | None = faults.attempt(parse_whole, performance.get("batch_size"), "batch_size", place)
    statistics = faults.attempt(parse_statistics, analysis, place) or Statistics()

    def flag(given: Mapping[str, Any], name: str) -> bool:
        usual = getattr(RetrievalMetricsConfig, name)
        return bool(faults.attempt(parse_flag, given.get(name, usual), name, place))

    config = RetrievalMetricsConfig(
        _enabled(block.get("enabled_metrics", USUAL), place, faults),
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


def _enabled(given: Any, place: str, faults: PlanFaults) -> tuple[str, ...]:
    """The metrics by their own names, each once; what is wrong with any of them is noted."""
    names = faults.attempt(parse_texts, given, "enabled_metrics", place, "ndcg@10") or []
    found = [metric.name for name in names for metric in faults.attempt(parse_metrics, WrittenName(name)) or ()]
    for name in found:
        faults.attempt(batch_metric, name)
    return tuple(dict.fromkeys(found))
