"""Sentences about which provider is better, and what the queries at hand can tell."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from assay.comparison import Comparison, ComparisonOptions, compare_results, fair_metric, sign_of
from assay.evaluation import Result
from assay.execution import Statistics, is_total_failure
from assay.model import MEAN
from assay.stats import minimum_detectable_effect
from assay.text import milliseconds

UNFAIR = (
    "{name} counts chunks, and each chunker makes its own: chunkers cannot be compared by it. "
    "span_recall@10, span_precision@10 and span_iou@10 can."
)
FEW = 6
"""Fewer queries than this detect nothing."""


def verdict_notes(results: Sequence[Result], statistics: Statistics) -> list[str]:
    """What may be said about the first metric of several providers that answered; nothing where no test is wanted."""
    results = [result for result in results if not is_total_failure(result)]
    if statistics.significance_testing is None or len(results) < 2:
        return []
    metric = fair_metric(results)
    if metric is None:
        return [UNFAIR.format(name=results[0].metrics[0].name)]
    if any(metric.name not in result.summary for result in results):  # text, which is not compared
        return []
    how = ComparisonOptions(test=statistics.significance_testing, alpha=statistics.alpha)
    comparison = compare_results(results, how, metrics=[metric], intersect=True)
    return [comparison.verdict, *comparison.remarks, *power_notes(comparison)]


def power_notes(comparison: Comparison) -> Iterator[str]:
    """How small a difference of the first metric these queries show, between the two best; nothing if it is no mean."""
    metric = comparison.metrics[0]
    ranked = [result for result in comparison.results if not math.isnan(result.summary[metric.name])]
    if metric.metric.aggregation != MEAN or len(ranked) < 2 or _is_untested(comparison, metric.name):
        return
    best, second = sorted(ranked, key=lambda result: -sign_of(metric) * result.summary[metric.name])[:2]
    differences = best.array(metric.name) - second.array(metric.name)
    differences = differences[~np.isnan(differences)]
    if len(differences) >= FEW and differences.any():
        smallest = minimum_detectable_effect(differences, alpha=comparison.how.alpha)
        about = milliseconds(smallest) if metric.metric.view == "timing" else f"{smallest:.2g}"
        both = f"{best.name} and {second.name}"
        yield f"{len(differences):,} queries like these can tell {both} apart from a difference of about {about} on."


def _is_untested(comparison: Comparison, metric: str) -> bool:
    return any(pair.untested for pair in comparison.pairs if pair.metric == metric)
