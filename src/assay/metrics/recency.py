"""Recency: metrics whose gains decay with the age of documents; the half-life is applied before a metric reads a run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.arrays import Floats
from assay.errors import UsageError
from assay.metrics.definition import BoundMetric, Worth
from assay.views import GradedRun, Hits


def recency(age: Floats, half_life: float) -> Floats:
    """2^(−age ÷ half_life): 1 for a new document, ½ after one half-life.

    A document from the future counts as new, and so does one whose age is unknown (nan).
    """
    return np.exp2(-np.maximum(np.nan_to_num(age, nan=0.0), 0.0) / half_life)


def by_age(metric: BoundMetric, *runs: GradedRun) -> tuple[BoundMetric, tuple[GradedRun, ...]]:
    """The metric without its half-life, and runs in which the grades have decayed accordingly; unchanged without one.

    Exactly the worth of a document to the metric is multiplied by its recency, in the ranking and in the ideal ranking.
    """
    half_life, worth = metric.half_life, metric.metric.worth
    if half_life is None or worth is None:
        return metric, runs
    named = {name: value for name, value in worth.plain.items() if name in metric.params}
    plain = metric.metric.bind(**{**metric.params, **named, "half_life": None})
    return plain, tuple(_decayed(metric, worth, run, half_life) for run in runs)


def _decayed(metric: BoundMetric, worth: Worth, run: GradedRun, half_life: float) -> GradedRun:
    """The run with grades that have the decayed worth. All negative grades stay: they mark unjudged documents."""

    def decayed(hits: Hits) -> Hits:
        if hits.age is None:
            what = f"{metric.name} needs the ages of documents"
            raise UsageError(f"{what}. Use a benchmark whose queries and documents have times: --dataset, or assay eval")
        value = worth.of_grade(run, hits, metric.params) * recency(hits.age, half_life)
        grade = value if worth.to_grade is None else worth.to_grade(value)
        return replace(hits, grade=np.where(hits.grade < 0, hits.grade, grade))

    top = run.max_grade if worth.top is None else worth.top(run, metric.params)
    return replace(run, retrieved=decayed(run.retrieved), ideal=_best_first(decayed(run.ideal)), max_grade=top, level=None)


def _best_first(ideal: Hits) -> Hits:
    """The ideal ranking in the order of its new grades; ranks are places, so they stay."""
    order = np.lexsort((-ideal.grade, ideal.query))
    return replace(ideal.where(order), rank=ideal.rank)
