"""Bands in reports: which there are, what their figures are called, and the scores of each query in them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.evaluation import Band, Result


@dataclass(frozen=True)
class Kind:
    """One kind of band: where a result has it, and how it is named."""

    name: str
    """The word in heads of tables and columns."""
    key: str
    """The word in JSON, as the attribute of a result."""
    trec: str
    """The word in names as trec_eval has them."""
    words: tuple[str, ...]
    """What its figures are called, everywhere."""
    of: Callable[[Result], Mapping[str, Band]]

    @property
    def head(self) -> str:
        """What stands behind the metric above a column."""
        return f"{self.name}: {' – '.join(self.words)}"


KINDS = (
    Kind("ties", "tie_bands", "tie", ("min", "mean", "max"), lambda result: result.tie_bands),
    Kind("unjudged", "residuals", "unjudged", ("min", "max"), lambda result: result.residuals),
)


def bands_of(result: Result, metric: str) -> Iterator[tuple[Kind, Band]]:
    """The bands that a metric has, those of ties first."""
    for kind in KINDS:
        if metric in kind.of(result):
            yield kind, kind.of(result)[metric]


def band_scores(result: Result, metric: str, band: Band) -> dict[str, dict[str, float]]:
    """Word → query → score. A query that does not count for the metric is not there."""
    if result.grader is None:
        return {word: {} for word in band.columns}
    queries = result.grader.grading(result.policies[metric]).run.query_ids
    return {word: dict(zip(queries, column.score.tolist(), strict=True)) for word, column in band.columns.items()}


def bands_by_query(result: Result) -> dict[str, dict[str, dict[str, dict[str, Any]]]]:
    """Query → kind → metric → word → score, for JSON; in the order of the result's queries."""
    found: dict[str, dict[str, dict[str, dict[str, Any]]]] = {query: {} for query in result.query_ids}
    for kind in KINDS:
        for metric, band in kind.of(result).items():
            for word, scores in band_scores(result, metric, band).items():
                for query, score in scores.items():
                    of_metric = found[query].setdefault(kind.key, {}).setdefault(metric, {})
                    of_metric[word] = None if math.isnan(score) else score
    return found
