"""Variants of nDCG: other gains, other ideal rankings, and blends with precision."""

from typing import Any

import numpy as np

from assay.arrays import ratio, spread
from assay.grammar import Param, not_negative
from assay.metrics.catalog.dcg import dcg, ideal_dcg
from assay.metrics.definition import CUTOFF, GAIN, HALF_LIFE, JUDGED_ONLY, REL, GradedRun, Metric, Scores
from assay.metrics.gains import BY_GAIN, gain_function, ideal_dcg_by_rank, ideal_gain_by_rank, read_at
from assay.metrics.ties import groups_of, ranks_of, tied_hits, tied_relevant
from assay.views import Hits, tie_groups

Q_BETA = Param("beta", not_negative, 1.0, "weight of gain relative to precision; 0 gives average precision")


def q_measure(run: GradedRun, k: int | None, gain: Any, beta: float) -> Scores:
    """Average precision for graded judgments, which combines precision with cumulative gain.

    A document is relevant if it has a gain. The divisor is R, even with a cutoff.
    """
    worth = gain_function(gain)
    value = worth(run.retrieved.grade)
    hits, value = run.retrieved.where(value > 0), value[value > 0]
    blended = hits.position + beta * hits.running_sum(value)
    best = hits.rank + beta * ideal_gain_by_rank(run, worth, hits)
    inside = hits.top(k)
    within = slice(None) if k is None else hits.rank <= k
    return ratio(inside.sum(ratio(blended, best)[within]), run.ideal_by(worth)[0].count)


def expected_q_measure(run: GradedRun, k: int | None, gain: Any, beta: float) -> Scores:
    """The mean over all orders of ties.

    The divisor of a rank does not depend on the order. If n tied documents have r hits, (i − 1)(r − 1) ÷ (n − 1) of them are
    above a hit at place i on average.
    """
    worth = gain_function(gain)
    value = worth(run.retrieved.grade)
    tied, value = tied_hits(run, value > 0), value[value > 0]
    hits, (better, equal) = tied
    start, group = tie_groups(hits.query, better)
    n_hits, total = np.bincount(group, minlength=len(start)), np.bincount(group, weights=value, minlength=len(start))
    gained = (hits.running_sum(value) - value)[start]
    first = n_hits * hits.position[start] + beta * (n_hits * gained + total)
    further = ratio(n_hits - 1, equal[start] - 1) * (n_hits + beta * total)
    owner, nth = spread(tied.n_inside(k)[start])
    at = Hits(hits.query[start][owner], better[start][owner] + nth + 1, np.zeros(len(owner)), run.n_queries)
    best = at.rank + beta * ideal_gain_by_rank(run, worth, at)
    actual = (first[owner] + nth * further[owner]) / equal[start][owner]
    return ratio(at.sum(ratio(actual, best)), run.ideal_by(worth)[0].count)


Q_MEASURE = Metric(
    "q_measure",
    q_measure,
    expected=expected_q_measure,
    params=(CUTOFF, GAIN, Q_BETA, HALF_LIFE, JUDGED_ONLY),
    worth=BY_GAIN,
    aliases=("q", "qmeasure", "q-measure"),
    formula="1/R · Σ over relevant ranks i of (relevant up to i + β · gain up to i) ÷ (i + β · ideal gain up to i)",
    cite="Sakai 2004, Ranking the NTCIR Systems Based on Multigrade Relevance, AIRS",
)


def binary_gain(run: GradedRun, rel: float | None) -> Scores:
    """Mean credit of the relevant documents; each loses credit with the number of non-relevant documents above it.

    A relevant document that was not retrieved contributes 0.
    """
    hits = run.relevant(rel)
    return ratio(hits.sum(1.0 / np.log2(2.0 + hits.rank - hits.position)), run.n_relevant(rel))


def expected_binary_gain(run: GradedRun, rel: float | None) -> Scores:
    """The mean over all orders of ties.

    The number of non-relevant documents of a group that are above a relevant one is 0, 1, … with equal probability.
    """
    query, better, equal, n_hits, n_before = groups_of(tied_relevant(run, rel))
    n_others, others_above = equal - n_hits, better - n_before
    total = np.concatenate(([0.0], np.cumsum(1.0 / np.log2(1.0 + ranks_of(run)))))
    mean = (total[others_above + n_others + 1] - total[others_above]) / (n_others + 1)
    return ratio(np.bincount(query, weights=n_hits * mean, minlength=run.n_queries), run.n_relevant(rel))


BINARY_GAIN = Metric(
    "bing",
    binary_gain,
    expected=expected_binary_gain,
    params=(REL,),
    aliases=("binary_gain",),
    formula="1/R · Σ over relevant ranks of 1 ÷ log₂(2 + non-relevant above)",
    cite="Buckley 2008, trec_eval 9, m_binG.c (experimental)",
    trec=("binG",),
)


