"""Chunk fairness: metrics that count chunks are unfair to systems with different chunkers; metrics of spans are not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from assay.evaluation import Result
from assay.metrics import BoundMetric

SPANS, RANKING = "spans", "ranking"
"""Views of metrics: places in files, which chunkers share, and ranked chunks, which they do not."""


class Origin(Protocol):
    """What is recorded about how a result came about."""

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Its provenance."""

    @property
    def relevance(self) -> Mapping[str, Any]:
        """How relevance was decided."""


def counts_chunks(metric: BoundMetric, results: Sequence[Origin]) -> bool:
    """Whether a metric is unfair to these results, because it counts chunks and the chunkers differ."""
    cuts = {str(result.provenance.get("chunks", {}).get("chunker")) for result in results}
    is_by_span = any(result.relevance.get("strategy_used") == "span" for result in results)
    return metric.metric.view == RANKING and len(cuts) > 1 and is_by_span


def fair_metric(results: Sequence[Result]) -> BoundMetric | None:
    """The first metric; if it is unfair to chunkers, the first span metric, or None if there is none."""
    metrics = results[0].metrics
    if not counts_chunks(metrics[0], results):
        return metrics[0]
    return next((metric for metric in metrics if metric.metric.view == SPANS), None)


def fair_metrics_first(results: Sequence[Result], metrics: tuple[BoundMetric, ...]) -> tuple[BoundMetric, ...]:
    """The metrics in their order; span metrics come first if the first metric is unfair to the results."""
    if not metrics or not counts_chunks(metrics[0], results):
        return metrics
    return tuple(sorted(metrics, key=lambda metric: metric.metric.view != SPANS))
