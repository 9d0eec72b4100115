"""Scoring: views in, ScoreTable out. Nothing here knows what a metric or a view contains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from assay.errors import UsageError
from assay.metrics import BoundMetric
from assay.model import Column, ScoreTable


class View(Protocol):
    """What metrics read: anything that knows which queries it covers."""

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The queries, in the order of every score."""


ADVICE = {
    "spans": "; it needs a dataset with gold spans, such as code-spans",
    "answers": "; assay answers (evaluate_answers) scores answers, and assay eval those of providers that report one",
    "routing": "; assay moe routes.jsonl scores routes, and assay eval those that a provider reports",
    "reranking": "; it needs the rankings before and after, as assay eval has them of rerank(…)",
    "ranking": "; give the run too: --run RUN (run=)",
}
"""View → what to do where it is not there."""


def score_views(views: Mapping[str, View], metrics: Sequence[BoundMetric]) -> ScoreTable:
    """Apply each metric to the view it reads. All views cover the same queries in the same order."""
    covered = {view.query_ids for view in views.values()}
    if len(covered) != 1:
        raise UsageError(f"the views {', '.join(views)} do not cover the same queries in the same order")
    (query_ids,) = covered
    columns = {}
    for metric in metrics:
        wanted = metric.metric.view
        if wanted not in views:
            there = f"there is only {', '.join(views)} to read here{ADVICE.get(wanted, '')}"
            raise UsageError(f"{metric.name} reads {wanted}, but {there}")
        column = Column.of(metric.score(views[wanted]), metric.metric.aggregation)
        if len(column.score) != len(query_ids):
            raise UsageError(f"{metric.name} gave {len(column.score)} scores for {len(query_ids)} queries")
        columns[metric.name] = column
    return ScoreTable(query_ids, columns)
