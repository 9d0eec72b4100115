"""load_config: the block `retrieval_metrics:` of this system's YAML, checked, and an evaluation as it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.compat.ragchat._batch import Work, scores_by_batch
from assay.compat.ragchat._cache import MetricsCache
from assay.compat.ragchat._metrics import mean_of
from assay.errors import DataError
from assay.evaluation.plan import make_plan
from assay.evaluation.plan_file import read_plan
from assay.stats._functions import calculate_confidence_interval, statistical_significance_test

BLOCK = "retrieval_metrics"
ANY = {"benchmarks": ["rag-template"], "providers": ["bm25"]}
"""What a plan needs and this block has nothing to say about."""


@dataclass(frozen=True)
class RetrievalMetricsConfig:
    """What the block says; keys that it leaves out are as in a plan."""

    enabled_metrics: tuple[str, ...]
    graded_relevance: bool = True
    """Whether grades count; without them every grade above 0 counts 1."""
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
        """`metrics`, and where the block asks for them `confidence_intervals` and, against a baseline, `significance`."""
        scores = self._scores(queries, retrieval_results)
        found: dict[str, Any] = {"metrics": {name: mean_of(values) for name, values in scores.items()}}
        if self.confidence_intervals and queries:
            level = 1 - self.alpha_level
            found["confidence_intervals"] = {
                name: calculate_confidence_interval(values, level) for name, values in scores.items()
            }
        if self.significance_testing and baseline_results is not None and queries:
            before = self._scores(queries, baseline_results)
            found["significance"] = {
                name: statistical_significance_test(values, before[name], self.alpha_level)
                for name, values in scores.items()
            }
        return found

    def _scores(self, queries: Sequence[Mapping[str, Any]], results: Sequence[Sequence[Any]]) -> dict[str, list[float]]:
        cache = self.cache if self.caching_enabled else None
        work = Work(self.batch_size, self.parallel_processing, cache, self.graded_relevance)
        return scores_by_batch(queries, results, self.enabled_metrics, work)


def load_config(source: str | Path | Mapping[str, Any]) -> RetrievalMetricsConfig:
    """The config of a YAML file, or of a map that was read from one; keys that nobody knows are errors."""
    where = "config" if isinstance(source, Mapping) else str(source)
    content = source if isinstance(source, Mapping) else read_plan(Path(source))
    if BLOCK not in content:
        raise DataError(f"{where}: expected a block {BLOCK}:, found {', '.join(map(str, content)) or 'nothing'}")
    plan = make_plan({**ANY, BLOCK: content[BLOCK]}, where)
    block: Mapping[str, Any] = content[BLOCK] or {}
    performance: Mapping[str, Any] = block.get("performance") or {}
    return RetrievalMetricsConfig(
        tuple(metric.name for metric in plan.metrics),
        graded_relevance=plan.is_graded,
        confidence_intervals=plan.statistics.confidence_intervals is not None,
        significance_testing=plan.statistics.significance_testing is not None,
        alpha_level=plan.statistics.alpha,
        batch_size=plan.batch_size or RetrievalMetricsConfig.batch_size,
        caching_enabled=plan.cache,
        parallel_processing=bool(performance.get("parallel_processing", False)),
    )