def ndcg_rel(run: GradedRun, gain: Any) -> Scores:
    """Mean of nDCG at the ranks of the relevant documents.

    A relevant document that was not retrieved contributes the nDCG of the whole ranking.
    """
    worth = gain_function(gain)
    value = worth(run.retrieved.grade)
    hits, value = run.retrieved.where(value != 0), value[value != 0]
    here = ratio(hits.running_sum(value / np.log2(hits.rank + 1.0)), ideal_dcg_by_rank(run, worth, hits))
    relevant = hits.where(value > 0)
    total = run.ideal_by(worth)[0].count
    whole = ratio(dcg(run, None, gain, "log2", None), ideal_dcg(run, None, gain, "log2", None))
    return ratio(relevant.sum(here[value > 0]) + (total - relevant.count) * whole, total)


NDCG_REL = Metric(
    "ndcg_rel",
    ndcg_rel,
    params=(GAIN,),
    formula="1/R · Σ over relevant documents of ndcg at their rank (if not retrieved: at the end)",
    cite="Buckley 2008, trec_eval 9, m_ndcg_rel.c (experimental)",
    trec=("ndcg_rel", "ndcg_rel_{gain}"),
)


def normalized_gain(run: GradedRun, gain: Any) -> Scores:
    """Sum of discounted gains, as a share of all gains; the more gain is missing so far, the larger the discount.

    The cost of a rank is the gain of the ideal document at that rank, but at least 1.
    """
    worth = gain_function(gain)
    value = worth(run.retrieved.grade)
    hits, value = run.retrieved.where(value != 0), value[value != 0]
    ideal, best = run.ideal_by(worth)
    beyond = np.maximum(hits.rank - ideal.count[hits.query], 0)
    cost = read_at(ideal, ideal.running_sum(np.maximum(best, 1.0)), hits.query, hits.rank) + beyond
    behind = cost - hits.running_sum(value)
    return ratio(hits.sum(value / np.log2(2.0 + behind)), ideal.sum(best))


NORMALIZED_GAIN = Metric(
    "g",
    normalized_gain,
    is_monotone=False,
    ignores_the_rest=True,
    params=(GAIN,),
    aliases=("normalized_gain",),
    formula="Σ gain(i) ÷ log₂(2 + ideal cost up to i − gain up to i), ÷ Σ of all gains",
    cite="Buckley 2008, trec_eval 9, m_G.c (experimental)",
    trec=("G", "G_{gain}"),
)


def rndcg(run: GradedRun, gain: Any, rel: float | None) -> Scores:
    """Mean of nDCG at the ranks where the ideal ranking drops to the next lower grade.

    If a ranking has at least two more documents than there are documents with a gain, its last rank counts too, as in
    trec_eval.
    """
    worth = gain_function(gain)
    ideal, best = run.ideal_by(worth)
    last = np.append((np.diff(best) != 0) | (np.diff(ideal.query) != 0), True)[: len(best)]
    points = ideal.where(last)
    best_dcg = ideal.running_sum(best / np.log2(ideal.rank + 1.0))
    drops = ratio(_dcg_at(run, worth, points), best_dcg[last])
    goes_on = run.n_retrieved > ideal.count + 1
    ends = Hits(np.arange(run.n_queries), run.n_retrieved, np.zeros(run.n_queries), run.n_queries)
    whole = ratio(_dcg_at(run, worth, ends), ideal.sum(best / np.log2(ideal.rank + 1.0)))
    mean = ratio(points.sum(drops) + np.where(goes_on, whole, 0.0), points.count + goes_on)
    return np.where(run.n_relevant(rel) > 0, mean, 0.0)


def _dcg_at(run: GradedRun, worth: Any, at: Hits) -> np.ndarray:
    """The DCG of the run down to each (query, rank) of `at`."""
    value = worth(run.retrieved.grade)
    hits = run.retrieved
    running = hits.running_sum(value / np.log2(hits.rank + 1.0))
    seen = np.searchsorted(_key(hits.query, hits.rank, run), _key(at.query, at.rank, run), side="right")
    return read_at(hits, running, at.query, seen - hits.first[at.query])


def _key(query: np.ndarray, rank: np.ndarray, run: GradedRun) -> np.ndarray:
    deepest = int(max(run.n_retrieved.max(initial=0), run.ideal.rank.max(initial=0))) + 1
    return query * deepest + np.minimum(rank, deepest - 1)


RNDCG = Metric(
    "rndcg",
    rndcg,
    params=(GAIN, REL),
    aliases=("r_ndcg", "r-ndcg"),
    formula="mean of ndcg@c over c = number of documents at or above each grade; for long rankings also at the last rank",
    cite="Buckley 2008, trec_eval 9, m_Rndcg.c (experimental)",
    trec=("Rndcg", "Rndcg_{gain}"),
)
