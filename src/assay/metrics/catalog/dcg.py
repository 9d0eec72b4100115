"""Discounted cumulative gain: of the ranking, of the ideal ranking, and normalised."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from assay.arrays import Floats, ratio
from assay.grammar import Param, one_of
from assay.metrics.definition import (
    CUTOFF,
    CUTOFF_VISITED,
    DISCOUNT,
    GAIN,
    GAIN_LEVEL,
    HALF_LIFE,
    JUDGED_ONLY,
    MAX_GRADE,
    MIN_GRADE,
    GradedRun,
    Metric,
    Scores,
)
from assay.metrics.gains import (
    BY_GAIN,
    BY_SCALE,
    check_scale,
    discounted_gain,
    discounts,
    expected_discounted_gain,
    gain_function,
    gains,
    scaled_gains,
)

NDCG_IDEAL = Param(
    "ideal",
    one_of("judged", "retrieved", "uncut"),
    "judged",
    "documents in the ideal ranking. judged: all judged documents, cut at k; retrieved: only retrieved documents; uncut: "
    "all judged documents, not cut at k. The last two reproduce known mistakes of other tools",
)


def ndcg(run: GradedRun, k: int | None, gain: Any, discount: str, rel: float | None, ideal: str) -> Scores:
    """Discounted cumulative gain (DCG) of the ranking, divided by that of the ideal ranking.

    The ideal ranking has all judged documents of the query, retrieved or not, best first, cut at k. 0 if no document has a
    gain.
    """
    worth = gain_function(gain, rel)
    actual = discounted_gain(run.retrieved, worth(run.retrieved.grade), k, discount)
    return ratio(actual, _best_dcg(run, k, worth, discount, ideal))


def expected_ndcg(run: GradedRun, k: int | None, gain: Any, discount: str, rel: float | None, ideal: str) -> Scores | None:
    """The mean over all orders of ties; None if the ideal ranking depends on them too."""
    if ideal == "retrieved":
        return None
    worth = gain_function(gain, rel)
    actual = expected_discounted_gain(run, worth(run.retrieved.grade), k, discount)
    return ratio(actual, _best_dcg(run, k, worth, discount, ideal))


def _best_dcg(run: GradedRun, k: int | None, worth: partial[Floats], discount: str, ideal: str) -> Floats:
    """The discounted gain of the ideal ranking."""
    if ideal == "retrieved":
        top = run.retrieved.top(k)
        order = np.lexsort((-worth(top.grade), top.query))
        return discounted_gain(replace(top, rank=top.position), worth(top.grade[order]), k, discount)
    hits, gains = run.ideal_by(worth)
    depth = None if ideal == "uncut" else k
    return hits.remembered(("dcg", depth, discount), lambda: discounted_gain(hits, gains, depth, discount))


NDCG = Metric(
    "ndcg",
    ndcg,
    expected=expected_ndcg,
    params=(CUTOFF, GAIN, DISCOUNT, GAIN_LEVEL, NDCG_IDEAL, HALF_LIFE, JUDGED_ONLY),
    worth=BY_GAIN,
    aliases=("ndcg_cut", "normalized_dcg", "ndcg_score"),
    presets={"ndcg_burges": {"gain": "exp"}},
    mistaken_for=("dcg",),
    formula="DCG@k ÷ DCG@k of the ideal ranking;  DCG@k = Σ gain(i) ÷ log₂(i + 1)",
    cite="Järvelin & Kekäläinen 2002, Cumulated Gain-Based Evaluation of IR Techniques, TOIS 20(4)",
    trec=("ndcg", "ndcg_cut_{k}", "ndcg_{gain}"),
)


def dcg(run: GradedRun, k: int | None, gain: Any, discount: str, rel: float | None) -> Scores:
    """Sum of the gains of the retrieved documents, each discounted by the logarithm of its rank.

    Not normalised: queries with more relevant documents weigh more. Unjudged documents have no gain.
    """
    return discounted_gain(run.retrieved, gains(run.retrieved.grade, gain, rel), k, discount)


def expected_dcg(run: GradedRun, k: int | None, gain: Any, discount: str, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    return expected_discounted_gain(run, gains(run.retrieved.grade, gain, rel), k, discount)


DCG = Metric(
    "dcg",
    dcg,
    expected=expected_dcg,
    params=(CUTOFF, GAIN, DISCOUNT, GAIN_LEVEL, HALF_LIFE, JUDGED_ONLY),
    worth=BY_GAIN,
    aliases=("dcg_score",),
    presets={"dcg_burges": {"gain": "exp"}},
    range=(0.0, float("inf")),
    formula="Σ over ranks i ≤ k of gain(i) ÷ log₂(i + 1)",
    cite="Järvelin & Kekäläinen 2002, Cumulated Gain-Based Evaluation of IR Techniques, TOIS 20(4)",
    trec=("dcg", "dcg_{gain}"),
)


def ideal_dcg(run: GradedRun, k: int | None, gain: Any, discount: str, rel: float | None) -> Scores:
    """DCG of the best possible ranking, the divisor of ndcg.

    It depends only on the judgments, so every run has the same value.
    """
    ideal, best = run.ideal_by(gain_function(gain, rel))
    return discounted_gain(ideal, best, k, discount)


IDEAL_DCG = Metric(
    "ideal_dcg",
    ideal_dcg,
    params=(CUTOFF, GAIN, DISCOUNT, GAIN_LEVEL, HALF_LIFE),
    worth=BY_GAIN,
    aliases=("idcg",),
    range=(0.0, float("inf")),
    formula="DCG@k of all judged documents sorted by gain",
    cite="Järvelin & Kekäläinen 2002, Cumulated Gain-Based Evaluation of IR Techniques, TOIS 20(4)",
    trec=("ideal_dcg", "ideal_dcg_{gain}"),
)


def sdcg(run: GradedRun, k: int, min_grade: float, max_grade: float | None) -> Scores:
    """DCG of the first k documents, divided by the DCG if all k had the highest grade.

    Unlike ndcg, it does not depend on how many documents are relevant, so a query with few relevant documents scores low.
    """
    worth = scaled_gains(run, run.retrieved.grade, min_grade, max_grade)
    return discounted_gain(run.retrieved, worth, k) / discounts(np.arange(1, k + 1)).sum()


def expected_sdcg(run: GradedRun, k: int, min_grade: float, max_grade: float | None) -> Scores:
    """The mean over all orders of ties."""
    worth = scaled_gains(run, run.retrieved.grade, min_grade, max_grade)
    return expected_discounted_gain(run, worth, k) / discounts(np.arange(1, k + 1)).sum()


SDCG = Metric(
    "sdcg",
    sdcg,
    expected=expected_sdcg,
    params=(CUTOFF_VISITED, MIN_GRADE, MAX_GRADE, HALF_LIFE),
    worth=BY_SCALE,
    check=check_scale,
    aliases=("scaled_dcg",),
    formula="Σ gain(i) ÷ log₂(i + 1), ÷ Σ 1 ÷ log₂(i + 1), both over i ≤ k",
    cite="Moffat, Bailey, Scholer & Thomas 2017, Incorporating User Expectations and Behavior, TOIS 35(3)",
)
