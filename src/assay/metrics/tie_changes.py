"""Tie changes: in which queries the order of tied documents changes a score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay.arrays import Bools, Floats
from assay.metrics.definition import BoundMetric
from assay.metrics.ties import N_SAMPLED, SEED, is_monotone, score_of
from assay.views import GradedRun, best_order, random_orders, worst_order


class TieQuestion(NamedTuple):
    """In which of these queries do ties change the score of any of these metrics?"""

    metrics: Sequence[BoundMetric]
    queries: Bools


def changed_by_ties(questions: Sequence[TieQuestion], run: GradedRun) -> list[Bools]:
    """For each question: the queries in which different orders of ties have different scores (`tie_band` has a width).

    The best and the worst order decide this, unless a better rank can lower the score. In that case random orders are drawn
    as for the band. A metric is computed only for queries that can still change an answer.
    """
    is_open = run.has_undecided()
    answers = [np.zeros(run.n_queries, dtype=bool) for _ in questions]
    if is_open.any():
        search = _Search(questions, run.select(is_open), is_open)
        search.compare_extremes()
        search.draw()
        for answer, question, left in zip(answers, questions, search.left, strict=True):
            answer[is_open] = question.queries[is_open] & ~left
    return answers


class _Search:
    """The search for changes among queries that have ties which may matter."""

    def __init__(self, questions: Sequence[TieQuestion], run: GradedRun, is_open: Bools) -> None:
        self.run, self.worst, self.best = run, worst_order(run), best_order(run)
        self.left = [question.queries[is_open].copy() for question in questions]
        """For each question: the queries in which no change was found so far."""
        self._concerned: dict[str, list[int]] = {}
        for number, question in enumerate(questions):
            for metric in question.metrics:
                self._concerned.setdefault(metric.name, []).append(number)
        metrics = {metric.name: metric for question in questions for metric in question.metrics}
        self.metrics = sorted(metrics.values(), key=_cutoff)
        """Metrics without a cutoff are first, because ties at any rank change them. Equal cutoffs have the same queries."""

    def compare_extremes(self) -> None:
        """Find the queries in which the best and the worst order have different scores."""
        known = np.ones(self.run.n_queries, dtype=bool)
        worst, best = self.worst, self.best
        for metric in self.metrics:
            needed = self._needed(metric)
            if not needed.any():
                continue
            if (needed > known).any() or 2 * np.count_nonzero(needed) < np.count_nonzero(known):
                known, worst, best = needed, self.worst.select(needed), self.best.select(needed)
            self._found(metric, known, _differ(score_of(metric, worst), score_of(metric, best)))

    def draw(self) -> None:
        """Find the queries in which random orders have other scores than the worst order, if extremes do not decide."""
        metrics = [metric for metric in self.metrics if not is_monotone(metric)]
        drawn = np.zeros(self.run.n_queries, dtype=bool)
        for metric in metrics:
            drawn |= self._needed(metric) & _may_change(metric, self.run)
        metrics = [metric for metric in metrics if self._needed(metric)[drawn].any()]
        if not metrics:
            return
        worst = [score_of(metric, self.worst.select(drawn)) for metric in metrics]
        for order in random_orders(self.run.select(drawn), N_SAMPLED, SEED):
            for metric, score in zip(metrics, worst, strict=True):
                if self._needed(metric).any():
                    self._found(metric, drawn, _differ(score_of(metric, order), score))

    def _needed(self, metric: BoundMetric) -> Bools:
        """The queries in which a change of this metric would change an answer."""
        return np.logical_or.reduce([self.left[number] for number in self._concerned[metric.name]])

    def _found(self, metric: BoundMetric, among: Bools, is_changed: Bools) -> None:
        """Record in which of some queries ties change a metric."""
        unchanged = ~among
        unchanged[among] = ~is_changed
        for number in self._concerned[metric.name]:
            self.left[number] &= unchanged


def _cutoff(metric: BoundMetric) -> int:
    """The cutoff of a metric; 0 if it has none."""
    k = metric.params.get("k")
    return k if isinstance(k, int) else 0


def _may_change(metric: BoundMetric, run: GradedRun) -> Bools:
    """Queries in which the order of ties could matter.

    For metrics with `ignores_the_rest`, ties below the last document that may count as relevant change nothing.
    """
    level = run.level if metric.params.get("rel") is None else metric.params["rel"]
    if not metric.metric.ignores_the_rest or run.ties is None or isinstance(metric.params.get("gain"), tuple):
        return np.ones(run.n_queries, dtype=bool)
    hits, (better, equal) = run.retrieved, run.ties
    counts = hits.grade > 0 if level is None or level > 0 else hits.grade >= 0
    last = np.zeros(run.n_queries, dtype=np.int64)
    np.maximum.at(last, hits.query[counts], (better + equal)[counts])
    first = np.full(run.n_queries, np.iinfo(np.int64).max)
    tied = run.undecided()
    np.minimum.at(first, hits.query[tied], better[tied])
    return first < last


def _differ(some: Floats, others: Floats) -> Bools:
    """Where scores differ; an undefined score does not differ from any."""
    return (some < others) | (others < some)
