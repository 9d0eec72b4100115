"""Gains of grades, discounts of ranks, and totals of the ideal ranking."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from assay.arrays import Floats, Ints
from assay.errors import BadParameter, DataError
from assay.metrics.definition import Worth
from assay.metrics.ties import ranks_of, tied_hits
from assay.views import GradedRun, Hits

MAX_EXPONENT = 1000.0


def gains(grade: Floats, gain: Any = "linear", rel: float | None = None) -> Floats:
    """The gain of each grade. Grades below `rel` and negative ones gain nothing; grades missing from a map are linear."""
    linear = np.maximum(grade, 0.0)
    if gain == "linear":
        worth = linear
    elif gain == "exp":
        if linear.max(initial=0.0) > MAX_EXPONENT:
            grade_text = f"{linear.max():g}"
            raise DataError(f"gain=exp does not work with a grade of {grade_text}: 2^grade is too large. Use another gain")
        worth = np.exp2(linear) - 1.0
    elif gain == "binary":
        worth = (grade > 0).astype(float)
    else:
        worth = linear.copy()
        for level, value in gain:
            worth[grade == level] = value
    return worth if rel is None else np.where(grade >= rel, worth, 0.0)


def gain_function(gain: Any = "linear", rel: float | None = None) -> partial[Floats]:
    """`gains` with fixed settings."""
    return partial(gains, gain=gain, rel=rel)


def discounts(rank: Ints | Floats, discount: str = "log2") -> Floats:
    """The share of a gain that is left at a rank."""
    if discount == "log2":
        return 1.0 / np.log2(rank + 1.0)
    return 1.0 / np.maximum(np.log2(np.maximum(rank, 1)), 1.0)


def discounted_gain(hits: Hits, worth: Floats, k: int | None, discount: str = "log2") -> Floats:
    """Σ gain / discount over the hits within the first k ranks, per query."""
    query, rank = hits.query, hits.rank
    if k is not None and k < hits.deepest:
        inside = rank <= k
        query, rank, worth = query[inside], rank[inside], worth[inside]
    if discount == "log2":  # divides as trec_eval does, so that all digits agree
        shares = worth / np.log2(rank + 1.0)
    else:
        shares = worth * discounts(rank, discount)
    return np.bincount(query, weights=shares, minlength=hits.n_queries).astype(float, copy=False)


def expected_discounted_gain(run: GradedRun, worth: Floats, k: int | None, discount: str = "log2") -> Floats:
    """The same for the retrieved documents, as the mean over all orders of ties."""
    weight = discounts(ranks_of(run), discount)
    return tied_hits(run).expected_sum(worth, weight, k)


def scaled_gains(run: GradedRun, grade: Floats, min_grade: float, max_grade: float | None) -> Floats:
    """Grades as gains from 0 (bottom of the scale) to 1 (top); grades outside the scale are moved to its ends."""
    top = run.max_grade if max_grade is None else max_grade
    if top <= min_grade:
        return np.zeros(len(grade))
    return np.clip((grade - min_grade) / (top - min_grade), 0.0, 1.0)


def check_scale(params: Mapping[str, Any]) -> None:
    """Check that the lowest grade of a scale is below its highest."""
    if params["max_grade"] is not None and params["min_grade"] >= params["max_grade"]:
        raise BadParameter(f"min_grade must be below max_grade ({params['max_grade']:g}), not {params['min_grade']:g}")


def stop_chances(run: GradedRun, grade: Floats, max_grade: float | None) -> Floats:
    """The probability in ERR that a document of this grade satisfies the user: (2^grade − 1) / 2^max_grade."""
    top = run.max_grade if max_grade is None else max_grade
    return np.exp2(np.clip(grade, 0.0, top) - top) - np.exp2(-top)


def _worth_by_gain(_: GradedRun, hits: Hits, params: Mapping[str, Any]) -> Floats:
    return gains(hits.grade, params["gain"], params.get("rel"))


def _top_gain(run: GradedRun, params: Mapping[str, Any]) -> float:
    return float(gains(np.array([run.max_grade]), params["gain"])[0])


def _worth_on_scale(run: GradedRun, hits: Hits, params: Mapping[str, Any]) -> Floats:
    return scaled_gains(run, hits.grade, params["min_grade"], params["max_grade"])


def _worth_of_stopping(run: GradedRun, hits: Hits, params: Mapping[str, Any]) -> Floats:
    """What is proportional to the probability to stop: 2^grade − 1."""
    top = run.max_grade if params["max_grade"] is None else params["max_grade"]
    return np.exp2(np.clip(hits.grade, 0.0, top)) - 1.0


BY_GAIN = Worth(_worth_by_gain, {"gain": "linear", "rel": None}, top=_top_gain)
BY_SCALE = Worth(_worth_on_scale, {"min_grade": 0.0, "max_grade": 1.0}, top=lambda *_: 1.0)
BY_STOPPING = Worth(_worth_of_stopping, to_grade=lambda worth: np.log2(1.0 + worth))


def ideal_gain_by_rank(run: GradedRun, gain: partial[Floats], at: Hits) -> Floats:
    """For each hit: the total gain of the ideal ranking down to the rank of the hit."""
    ideal, worth = run.ideal_by(gain)
    return read_at(ideal, ideal.running_sum(worth), at.query, at.rank)


def ideal_dcg_by_rank(run: GradedRun, gain: partial[Floats], at: Hits) -> Floats:
    """For each hit: the DCG of the ideal ranking down to the rank of the hit."""
    ideal, worth = run.ideal_by(gain)
    return read_at(ideal, ideal.running_sum(worth / np.log2(ideal.rank + 1.0)), at.query, at.rank)


def read_at(hits: Hits, running: Floats, query: Ints, rank: Ints) -> Floats:
    """The running total of `hits` at each (query, rank), where hit n of a query has rank n; 0 before the first."""
    depth = np.minimum(rank, hits.count[query])
    result = np.zeros(len(query))
    some = depth > 0
    result[some] = running[(hits.first[query] + depth - 1)[some]]
    return result
