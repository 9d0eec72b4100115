"""ScoreTable: one score per query and metric, and how each column comes down to one figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats
from assay.serialize import to_json

GEOMETRIC_FLOOR = 1e-5
"""trec_eval's smallest score in a geometric mean: one zero must not erase all other queries."""


class Composed(NamedTuple):
    """Scores beside what their summary is made of, where it does not follow from the scores: a row of parts per query."""

    score: Floats
    parts: Floats
    """Queries × parts; nan where a query does not count."""


Scores = Floats
"""One value per query of a view, in the view's order."""
Outcome = Scores | Composed | list[str]
"""What a metric may return: scores, scores with the parts of their summary, or text."""


@dataclass(frozen=True, slots=True)
class Aggregation:
    """How the scores of a metric become its summary.

    `weight` is the parts of what is Composed, else 1 per query.
    """

    name: str
    summarise: Callable[[Floats, Floats], float] | None
    n_parts: int = 0
    """How many parts of each query the summary is made of; 0 where it is made of the scores."""

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


def _evenness(score: Floats, parts: Floats) -> float:
    if parts.ndim == 1:
        return _mean(score, parts)
    share = np.unique(parts[:, 0], return_counts=True)[1] / len(parts)
    n_kinds = max(float(parts[:, 1].max()), len(share))
    return float(-np.dot(share, np.log(share)) / np.log(n_kinds)) + 0.0 if n_kinds > 1 else float("nan")


def quantile(q: float) -> Aggregation:
    """The q-quantile of the scores, interpolated linearly (latency at the 95th percentile: `quantile(0.95)`)."""
    return Aggregation(f"quantile {q:g}", partial(_quantile, q=q))


MEAN = Aggregation("mean", _mean)
SUM = Aggregation("sum", _sum)
PERCENTAGE = Aggregation("percentage", _mean)
"""The mean of scores from 0 to 100: those of single queries are percentages too."""
GEOMETRIC_MEAN = Aggregation("geometric mean", _geometric_mean)
PERCENTAGE_OF_SUMS = Aggregation("percentage of sums", _percentage_of_sums, n_parts=2)
"""Of two parts, the first as a percentage of the second, both summed; undefined where the second comes to 0."""
EVENNESS = Aggregation("normalised entropy", _evenness, n_parts=2)
"""Of two parts, the kind of a query and how many kinds there could be: 1 where all kinds are equally frequent."""
TEXT = Aggregation("per query only", None)


class Column(NamedTuple):
    """One metric's scores."""

    score: NDArray[Any]
    weight: Floats
    aggregation: Aggregation

    @classmethod
    def of(cls, scores: Outcome, aggregation: Aggregation) -> Column:
        """A column out of whatever a metric returned."""
        if isinstance(scores, Composed):
            return cls(np.asarray(scores.score, dtype=float), np.asarray(scores.parts, dtype=float), aggregation)
        values = np.array(scores, dtype=object) if isinstance(scores, list) else np.asarray(scores, dtype=float)
        return cls(values, np.ones(len(values)), aggregation)

    @classmethod
    def undefined(cls, n: int, aggregation: Aggregation) -> Column:
        """A column of n queries without a score."""
        score = np.full(n, np.nan)
        parts = np.full((n, aggregation.n_parts), np.nan)
        return cls.of(Composed(score, parts) if aggregation.n_parts else score, aggregation)

    @property
    def is_composed(self) -> bool:
        """Whether the summary is made of parts, and not of the scores."""
        return self.weight.ndim > 1

    @property
    def has_scores(self) -> bool:
        """Whether queries have scores of their own; where all are undefined, the summary may be made of parts still."""
        return not self.is_composed or not np.isnan(self.score).all() or not self.counts.any()

    @property
    def counts(self) -> NDArray[np.bool_]:
        """Which queries the summary rests on: those with a score; where it is made of parts, those that have them."""
        lacking = np.isnan(self.weight).any(axis=1) if self.is_composed else np.isnan(self.score)
        return np.logical_not(lacking, dtype=np.bool_)

    def summary(self) -> float:
        """One figure. A score of nan is undefined for that query and left out, unless it has parts that count."""
        if self.aggregation.summarise is None or not (counts := self.counts).any():
            return float("nan")
        return self.aggregation.summarise(self.score[counts], self.weight[counts])

    def parts(self) -> list[list[float | None]]:
        """What the summary is made of, as plain values; nothing where that is the scores."""
        return to_json(self.weight) if self.is_composed else []

    def values(self) -> list[Any]:
        """Scores as plain Python values, None where undefined."""
        return [None if value != value else value for value in self.score.tolist()]


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Query × metric. Intervals, comparisons, slices, gates and reports read this and nothing else."""

    query_ids: tuple[str, ...]
    columns: Mapping[str, Column]

    def summary(self) -> dict[str, float]:
        """The figure of each metric over all queries where it is defined; nan when there are none. Text has no figure."""
        return {name: column.summary() for name, column in self.columns.items() if column.aggregation.summarise}

    def take(self, order: NDArray[np.int64]) -> ScoreTable:
        """The same table with its queries in another order."""
        columns = {
            name: Column(column.score[order], column.weight[order], column.aggregation)
            for name, column in self.columns.items()
        }
        return ScoreTable(tuple(self.query_ids[number] for number in order.tolist()), columns)

    def by_query(self) -> dict[str, dict[str, float | str | None]]:
        """Query id → metric → score, as plain Python values; None where a score is undefined."""
        lists = [column.values() for column in self.columns.values()]
        return {query: dict(zip(self.columns, row, strict=True)) for query, *row in zip(self.query_ids, *lists, strict=True)}
