"""ScoreTable: one score per query and metric, and the summary of each metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats
from assay.model.exposure import Figure, coverage, entropy, gini, of_all
from assay.serialize import to_json

SECOND_EDGES: Floats = np.concatenate([np.arange(20.0), 20 * 1.05 ** np.arange(106), [3600.0]])
"""The edges of the bins in which times are counted: 1 second wide up to 20 seconds, then about 5 % wide up to an hour.

A longer time counts in the last bin.
"""
GEOMETRIC_FLOOR = 1e-5
"""trec_eval's smallest score in a geometric mean, so that one zero does not make the whole mean zero."""


class Composed(NamedTuple):
    """Scores, and the parts (one row per query) that their summary is computed from if the scores are not enough."""

    score: Floats
    parts: Floats
    """Queries × parts; nan if a query does not count."""


Scores = Floats
"""One value per query of a view, in the view's order."""
Outcome = Scores | Composed | list[str]
"""What a metric may return: scores, scores with parts for their summary, or text."""


@dataclass(frozen=True, slots=True)
class Aggregation:
    """How the scores of a metric become its summary.

    `summarise` gets the scores, and the parts of Composed scores (otherwise 1 per query).
    """

    name: str
    summarise: Callable[[Floats, Floats], float] | None
    n_parts: int = 0
    """How many parts per query the summary is computed from; 0 if it is computed from the scores, or if it varies."""
    figure: Figure | None = None
    """What the summary says about all lists together, if it does. The parts of a query are the documents of its list."""

    @property
    def needs_parts(self) -> bool:
        """Whether the summary is computed from parts, not from scores."""
        return self.n_parts > 0 or self.figure is not None

    @property
    def counted_quantile(self) -> float | None:
        """The q of a quantile of counted times; None for any other summary."""
        is_counted = isinstance(self.summarise, partial) and self.summarise.func is _quantile_of_counts
        return self.summarise.keywords["q"] if is_counted and isinstance(self.summarise, partial) else None

    @property
    def is_total(self) -> bool:
        """Whether scores are counts that add up."""
        return self.name == "sum"

    def __repr__(self) -> str:
        return self.name


def _mean(score: Floats, _: Floats) -> float:
    return float(np.mean(score))


def _sum(score: Floats, _: Floats) -> float:
    return float(np.sum(score))


def _geometric_mean(score: Floats, _: Floats) -> float:
    return float(np.exp(np.mean(np.log(np.maximum(score, GEOMETRIC_FLOOR)))))


def _quantile(score: Floats, _: Floats, q: float) -> float:
    return float(np.quantile(score, q))


def _percentage_of_sums(score: Floats, parts: Floats) -> float:
    if parts.ndim == 1:  # only scores are known
        return _mean(score, parts)
    top, bottom = parts.sum(axis=0)
    return float(100 * top / bottom) if bottom else float("nan")


def _ratio_of_sums(score: Floats, parts: Floats) -> float:
    return _percentage_of_sums(score, parts) / (100 if parts.ndim > 1 else 1)


def _quantile_of_counts(score: Floats, parts: Floats, q: float) -> float:
    return _quantile(score, parts, q) if parts.ndim == 1 else quantile_of_counts(parts.sum(axis=0), q)


def quantile_of_counts(counts: Floats, q: float) -> float:
    """The q-quantile of times that are counted in the bins of `SECOND_EDGES`, interpolated in a bin; nan without any."""
    reached = np.concatenate(([0.0], np.cumsum(counts)))
    if not reached[-1]:
        return float("nan")
    place = int(np.searchsorted(reached[1:], q * reached[-1] if q else np.nextafter(0, 1)))
    inside = (q * reached[-1] - reached[place]) / counts[place]
    return float(SECOND_EDGES[place] + inside * (SECOND_EDGES[place + 1] - SECOND_EDGES[place]))


def _evenness(score: Floats, parts: Floats) -> float:
    if parts.ndim == 1:
        return _mean(score, parts)
    share = np.unique(parts[:, 0], return_counts=True)[1] / len(parts)
    n_kinds = max(float(parts[:, 1].max()), len(share))
    return float(-np.dot(share, np.log(share)) / np.log(n_kinds)) + 0.0 if n_kinds > 1 else float("nan")


def _mean_of_first(score: Floats, parts: Floats) -> float:
    return float(np.mean(score if parts.ndim == 1 else parts[:, 0]))


