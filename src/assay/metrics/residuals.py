"""Residuals: the lowest and highest score over all grades that unjudged documents could have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.arrays import Floats, Ints, distinct, ratio
from assay.metrics.definition import REL
from assay.metrics.gains import discounts, gain_function
from assay.metrics.recency import by_age
from assay.model import Column
from assay.views import GradedRun, Hits, OpenQuery, is_relevant, open_queries, with_unjudged_relevant

if TYPE_CHECKING:
    from assay.metrics.definition import BoundMetric


SHARES = ("scale", "query")
"""Gains that are a share of the best grade. The relevance level has no effect; a grade off the scale would distort them."""
BY_ENDS = frozenset(
    (
        *("precision", "recall", "capped_recall", "f", "hit", "mrr", "err", "dcg", "ideal_dcg", "sdcg", "rbp", "utility"),
        *("set_precision", "set_recall", "set_relative_precision", "set_map", "set_f"),
        *("num_q", "num_ret", "num_rel", "num_rel_ret", "mean_rel_ret"),
    )
)
"""Metrics that relevant documents within the cutoff never lower and those beyond it never raise (or vice versa)."""
BY_RELEVANCE = frozenset(("rprec_mult", "bpref", "gm_bpref", "iprec", "11pt_avg", "yaap", "bing", "num_nonrel_judged_ret"))
"""Metrics that only distinguish relevant from not relevant, and that never fall if a relevant document moves up."""
MAX_ROWS = 50_000_000
"""Largest number of rows for trying every number of relevant documents. Above it, two scenarios are computed instead."""
NOT_BOUNDS = "two scenarios, not bounds: either none of the unjudged documents is relevant, or all within the cutoff are"


class Residual(NamedTuple):
    """Lowest and highest score of each query, and a remark if they are not bounds."""

    low: Floats
    high: Floats
    method: str = ""


def residual_scores(metric: BoundMetric, run: GradedRun) -> Residual:
    """The bounds of each score over all grades of the retrieved unjudged documents, or two scenarios if no bounds are known.

    With judged_only, a document counts as soon as it has a grade.
    """
    if metric.half_life is not None:  # a new document may be as worthy as any
        metric, (run,) = by_age(metric, run)
    plain = _score(metric, run)
    if metric.params.get("judged_only"):
        whole = metric.metric.bind(**{**metric.params, "judged_only": False})
        residual = residual_scores(whole, run)
        return Residual(np.minimum(plain, residual.low), np.maximum(plain, residual.high), residual.method)
    grade = top_grade(metric, run)
    if bounds := _by_query(metric, run, grade):
        return _of_queries(plain, run, bounds)
    return _of_scenarios(metric, run, plain, grade)


def _of_scenarios(metric: BoundMetric, run: GradedRun, plain: Floats, grade: float) -> Residual:
    """The scores if none of the unjudged documents is relevant, or all, or those within the cutoff, or those beyond it."""
    k = metric.params.get("k")
    runs = [with_unjudged_relevant(run, k, grade)]
    is_bound = metric.metric.name in BY_ENDS and not isinstance(gain := metric.params.get("gain"), tuple) and gain != "query"
    if is_bound and k is not None:
        runs += [with_unjudged_relevant(run, None, grade, after=k), with_unjudged_relevant(run, None, grade)]
    scores = [plain, *(_score(metric, graded) for graded in runs)]
    low, high = np.minimum.reduce(scores), np.maximum.reduce(scores)
    is_open = bool((run.judged.count < run.n_retrieved).any())
    return Residual(low, high, "" if is_bound or not is_open else NOT_BOUNDS)


Bounds = Callable[[OpenQuery], tuple[float, float]]


def _by_query(metric: BoundMetric, run: GradedRun, grade: float) -> Bounds | None:
    """The function that finds the bounds of one query; None if they cannot be found query by query."""
    name, params = metric.metric.name, metric.params
    if params.get("norm") == "found":
        return None
    if name in ("map", "gm_map"):
        level = run.level if params["rel"] is None else params["rel"]
        return lambda query: ap_bounds(query, level, params.get("k"), is_capped=params.get("norm") == "min")
    if name == "ndcg" and params["ideal"] != "retrieved":
        return lambda query: ndcg_bounds(query, grade, params)
    if name == "rprec":
        level = run.level if params["rel"] is None else params["rel"]
        return lambda query: rprec_bounds(query, level)
    is_binary = metric.metric.is_monotone and grade == 1.0 and set(distinct(run.ideal.grade)) <= {-1.0, 0.0, 1.0}
    if name in BY_RELEVANCE or (is_binary and name not in BY_ENDS):
        rows = sum((len(query.open) + 1) * len(query.grade) for query in open_queries(run))
        return (lambda query: _tried(metric, run, query, grade)) if rows <= MAX_ROWS else None
    return None


def _of_queries(plain: Floats, run: GradedRun, bounds: Bounds) -> Residual:
    low, high = plain.copy(), plain.copy()
    for query in open_queries(run):
        lowest, highest = bounds(query)
        low[query.number] = min(lowest, low[query.number])
        high[query.number] = max(highest, high[query.number])
    return Residual(low, high)


def _tried(metric: BoundMetric, run: GradedRun, query: OpenQuery, grade: float) -> tuple[float, float]:
    """Bounds by trying every number of relevant documents, at the bottom and at the top."""
    scores = [_score(metric, graded) for graded in _gradings(run, query, grade)]
    return float(scores[0].min()), float(scores[1].max())


def _gradings(run: GradedRun, query: OpenQuery, grade: float) -> Iterator[GradedRun]:
    """The query with 0, 1, 2 … of its unjudged documents relevant: once the lowest ranked, once the highest."""
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
    """Hits from a matrix of grades: queries × ranks."""
    n_queries, n = grades.shape
    query, rank = np.repeat(np.arange(n_queries), n), np.tile(np.arange(1, n + 1), n_queries)
    return Hits(query, rank, grades.ravel(), n_queries)


def top_grade(metric: BoundMetric, run: GradedRun) -> float:
    """The grade given to unjudged documents: the best grade, and high enough to be relevant for the metric."""
    top = metric.params.get("max_grade") or run.max_grade or 1.0
    if metric.params.get("gain") in SHARES:
        return float(top)
    level = metric.params.get("rel")
    if level is None and REL in metric.metric.params:
        level = run.level
    return max(top, level or 0.0)


def _score(metric: BoundMetric, run: GradedRun) -> Floats:
    return Column.of(metric.score(run), metric.metric.aggregation).score


def ap_bounds(query: OpenQuery, level: float | None, k: int | None, *, is_capped: bool) -> tuple[float, float]:
    """Lowest and highest average precision."""
    total = is_relevant(query.ideal, level).sum() + np.arange(len(query.open) + 1.0)
    if is_capped and k is not None:
        total = total.clip(max=k)
    lowest, highest = (ratio(precisions, total) for precisions in precision_sums(query.grade, query.open, level, k))
    return float(lowest.min()), float(highest.max())


def precision_sums(grade: Floats, unjudged: Ints, level: float | None, k: int | None) -> tuple[Floats, Floats]:
    """Lowest and highest sum of the precisions at relevant documents if 0, 1, 2 … of the unjudged places are relevant.

    A further relevant document adds its own precision and raises those below it.
    """
    relevant = is_relevant(grade, level)
    ranks = np.arange(1, len(relevant) + 1)
    share = np.where(ranks <= (k or len(ranks)), 1.0 / ranks, 0.0)
    above = np.cumsum(relevant)
    certain = (above * share)[relevant].sum()
    lifted = _sum_below(np.where(relevant, share, 0.0))[unjudged]
    own, n = share[unjudged], len(unjudged)
    best = (above[unjudged] + np.arange(1, n + 1)) * own + lifted
    worst = ((above[unjudged] + 1) * own + lifted + _sum_below(own))[::-1]
    lowest, highest = (certain + np.concatenate(([0.0], np.cumsum(more))) for more in (worst, best))
    return lowest, highest


def rprec_bounds(query: OpenQuery, level: float | None) -> tuple[float, float]:
    """Lowest and highest R-precision. With m more relevant documents, R + m ranks count."""
    relevant = is_relevant(query.grade, level)
    n, n_open = len(relevant), len(query.open)
    more = np.arange(n_open + 1)
    total = is_relevant(query.ideal, level).sum() + more
    certain = np.concatenate(([0], np.cumsum(relevant)))[total.clip(max=n)]
    n_inside = np.searchsorted(query.open, total)
    lowest = ratio(certain + np.maximum(n_inside - (n_open - more), 0), total)
    highest = ratio(certain + np.minimum(n_inside, more), total)
    return float(lowest.min()), float(highest.max())


def _sum_below(values: Floats) -> Floats:
    """For each place, the sum of all values after it."""
    return values.sum() - np.cumsum(values)


MAX_STEPS = 50


def ndcg_bounds(query: OpenQuery, grade: float, params: Mapping[str, Any]) -> tuple[float, float]:
    """Lowest and highest nDCG.

    In the gain of one document, DCG is linear and ideal DCG is convex, so their quotient is lowest at gain 0 or at the top.
    """
    worth = gain_function(params["gain"], params["rel"])
    actual = np.where(np.isnan(query.grade), 0.0, worth(np.nan_to_num(query.grade, nan=-1.0)))
    gains = -np.sort(-worth(query.ideal))
    gains = gains[gains > 0]
    top = max(possible_top_gain(grade, params), gains.max(initial=0.0))
    k, discount = params["k"], params["discount"]
    weight = _weights(len(actual), k, discount)
    ideal_weight = _weights(len(gains) + len(query.open), None if params["ideal"] == "uncut" else k, discount)
    certain, room = float(actual @ weight), weight[query.open]
    lowest = _lowest(certain, room, gains, ideal_weight, top)
    return lowest, _highest(certain, room, gains, ideal_weight, top)


def possible_top_gain(grade: float, params: Mapping[str, Any]) -> float:
    """The highest gain that an unjudged document could have, if its grade is this one or one of a map of gains."""
    possible = np.array([grade, *_mapped_grades(params["gain"])])
    return float(gain_function(params["gain"], params["rel"])(possible).max())


def _mapped_grades(gain: Any) -> list[float]:
    """The grades that a map of gains lists."""
    return [level for level, _ in gain] if isinstance(gain, tuple) else []


def _weights(n: int, k: int | None, discount: str) -> Floats:
    ranks = np.arange(1, n + 1)
    return np.where(ranks <= (k or n), discounts(ranks, discount), 0.0)


def _lowest(certain: float, room: Floats, gains: Floats, ideal_weight: Floats, top: float) -> float:
    """The lowest quotient if the last m unjudged documents have the top gain, over all m."""
    gained = top * np.concatenate(([0.0], np.cumsum(room[::-1])))
    ideal = top * np.concatenate(([0.0], np.cumsum(ideal_weight)))[: len(gained)]
    if len(gains):
        ideal = ideal + np.correlate(ideal_weight, gains, "valid")
    return float(ratio(certain + gained, ideal).min())


def _highest(certain: float, room: Floats, gains: Floats, ideal_weight: Floats, top: float) -> float:
    """The highest quotient: the best choice at one quotient leads to a better quotient, until there is none.

    The number of documents at each level of gain is chosen independently of the other levels.
    (Dinkelbach 1967, On Nonlinear Fractional Programming, Management Science 13)
    """
    levels = distinct(np.append(gains, top))
    width = np.diff(levels, prepend=0.0)
    gained = np.concatenate(([0.0], np.cumsum(room)))
    cost = np.concatenate(([0.0], np.cumsum(ideal_weight)))
    n_gains = (gains >= levels[:, None]).sum(axis=1)
    costs = cost[n_gains[:, None] + np.arange(len(gained))]
    best = 0.0
    for _ in range(MAX_STEPS):
        chosen = (gained - best * costs).argmax(axis=1)
        ideal = float(width @ costs[np.arange(len(levels)), chosen])
        better = (certain + float(width @ gained[chosen])) / ideal if ideal > 0 else 0.0
        if better <= best:
            break
        best = better
    return best
