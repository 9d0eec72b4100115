"""RelevanceEvaluator: judgments and measures, to evaluate runs with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import repeat
from typing import Any

import numpy as np

from assay.compat.pytrec_eval._measures import metrics_by_key
from assay.errors import BadParameter
from assay.metrics import BoundMetric, GradedRun
from assay.model import GEOMETRIC_FLOOR, GEOMETRIC_MEAN, TEXT, Column, Policy, Qrels, Rankings, Run, as_rankings
from assay.views import grade

Measures = Mapping[str, Mapping[str, Any]]


class RelevanceEvaluator:
    """Judgments and measures, prepared once, to evaluate any number of runs with. It can be pickled."""

    def __init__(
        self,
        query_relevance: Measures,
        measures: Iterable[str],
        relevance_level: float = 1,
        judged_docs_only_flag: bool = False,
        *,
        float32: bool = False,
    ) -> None:
        """Queries without judgments are dropped. `float32` truncates scores first, so that near scores tie."""
        if not isinstance(relevance_level, int | float | np.number) or not 0 < relevance_level < math.inf:
            raise BadParameter(f"relevance_level is a number above 0, not {relevance_level!r}")
        self._qrels = _without_empty(Qrels(query_relevance))
        self._policy = Policy(rel=float(relevance_level), judged_only=bool(judged_docs_only_flag), missing="skip")
        self._float32 = float32
        self._measures = (measures,) if isinstance(measures, str) else tuple(measures)
        self._metrics = metrics_by_key(self._measures)

    def evaluate(self, scores: Measures) -> dict[str, dict[str, float]]:
        """Query → measure → value, for the queries that are both judged and in `scores`, in the order of `scores`."""
        if not scores:
            return {}
        run = Run.borrow(as_rankings(scores))
        if self._float32:
            run = _in_float32(run)
        view = grade(run, self._qrels, self._policy).run
        values = [_values(metric, view) for metric in self._metrics.values()]
        rows = zip(*values, strict=True) if values else repeat((), view.n_queries)
        by_query = dict(zip(view.query_ids, map(dict, map(zip, repeat(tuple(self._metrics)), rows)), strict=True))
        if view.query_ids == run.query_ids:
            return by_query
        return {query: by_query[query] for query in run.query_ids if query in by_query}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_metrics"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._metrics = metrics_by_key(self._measures)


def _without_empty(qrels: Qrels) -> Qrels:
    is_empty = np.diff(qrels.offsets) == 0
    return Qrels({query: judged for query, judged in qrels.items() if judged}) if is_empty.any() else qrels


def _values(metric: BoundMetric, view: GradedRun) -> list[float]:
    """One value per query as the original gives it: text as 0.0, geometric means as the logarithms that go into them."""
    aggregation = metric.metric.aggregation
    if aggregation is TEXT:
        return [0.0] * view.n_queries
    score = Column.of(metric.score(view), aggregation).score
    return (np.log(np.maximum(score, GEOMETRIC_FLOOR)) if aggregation is GEOMETRIC_MEAN else score).tolist()


def _in_float32(run: Run) -> Run:
    """The run with scores truncated in those rankings where that ties documents; elsewhere it changes no order."""
    order = run.order
    with np.errstate(over="ignore"):
        near = order.negated.astype(np.float32)
        second = np.flatnonzero((near[1:] == near[:-1]) & (order.negated[1:] != order.negated[:-1])) + 1
        place = np.searchsorted(order.end, second, side="right")
        rankings = dict(zip(run.query_ids, run.rankings, strict=True))
        for number in np.unique(place[second > order.start[place]]).tolist():
            query, ranking = run.query_ids[number], run.rankings[number]
            rankings[query] = dict(zip(ranking, np.array(list(ranking.values()), np.float32).tolist(), strict=True))
    return Run.borrow(Rankings(rankings)) if len(second) else run