def _of_all_lists(_score: Floats, parts: Floats, figure: Figure) -> float:
    return float("nan") if parts.ndim == 1 else of_all(figure, parts)


def _unknown(_score: Floats, _parts: Floats) -> float:
    return float("nan")


def quantile(q: float) -> Aggregation:
    """The q-quantile of the scores, with linear interpolation (95th percentile of latency: `quantile(0.95)`)."""
    return Aggregation(f"quantile {q:g}", partial(_quantile, q=q))


def counted_quantile(q: float) -> Aggregation:
    """The q-quantile of times that are counted in bins; the parts of a query are its counts. See `SECOND_EDGES`."""
    return Aggregation(f"counted quantile {q:g}", partial(_quantile_of_counts, q=q), n_parts=len(SECOND_EDGES) - 1)


MEAN = Aggregation("mean", _mean)
SUM = Aggregation("sum", _sum)
PERCENTAGE = Aggregation("percentage", _mean)
"""The mean of scores from 0 to 100: the score of a single query is a percentage too."""
GEOMETRIC_MEAN = Aggregation("geometric mean", _geometric_mean)
PERCENTAGE_OF_SUMS = Aggregation("percentage of sums", _percentage_of_sums, n_parts=2)
"""For two parts: the sum of the first as a percentage of the sum of the second; undefined if the second sum is 0."""
RATIO_OF_SUMS = Aggregation("ratio of sums", _ratio_of_sums, n_parts=2)
"""For two parts: the sum of the first divided by the sum of the second; undefined if the second sum is 0."""
RATIOS = {PERCENTAGE_OF_SUMS: 100.0, RATIO_OF_SUMS: 1.0}
"""Summaries that are one sum divided by another, and what the quotient is multiplied by."""
EVENNESS = Aggregation("normalised entropy", _evenness, n_parts=2)
"""For two parts, the kind of a query and the number of possible kinds: 1 if all kinds are equally frequent."""
ESTIMATE = Aggregation("estimate", _mean_of_first, n_parts=3)
"""The mean of the first part, if only a sample is judged. The parts of a query: its contribution to the mean, which is not a
score and may be outside the range of the metric; 1 if people judged it, else 0; variance that the sample cannot show."""
PAIR_ESTIMATE = Aggregation("estimate from pairs", _mean_of_first, n_parts=4)
"""The same, if single pairs of query and document are judged. The fourth part is what the judged documents say: queries on
which it is equal do not tell two systems apart."""
DIFFERENCE_ESTIMATE = Aggregation("estimate of differences", _unknown, n_parts=5)
"""The same, if the judged pairs were drawn for the difference of two systems, so that the value of one system is
unknown. The fifth part is 1."""
ESTIMATES = {each.n_parts: each for each in (ESTIMATE, PAIR_ESTIMATE, DIFFERENCE_ESTIMATE)}
"""Number of parts → the estimate that has so many."""
CATALOGUE_COVERAGE = Aggregation("coverage by all lists", partial(_of_all_lists, figure=coverage), figure=coverage)
EXPOSURE_ENTROPY = Aggregation("entropy over all lists", partial(_of_all_lists, figure=entropy), figure=entropy)
EXPOSURE_GINI = Aggregation("Gini coefficient over all lists", partial(_of_all_lists, figure=gini), figure=gini)
TEXT = Aggregation("per query only", None)


