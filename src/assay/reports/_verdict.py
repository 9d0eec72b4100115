"""Sentences about which provider is better, and what the queries at hand can tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.comparison.compare import compare_results
from assay.comparison.comparison import Comparison
from assay.comparison.how import How
from assay.errors import AssayError
from assay.evaluation.plan_statistics import Statistics
from assay.evaluation.result import Result
from assay.stats._power import minimum_detectable_effect

UNFAIR = (
    "{name} counts chunks, and each chunker makes its own: chunkers cannot be compared by it. "
    "span_recall@10, span_precision@10 and span_iou@10 can."
)
FEW = 6
"""Fewer queries than this detect nothing."""


def verdict_notes(results: Sequence[Result], statistics: Statistics) -> list[str]:
    """What may be said about the first metric of several providers; nothing where no test is wanted."""
    if statistics.significance_testing is None or len(results) < 2:
        return []
    metric = _fair_metric(results)
    if metric is None:
        return [UNFAIR.format(name=results[0].metrics[0].name)]
    how = How(test=statistics.significance_testing, alpha=statistics.alpha)
    try:
        comparison = compare_results(results, how, metrics=[metric], intersect=True)
    except AssayError:  # a metric without a figure, or nothing to compare by
        return []
    return [comparison.verdict, *_power(comparison)]


def _fair_metric(results: Sequence[Result]) -> str | None:
    """The first metric; of several chunkers the first that is not about chunks, which each of them makes differently."""
    metrics = results[0].metrics
    cuts = {str(result.provenance.get("chunks", {}).get("chunker")) for result in results}
    if len(cuts) == 1 or all(result.relevance.get("strategy_used") != "span" for result in results):
        return metrics[0].name
    return next((metric.name for metric in metrics if metric.metric.view == "spans"), None)


def _power(comparison: Comparison) -> Iterator[str]:
    """How small a difference these queries would show, between the two best."""
    (metric,) = comparison.metrics
    sign = 1 if metric.metric.higher_is_better else -1
    best, second = sorted(comparison.results, key=lambda result: -sign * result.summary[metric.name])[:2]
    differences = best.array(metric.name) - second.array(metric.name)
    if len(differences) >= FEW and differences.any():
        smallest = minimum_detectable_effect(differences, alpha=comparison.how.alpha)
        both = f"{best.name} and {second.name}"
        yield f"{len(differences):,} queries like these can tell {both} apart from a difference of about {smallest:.2g} on."
