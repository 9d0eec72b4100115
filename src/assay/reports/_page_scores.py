"""Scores of a page: how they are spread over queries, and by how much they changed."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from assay.arrays import Floats
from assay.metrics import BoundMetric
from assay.reports._page_charts import drawn
from assay.reports._page_matter import BenchmarkReport
from assay.reports._page_parts import TEXT, Column, Field, Grid, Section, anchor_of, columns, number, words
from assay.text import percent

BINS = 10
QUANTILES = (("least", 0.0), ("lower quarter", 0.25), ("median", 0.5), ("upper quarter", 0.75), ("most", 1.0))


def scores_section(matter: BenchmarkReport) -> Section | None:
    """How many queries have which score, for each system; of two systems the differences too."""
    metric = matter.moving
    if metric is None:
        return None
    scores = [_scores(matter, place, metric) for place in range(len(matter.shown))]
    parts: list[object] = [_spread(matter, metric, scores)]
    if metric.metric.range == (0.0, 1.0):
        parts.insert(0, _histogram(matter, metric, scores))
    if matter.pair is not None:
        parts += drawn(matter, "difference_histogram", metric=metric.name, results=matter.looked_at)
    return Section(anchor_of("scores", matter.group), "Score distributions", tuple(parts))


def _scores(matter: BenchmarkReport, place: int, metric: BoundMetric) -> Floats:
    column = matter.shown[place].table.columns[metric.name].score.astype(float)
    return column[~np.isnan(column)]


def _histogram(matter: BenchmarkReport, metric: BoundMetric, scores: list[Floats]) -> Grid:
    """Shares of queries between tenths; exactly 0 and exactly 1 have rows of their own."""
    edges = [step / BINS for step in range(BINS + 1)]
    counts = [_counts(some, edges) for some in scores]
    heads = ["0", *(f"{low:.1f} – {high:.1f}" for low, high in pairwise(edges)), "1"]
    rows = []
    for place, head in enumerate(heads):
        fields = []
        for some in counts:
            share = some[place] / max(1, sum(some))
            fields.append(number(f"{some[place]:,} ({percent(share)})", some[place], share=share))
        rows.append((Field(head, sort=place), *fields))
    label = f"Queries by {metric.name}"
    note = "0 and 1 are counted by themselves; the ranges between have neither."
    return Grid(label, columns(Column(metric.name, TEXT), *matter.names), tuple(rows), title=label, notes=(note,))


def _counts(scores: Floats, edges: list[float]) -> list[int]:
    """Queries with 0, in each tenth, and with 1."""
    inside = scores[(scores > 0) & (scores < 1)]
    tenths = np.clip((inside * (len(edges) - 1)).astype(int), 0, len(edges) - 2)
    found = np.bincount(tenths, minlength=len(edges) - 1).tolist()
    return [int((scores <= 0).sum()), *found, int((scores >= 1).sum())]


def _spread(matter: BenchmarkReport, metric: BoundMetric, scores: list[Floats]) -> Grid:
    """Quantiles of each system's scores."""
    rows = []
    for name, some in zip(matter.names, scores, strict=True):
        values = [float(np.quantile(some, at)) if len(some) else math.nan for _, at in QUANTILES]
        fields = [number(matter.figures.value(metric, value), value) for value in values]
        rows.append((words(name), number(f"{len(some):,}", len(some)), *fields))
    heads = ["system", "queries", *(name for name, _ in QUANTILES)]
    return Grid(f"Spread of {metric.name}", columns(*heads), tuple(rows))