class Column(NamedTuple):
    """One metric's scores."""

    score: NDArray[Any]
    weight: Floats
    aggregation: Aggregation

    @classmethod
    def of(cls, scores: Outcome, aggregation: Aggregation, ones: Floats | None = None) -> Column:
        """A column from what a metric returned. Columns of the same length can share the array of ones."""
        if isinstance(scores, Composed):
            return cls(np.asarray(scores.score, dtype=float), np.asarray(scores.parts, dtype=float), aggregation)
        values = np.array(scores, dtype=object) if isinstance(scores, list) else np.asarray(scores, dtype=float)
        if ones is None or len(ones) != len(values):
            ones = np.ones(len(values))
        return cls(values, ones, aggregation)

    @classmethod
    def undefined(cls, n: int, aggregation: Aggregation) -> Column:
        """A column for n queries without scores."""
        score = np.full(n, np.nan)
        if not aggregation.needs_parts:
            return cls.of(score, aggregation)
        return cls.of(Composed(score, np.full((n, max(aggregation.n_parts, 1)), np.nan)), aggregation)

    @property
    def is_composed(self) -> bool:
        """Whether the summary is computed from parts, not from the scores."""
        return self.weight.ndim > 1

    @property
    def is_estimate(self) -> bool:
        """Whether the summary is an estimate from a sample of judgments, so that single queries have no scores."""
        return self.aggregation in ESTIMATES.values()

    @property
    def is_difference(self) -> bool:
        """Whether it is an estimate of which only the difference to that of another system has a meaning."""
        return self.aggregation == DIFFERENCE_ESTIMATE

    @property
    def has_scores(self) -> bool:
        """Whether single queries have scores. If none has, the summary may still be computed from parts."""
        return not self.is_composed or not np.isnan(self.score).all() or not self.counts.any()

    @property
    def counts(self) -> NDArray[np.bool_]:
        """Which queries the summary is based on: those with a score, or those with parts if it is computed from parts."""
        lacking = np.isnan(self.weight).any(axis=1) if self.is_composed else np.isnan(self.score)
        return np.logical_not(lacking, dtype=np.bool_)

    def summary(self) -> float:
        """The summary over all queries. A score of nan is undefined and left out, unless the query has parts that count."""
        if self.aggregation.summarise is None or not (counts := self.counts).any():
            return float("nan")
        return self.aggregation.summarise(self.score[counts], self.weight[counts])

    def parts(self) -> list[list[float | None]]:
        """The parts that the summary is computed from, as plain values; empty if it is computed from the scores."""
        return to_json(self.weight) if self.is_composed else []

    def values(self) -> list[Any]:
        """Scores as plain Python values; None if undefined."""
        return [None if value != value else value for value in self.score.tolist()]


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Scores by query and metric: the only input of intervals, comparisons, slices, gates and reports."""

    query_ids: tuple[str, ...]
    columns: Mapping[str, Column]

    def summary(self) -> dict[str, float]:
        """The summary of each metric over all queries with a defined score; nan if there are none. Text has no summary.

        Scores are added in the order of the query ids, so that rounding does not depend on the order of queries.
        """
        columns = self.by_id().columns
        return {name: column.summary() for name, column in columns.items() if column.aggregation.summarise}

    def by_id(self) -> ScoreTable:
        """The same table with its queries in the order of their ids: random draws must not depend on the order of lines."""
        order = sorted(range(len(self.query_ids)), key=self.query_ids.__getitem__)
        return self if order == list(range(len(order))) else self.take(np.array(order, dtype=np.int64))

    def take(self, order: NDArray[np.int64]) -> ScoreTable:
        """The same table with its queries in another order."""
        columns = {
            name: Column(column.score[order], column.weight[order], column.aggregation)
            for name, column in self.columns.items()
        }
        return ScoreTable(tuple(self.query_ids[number] for number in order.tolist()), columns)

    def by_query(self) -> dict[str, dict[str, float | str | None]]:
        """Query id → metric → score, as plain Python values; None if a score is undefined."""
        lists = [column.values() for column in self.columns.values()]
        return {query: dict(zip(self.columns, row, strict=True)) for query, *row in zip(self.query_ids, *lists, strict=True)}

    def with_rows(self, changed: ScoreTable, gone: AbstractSet[str] = frozenset()) -> ScoreTable:
        """The table with the rows of another one for the same queries, with new queries last, and without those gone.

        Columns that the other table does not have keep their values; new queries have none there.
        """
        kept = [place for place, query in enumerate(self.query_ids) if query not in gone]
        known = {self.query_ids[place] for place in kept}
        new = [query for query in changed.query_ids if query not in known]
        ids = (*(self.query_ids[place] for place in kept), *new)
        places = {query: place for place, query in enumerate(ids)}
        at = [places[query] for query in changed.query_ids]
        columns = {}
        for name, column in self.columns.items():
            parts = np.full((len(new), *column.weight.shape[1:]), np.nan if column.is_composed else 1.0)
            score = np.concatenate([column.score[kept], np.full(len(new), np.nan)])
            weight = np.concatenate([column.weight[kept], parts])
            if at and (again := changed.columns.get(name)) is not None:
                score[at], weight[at] = again.score, again.weight
            columns[name] = Column(score, weight, column.aggregation)
        return ScoreTable(ids, columns)
