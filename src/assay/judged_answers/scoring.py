"""Scoring: metrics of judged answers from the verdicts of a layer, or as estimates for a random draw of queries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.arrays import Bools, Floats
from assay.errors import DataError
from assay.evaluation import score_views
from assay.judged_answers.items import AnswerPlan, checks_read_by
from assay.judged_answers.layers import CORRECTED, MODEL, NO_DRAW, ItemGrades, VerdictLayers
from assay.judging import Contributions, query_contributions
from assay.metrics import BoundMetric
from assay.model import ESTIMATE, Column, ScoreTable

VIEW = "verdicts"


def reads_verdicts(metric: BoundMetric) -> bool:
    """Whether a metric reads verdicts."""
    return metric.metric.view == VIEW


@dataclass(frozen=True, eq=False)
class AnswerScores:
    """The scores of one system from the verdicts of a layer."""

    plan: AnswerPlan
    metrics: tuple[BoundMetric, ...]
    layers: VerdictLayers

    @cached_property
    def table(self) -> ScoreTable:
        """The scores of all queries. A metric for which people judged only some queries is estimated."""
        if self.layers.name == MODEL:
            return self.scores(self.layers.model)
        by_people = self.scores(self.layers.people)
        columns = {
            metric.name: by_people.columns[metric.name] if self.is_by_people(metric) else self._estimate(metric)
            for metric in self.metrics
        }
        return ScoreTable(self.plan.query_ids, columns)

    @property
    def estimated(self) -> tuple[BoundMetric, ...]:
        """The metrics that are estimated."""
        return tuple(metric for metric in self.metrics if self.table.columns[metric.name].is_estimate)

    def scores(self, grades: ItemGrades) -> ScoreTable:
        """The scores from these grades."""
        return score_views({VIEW: self.plan.view(lambda item: grades.get(item.id))}, self.metrics)

    @cached_property
    def defined(self) -> dict[str, Bools]:
        """Metric → which queries have something to judge: they would have a score if all verdicts were known."""
        table = score_views({VIEW: self.plan.view(lambda item: item.task.scale[-1])}, self.metrics)
        return {name: ~np.isnan(column.score.astype(float)) for name, column in table.columns.items()}

    def is_by_people(self, metric: BoundMetric) -> bool:
        """Whether people judged every item that the metric reads, so that nothing is estimated."""
        items = self.plan.items_of(checks_read_by(metric)).values()
        return self.layers.name != MODEL and all(inside <= self.layers.people.keys() for inside in items)

    @cached_property
    def drawn(self) -> frozenset[str]:
        """The queries that were drawn for people; all, if nobody wrote down a draw."""
        ids, draw = self.plan.query_ids, self.layers.draw
        return frozenset(ids if draw is None else draw.queries(ids))

    def is_judged(self, metric: BoundMetric) -> Bools:
        """Which queries people judged: drawn queries with a verdict about every item that the metric reads."""
        items = self.plan.items_of(checks_read_by(metric))
        judged = [query in self.drawn and items[query] <= self.layers.people.keys() for query in self.plan.query_ids]
        return np.array(judged, dtype=bool)

    def n_judged(self, metric: BoundMetric) -> int:
        """The number of queries that count and that people judged."""
        return int((self.is_judged(metric) & self.defined[metric.name]).sum())

    def _estimate(self, metric: BoundMetric) -> Column:
        if self.layers.draw is None:
            raise DataError(f"{metric.name}: {NO_DRAW}")
        n, defined = len(self.plan.query_ids), self.defined[metric.name]
        parts = np.full((n, ESTIMATE.n_parts), np.nan)
        if defined.any():
            judged = self.is_judged(metric)[defined]
            part = self.contributions(metric)
            parts[defined] = np.column_stack([part.values, judged.astype(float), np.full(len(judged), part.unseen)])
        return Column(np.full(n, np.nan), parts, ESTIMATE)

    def contributions(self, metric: BoundMetric) -> Contributions:
        """E2 (PPI++) over the queries that have something to judge; without a model, the mean of what people judged.

        A query whose verdicts by the model could not be read has the mean of the model's scores.
        """
        defined = self.defined[metric.name]
        people = self._column(self.layers.people, metric)[defined]
        model = self._column(self.layers.model, metric)[defined] if self.layers.name == CORRECTED else None
        if model is not None:
            known = ~np.isnan(model)
            model = np.where(known, model, model[known].mean()) if known.any() else None
        return query_contributions(people, self.is_judged(metric)[defined], model)

    def _column(self, grades: ItemGrades, metric: BoundMetric) -> Floats:
        return self.scores(grades).columns[metric.name].score.astype(float)
