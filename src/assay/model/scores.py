"""ScoreTable: one score per query and metric, and how each column comes down to one figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.model.graded import ratio
from assay.model.ordering import Floats

GEOMETRIC_FLOOR = 1e-5
"""trec_eval's smallest score in a geometric mean: one zero must not erase all other queries."""


class Ratio(NamedTuple):
    """Scores that are quotients; their summary is the ratio of the two sums, not the mean of the quotients."""

    numerator: Floats
    denominator: Floats


Scores = Floats
"""One value per query of a view, in the view's order."""
Outcome = Scores | Ratio | list[str]
"""What a metric may return: scores, quotients, or text."""


@dataclass(frozen=True, slots=True)
class Aggregation:
    """How the scores of a metric become its summary; `weight` is the denominator of a Ratio, else 1 per query."""

    name: str
    summarise: Callable[[Floats, Floats], float] | None

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


def _ratio_of_sums(score: Floats, weight: Floats) -> float:
    return float(ratio(np.dot(score, weight), np.sum(weight)))


def _quantile(score: Floats, _: Floats, q: float) -> float:
    return float(np.quantile(score, q))


def quantile(q: float) -> Aggregation:
    """The q-quantile of the scores, interpolated linearly (latency at the 95th percentile: `quantile(0.95)`)."""
    return Aggregation(f"quantile {q:g}", partial(_quantile, q=q))


MEAN = Aggregation("mean", _mean)
SUM = Aggregation("sum", _sum)
GEOMETRIC_MEAN = Aggregation("geometric mean", _geometric_mean)
RATIO_OF_SUMS = Aggregation("ratio of sums", _ratio_of_sums)
TEXT = Aggregation("per query only", None)


class Column(NamedTuple):
    """One metric's scores."""

    score: NDArray[Any]
    weight: Floats
    aggregation: Aggregation

    @classmethod
    def of(cls, scores: Outcome, aggregation: Aggregation) -> Column:
        """A column out of whatever a metric returned."""
        if isinstance(scores, Ratio):
            return cls(ratio(*scores), np.asarray(scores.denominator, dtype=float), aggregation)
        values = np.array(scores, dtype=object) if isinstance(scores, list) else np.asarray(scores, dtype=float)
        return cls(values, np.ones(len(values)), aggregation)

    def summary(self) -> float:
        """One figure. A score of nan is undefined for that query and left out."""
        defined = ~np.isnan(self.score)
        if self.aggregation.summarise is None or not defined.any():
            return float("nan")
        return self.aggregation.summarise(self.score[defined], self.weight[defined])

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
