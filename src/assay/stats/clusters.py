"""Clusters: queries that belong together, such as paraphrases, are tested and resampled together.

With C clusters and n queries, the n differences become C values x_c = (C/n)·Σ dᵢ over the queries of cluster c. Their mean
is the mean of the differences, and they are independent if the clusters are.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats, Ints
from assay.errors import BadParameter
from assay.model import RATIOS, Column
from assay.stats.intervals import AUTO, METHODS, NONE, FigureDifference, column_intervals, difference_of_resamples
from assay.stats.jackknife import jackknifed
from assay.stats.mean_intervals import BOOTSTRAP, RESAMPLES, WILSON, Resampled, T, check_request, ends, mean_intervals
from assay.stats.numeric import AVERAGED, averaged, summarised
from assay.stats.resampling import index_blocks


@dataclass(frozen=True, eq=False)
class Clusters:
    """The cluster of each query, as a number from 0."""

    codes: Ints

    @classmethod
    def of(cls, keys: Sequence[Hashable]) -> Clusters:
        """The clusters of queries with these keys, in the order of the keys: equal keys are one cluster."""
        numbers = {key: number for number, key in enumerate(sorted(set(keys), key=repr))}
        return cls(np.array([numbers[key] for key in keys], dtype=np.int64))

    def taken(self, inside: NDArray[np.bool_]) -> Clusters:
        """The clusters of some of the queries; clusters without any of them do not count."""
        return Clusters(np.unique(self.codes[inside], return_inverse=True)[1].astype(np.int64))

    @cached_property
    def sizes(self) -> Floats:
        """The number of queries in each cluster."""
        return np.bincount(self.codes).astype(float)

    @property
    def n(self) -> int:
        """The number of clusters."""
        return len(self.sizes)

    @property
    def is_single(self) -> bool:
        """Whether every cluster has one query, so that clusters change nothing."""
        return self.n == len(self.codes)

    @property
    def reach(self) -> float:
        """The largest value of a cluster, if every difference is at most 1."""
        return float(self.sizes.max(initial=0.0)) * self.n / max(len(self.codes), 1)

    def sums(self, values: Floats) -> Floats:
        """Queries × columns → clusters × columns: the sums of the clusters, scaled so that their mean is that of the values.

        Their signs are flipped together in a randomisation test.
        """
        total = np.zeros((self.n, values.shape[1]))
        np.add.at(total, self.codes, values)
        return total * (self.n / max(len(values), 1))

    def linear(self, values: Floats) -> Floats:
        """Like `sums`, but around the mean, so that clusters of different sizes do not vary because of their sizes alone.

        This is the linear contribution of each cluster to the mean (Cochran 1977, Sampling Techniques, ch. 6 and 9).
        """
        if len(set(self.sizes.tolist())) < 2:
            return self.sums(values)
        mean = values.mean(axis=0)
        return self.sums(values - mean) + mean


def clustered_intervals(
    columns: Mapping[str, Column],
    clusters: Clusters,
    method: str = AUTO,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, tuple[float, float, str]]:
    """Like `column_intervals`, but clusters are what varies; with fewer than two clusters, an interval is (nan, nan, none).

    `auto` is Student's t over the clusters for means, and a bootstrap of clusters for all other values. Wilson's interval
    does not apply, because the hits of a cluster are not independent.
    """
    check_request(method, level, resamples, seed, METHODS)
    if method == WILSON:
        raise BadParameter("Wilson's interval needs independent queries, so it cannot be used with clusters. Use auto or t")
    known = {name: column for name, column in columns.items() if column.aggregation.summarise is not None}
    return {name: _interval(column, clusters, method, level, resamples, seed) for name, column in known.items()}


def _interval(
    column: Column, clusters: Clusters, method: str, level: float, resamples: int, seed: int
) -> tuple[float, float, str]:
    defined = column.counts
    inside, score, weight = clusters.taken(defined), column.score[defined].astype(float), column.weight[defined]
    if inside.n < 2 or not np.isfinite(weight).all() or not (column.is_composed or np.isfinite(score).all()):
        return np.nan, np.nan, NONE
    if column.aggregation.figure is not None and column.is_composed:
        return *jackknifed(weight, column.aggregation.figure, inside.codes).interval(level), T
    if column.aggregation in AVERAGED:
        chosen = T if method == AUTO else method
        values = inside.linear(averaged(score, column.aggregation)[:, np.newaxis])
        interval = mean_intervals(values, chosen, level, resamples, seed)
        low, high = (summarised(float(end[0]), len(score), column.aggregation) for end in interval)
        return low, high, chosen
    is_sum = column.aggregation in RATIOS or column.aggregation.counted_quantile is not None
    if column.is_composed and is_sum:
        summed = Column(np.zeros(inside.n), inside.sums(weight), column.aggregation)
        return column_intervals({"": summed}, method, level, resamples, seed)[""]
    figures = _figures(Column(score, weight, column.aggregation), inside, resamples, seed)
    figures = figures[~np.isnan(figures)]
    if not len(figures):
        return np.nan, np.nan, NONE
    drawn = ends(Resampled(np.array([column.summary()]), figures[np.newaxis], np.zeros(1)), BOOTSTRAP, level)
    return float(drawn.low[0]), float(drawn.high[0]), BOOTSTRAP


def _figures(column: Column, clusters: Clusters, resamples: int, seed: int) -> Floats:
    """The summary of all queries in resamples of the clusters."""
    summarise = column.aggregation.summarise
    if summarise is None:
        return np.full(resamples, np.nan)
    members = np.split(np.argsort(clusters.codes, kind="stable"), np.cumsum(clusters.sizes[:-1]).astype(int))
    rows = (np.concatenate([members[number] for number in drawn]) for block in index_blocks(clusters.n, resamples, seed)
            for drawn in block.tolist())  # fmt: skip
    return np.array([summarise(column.score[row], column.weight[row]) for row in rows])


def clustered_difference(
    a: Column,
    b: Column,
    clusters: Clusters,
    alternative: str = "two_sided",
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> FigureDifference:
    """Like `figure_difference`, but both summaries are computed again in resamples of the clusters."""
    if clusters.n < 2:
        return FigureDifference(np.nan, np.nan, 1.0 if clusters.n else np.nan)
    of_a, of_b = (_figures(column, clusters, resamples, seed) for column in (a, b))
    return difference_of_resamples(of_a, of_b, b.summary() - a.summary(), clusters.n, alternative, level)
