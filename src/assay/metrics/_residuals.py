"""Residuals: the lowest and highest score, whatever grades the unjudged documents that were retrieved would get.

Moving a relevant document up never lowers these metrics, so among gradings with m relevant ones the best has them at the
top and the worst at the bottom: what remains is to try every m. Documents that were not retrieved stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.metrics._param import REL
from assay.metrics._residual_ap import ap_bounds, rprec_bounds
from assay.metrics._residual_ndcg import ndcg_bounds
from assay.model import Column, Floats, GradedRun, Hits, OpenQuery, open_queries, with_unjudged_relevant

if TYPE_CHECKING:
    from assay.metrics._metric import BoundMetric

SHARES = ("scale", "query")
"""Gains that are a share of the best grade; no level matters to them, and a grade off the scale would distort them."""
BY_ENDS = frozenset(
    (
        *("precision", "recall", "capped_recall", "f", "hit", "mrr", "err", "dcg", "ideal_dcg", "sdcg", "rbp", "utility"),
        *("set_precision", "set_recall", "set_relative_precision", "set_map", "set_f"),
        *("num_q", "num_ret", "num_rel", "num_rel_ret", "mean_rel_ret"),
    )
)
"""Metrics that relevant documents within the cutoff never lower, and those beyond it never raise (or the other way)."""
BY_RELEVANCE = frozenset(("rprec_mult", "bpref", "gm_bpref", "iprec", "11pt_avg", "yaap", "bing", "num_nonrel_judged_ret"))
"""Metrics that know relevant and not relevant alone, and that a relevant document one place up never lowers."""
MOST_ROWS = 50_000_000
"""Rows that are looked at to try every number of relevant documents; above it two scenarios have to do."""
NOT_BOUNDS = "two scenarios, not bounds: no unjudged document relevant, or all within the cutoff"


class Residual(NamedTuple):
    """Lowest and highest score of each query, and what they are if they are no bounds."""

    low: Floats
    high: Floats
    method: str = ""


def residual_scores(metric: BoundMetric, run: GradedRun) -> Residual:
    """The bounds of each score, over all ways to grade what was retrieved and is unjudged; or two scenarios where no bounds
    are known. Where unjudged documents are dropped first, they count once they have a grade.
    """
    plain = _score(metric, run)
    if metric.params.get("judged_only"):
        whole = metric.metric.bind(**{**metric.params, "judged_only": False})
        found = residual_scores(whole, run)
        return Residual(np.minimum(plain, found.low), np.maximum(plain, found.high), found.method)
    grade = _top_grade(metric, run)
    if bounds := _by_query(metric, run, grade):
        return _of_queries(plain, run, bounds)
    return _of_scenarios(metric, run, plain, grade)


def _of_scenarios(metric: BoundMetric, run: GradedRun, plain: Floats, grade: float) -> Residual:
    """No unjudged document relevant, all, those within the cutoff, and those beyond it."""
    k = metric.params.get("k")
    runs = [with_unjudged_relevant(run, k, grade)]
    is_bound = metric.metric.name in BY_ENDS and not isinstance(gain := metric.params.get("gain"), tuple) and gain != "query"
    if is_bound and k is not None:
        runs += [with_unjudged_relevant(run, None, grade, after=k), with_unjudged_relevant(run, None, grade)]
    scores = [plain, *(_score(metric, one) for one in runs)]
    low, high = np.minimum.reduce(scores), np.maximum.reduce(scores)
    is_open = bool((run.judged.count < run.n_retrieved).any())
    return Residual(low, high, "" if is_bound or not is_open else NOT_BOUNDS)


Bounds = Callable[[OpenQuery], tuple[float, float]]


def _by_query(metric: BoundMetric, run: GradedRun, grade: float) -> Bounds | None:
    """How the bounds of one query are found; None where it cannot be done query by query."""
    name, params = metric.metric.name, metric.params
    if name in ("map", "gm_map"):
        level = run.level if params["rel"] is None else params["rel"]
        return lambda query: ap_bounds(query, level, params.get("k"), is_capped=params.get("norm") == "min")
    if name == "ndcg" and params["ideal"] != "retrieved":
        return lambda query: ndcg_bounds(query, grade, params)
    if name == "rprec":
        level = run.level if params["rel"] is None else params["rel"]
        return lambda query: rprec_bounds(query, level)
    is_binary = metric.metric.is_monotone and grade == 1.0 and set(np.unique(run.ideal.grade)) <= {-1.0, 0.0, 1.0}
    if name in BY_RELEVANCE or (is_binary and name not in BY_ENDS):
        rows = sum((len(query.open) + 1) * len(query.grade) for query in open_queries(run))
        return (lambda query: _tried(metric, run, query, grade)) if rows <= MOST_ROWS else None
    return None


def _of_queries(plain: Floats, run: GradedRun, bounds: Bounds) -> Residual:
    low, high = plain.copy(), plain.copy()
    for query in open_queries(run):
        lowest, highest = bounds(query)
        low[query.number] = min(lowest, low[query.number])
        high[query.number] = max(highest, high[query.number])
    return Residual(low, high)


def _tried(metric: BoundMetric, run: GradedRun, query: OpenQuery, grade: float) -> tuple[float, float]:
    """Every number of relevant documents, at the bottom and at the top."""
    scores = [_score(metric, one) for one in _gradings(run, query, grade)]
    return float(scores[0].min()), float(scores[1].max())


def _gradings(run: GradedRun, query: OpenQuery, grade: float) -> Iterator[GradedRun]:
    """The query with 0, 1, 2 … of its unjudged documents relevant and the others not: the last of them, then the first."""
    n_open, n = len(query.open), len(query.grade)
    first = np.where(np.arange(n_open) < np.arange(n_open + 1)[:, None], grade, 0.0)
    for filled in (first[:, ::-1], first):
        grades = np.tile(query.grade, (n_open + 1, 1))
        grades[:, query.open] = filled
        ideal = -np.sort(-np.hstack((np.tile(query.ideal, (n_open + 1, 1)), filled)), axis=1)
        yield replace(
            run,
            query_ids=tuple(map(str, range(n_open + 1))),
            retrieved=_hits(grades),
            n_retrieved=np.full(n_open + 1, n),
            ideal=_hits(ideal),
            judgment=None,
            ties=None,
        )


def _hits(grades: Floats) -> Hits:
    """A row of grades for each query, by rank."""
    n_queries, n = grades.shape
    query, rank = np.repeat(np.arange(n_queries), n), np.tile(np.arange(1, n + 1), n_queries)
    return Hits(query, rank, grades.ravel(), n_queries)


def _top_grade(metric: BoundMetric, run: GradedRun) -> float:
    """The grade that unjudged documents are given: the best there is, and one that the metric takes as relevant."""
    top = metric.params.get("max_grade") or run.max_grade or 1.0
    if metric.params.get("gain") in SHARES:
        return float(top)
    level = metric.params.get("rel")
    if level is None and REL in metric.metric.params:
        level = run.level
    return max(top, level or 0.0)


def _score(metric: BoundMetric, run: GradedRun) -> Floats:
    return Column.of(metric.score(run), metric.metric.aggregation).score
