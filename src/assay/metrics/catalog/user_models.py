"""User models (C/W/L): gain per inspected document, from the probability to continue after each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.arrays import BLOCK_CELLS, Floats
from assay.grammar import Param, persistence
from assay.metrics.definition import (
    CUTOFF_NEEDED,
    CUTOFF_VISITED,
    DEPTH,
    MAX_GRADE,
    MIN_GRADE,
    TARGET,
    GradedRun,
    Metric,
    Scores,
)
from assay.metrics.gains import check_scale, scaled_gains

Continuation = Callable[[Floats, Floats], Floats]
"""(rank, gain at that rank), both queries × depth → the probability to continue to the next rank."""


def expected_gain(run: GradedRun, gain: Floats, continuation: Continuation, depth: int) -> Floats:
    """Expected gain per inspected document over the first `depth` ranks. Ranks without a judged document have no gain."""
    hits = run.retrieved
    inside = hits.rank <= depth
    query, column, worth = hits.query[inside], hits.rank[inside] - 1, gain[inside]
    rank = np.arange(1.0, depth + 1.0)
    result = np.zeros(run.n_queries)
    step = max(1, BLOCK_CELLS // depth)
    for start in range(0, run.n_queries, step):
        rows = slice(*np.searchsorted(query, (start, start + step)))
        block = np.zeros((min(step, run.n_queries - start), depth))
        block[query[rows] - start, column[rows]] = worth[rows]
        reach = np.ones_like(block)
        np.cumprod(continuation(rank, block)[:, :-1], axis=1, out=reach[:, 1:])
        result[start : start + step] = (reach * block).sum(axis=1) / reach.sum(axis=1)
    return result


def bpm(run: GradedRun, k: int, t: float, min_grade: float, max_grade: float | None) -> Scores:
    """Gain per inspected document, for a user who stops at a total gain of t or after k documents.

    Gains are grades scaled to 0 … 1. If the gain never reaches t, the user inspects k ranks, even if the ranking is shorter.
    """
    hits = run.retrieved.top(k)
    total = hits.running_sum(scaled_gains(run, hits.grade, min_grade, max_grade))
    enough = total >= t
    stop = np.full(run.n_queries, k)
    np.minimum.at(stop, hits.query[enough], hits.rank[enough])
    gained = np.zeros(run.n_queries)
    read = hits.rank <= stop[hits.query]
    np.maximum.at(gained, hits.query[read], total[read])
    return gained / stop


BPM = Metric(
    "bpm",
    bpm,
    is_monotone=False,
    params=(CUTOFF_NEEDED, TARGET, MIN_GRADE, MAX_GRADE),
    check=check_scale,
    aliases=("bejeweled_player_model",),
    formula="gain up to n ÷ n,  n = first rank with gain ≥ t, at most k",
    cite="Zhang, Liu, Li, Zhang, Xu & Ma 2017, Evaluating Web Search with a Bejeweled Player Model, SIGIR",
)


def insq(run: GradedRun, t: float, min_grade: float, max_grade: float | None, depth: int) -> Scores:
    """Gain per inspected document, for a user who wants a gain of t; each document read makes them more likely to continue.

    Gains are grades scaled to 0 … 1. The sum covers the first `depth` ranks, by default 1,000 as in cwl_eval.
    """
    reach = (2 * t / (2 * t + np.arange(depth))) ** 2
    weight = reach / reach.sum()
    hits = run.retrieved.top(depth)
    return hits.sum(scaled_gains(run, hits.grade, min_grade, max_grade) * weight[hits.rank - 1])


INSQ = Metric(
    "insq",
    insq,
    params=(TARGET, MIN_GRADE, MAX_GRADE, DEPTH),
    check=check_scale,
    formula="weighted mean gain; probability to continue after rank i is ((i + 2t − 1) ÷ (i + 2t))²",
    cite="Moffat, Scholer & Thomas 2012, Models and Metrics: IR Evaluation as a User Process, ADCS",
)


def inst(run: GradedRun, t: float, min_grade: float, max_grade: float | None, depth: int) -> Scores:
    """Gain per inspected document, for a user who wants a gain of t; the less gain they have, the likelier they continue.

    Gains are grades scaled to 0 … 1. The sum covers the first `depth` ranks, by default 1,000 as in cwl_eval.
    """

    def go_on(rank: Floats, gain: Floats) -> Floats:
        target = rank + 2 * t - np.cumsum(gain, axis=1)
        return ((target - 1.0) / target) ** 2

    return expected_gain(run, scaled_gains(run, run.retrieved.grade, min_grade, max_grade), go_on, depth)


INST = Metric(
    "inst",
    inst,
    params=(TARGET, MIN_GRADE, MAX_GRADE, DEPTH),
    check=check_scale,
    formula="weighted mean gain; probability to continue after rank i is ((c − 1) ÷ c)²,  c = i + 2t − gain up to i",
    cite="Moffat, Bailey, Scholer & Thomas 2015, INST: An Adaptive Metric for IR Evaluation, ADCS",
)


def nerr_metric(function: Callable[..., Scores], params: tuple[Param, ...], formula: str) -> Metric:
    """The record of a user model that stops as ERR does. These records differ in function, parameters and formula."""
    return Metric(
        function.__name__,
        function,
        params=params,
        check=check_scale,
        formula=formula,
        cite="Azzopardi, Mackenzie & Moffat 2021, ERR is not C/W/L, ICTIR",
    )


NERR10_P = Param("p", persistence, 0.9, "probability that the user continues after a document without a gain")


def nerr10(run: GradedRun, p: float, min_grade: float, max_grade: float | None, depth: int) -> Scores:
    """Gain per inspected document, for a user who continues with probability p unless satisfied.

    Gains are grades scaled to 0 … 1. This is equation 10 of the cited paper, which also shows that ERR itself is not a user
    model of this kind.
    """
    gain = scaled_gains(run, run.retrieved.grade, min_grade, max_grade)
    return expected_gain(run, gain, lambda _, gain: p * (1.0 - gain), depth)


NERR10 = nerr_metric(
    nerr10,
    (NERR10_P, MIN_GRADE, MAX_GRADE, DEPTH),
    "weighted mean gain; probability to continue after rank i is p · (1 − gain(i))",
)


def nerr11(run: GradedRun, t: float, min_grade: float, max_grade: float | None, depth: int) -> Scores:
    """Gain per inspected document, for a user who wants a gain of t and stops when satisfied.

    Gains are grades scaled to 0 … 1. This is equation 11 of the cited paper, which also shows that ERR itself is not a user
    model of this kind.
    """
    gain = scaled_gains(run, run.retrieved.grade, min_grade, max_grade)
    return expected_gain(run, gain, lambda rank, gain: ((rank + 2 * t - 1) / (rank + 2 * t)) ** 2 * (1.0 - gain), depth)


NERR11 = nerr_metric(
    nerr11,
    (TARGET, MIN_GRADE, MAX_GRADE, DEPTH),
    "weighted mean gain; probability to continue after rank i is ((i + 2t − 1) ÷ (i + 2t))² · (1 − gain(i))",
)


def nerr8(run: GradedRun, k: int, min_grade: float, max_grade: float | None) -> Scores:
    """Gain per inspected document, for a user who stops when satisfied, at rank k at the latest.

    Gains are grades scaled to 0 … 1. This is equation 8 of the cited paper, which also shows that ERR itself is not a user
    model of this kind.
    """
    gain = scaled_gains(run, run.retrieved.grade, min_grade, max_grade)
    return expected_gain(run, gain, lambda _, gain: 1.0 - gain, depth=k)


NERR8 = nerr_metric(
    nerr8,
    (CUTOFF_VISITED, MIN_GRADE, MAX_GRADE),
    "weighted mean gain; probability to continue after rank i is 1 − gain(i), and 0 after rank k",
)


def nerr9(run: GradedRun, k: int, min_grade: float, max_grade: float | None) -> Scores:
    """Gain per inspected document, for a user who stops when satisfied, by chance (less often at deep ranks), or at rank k.

    Gains are grades scaled to 0 … 1. This is equation 9 of the cited paper, which also shows that ERR itself is not a user
    model of this kind.
    """
    gain = scaled_gains(run, run.retrieved.grade, min_grade, max_grade)
    return expected_gain(run, gain, lambda rank, gain: rank / (rank + 1.0) * (1.0 - gain), depth=k)


NERR9 = nerr_metric(
    nerr9,
    (CUTOFF_VISITED, MIN_GRADE, MAX_GRADE),
    "weighted mean gain; probability to continue after rank i is i ÷ (i + 1) · (1 − gain(i)), and 0 after rank k",
)
