"""Instance and cross-modal retrieval: rank of the first and the last relevant document, MAP@R, and the sum of hits."""

from __future__ import annotations

import numpy as np

from assay.arrays import ratio
from assay.grammar import Param, depth
from assay.metrics.definition import REL, GradedRun, Metric, Scores
from assay.metrics.ties import chance_of_none, tied_relevant
from assay.model import MEAN, quantile

RANK_DEPTH = Param(
    "k",
    depth,
    1000,
    "only the first k documents count. A query without a relevant document among them counts as rank k + 1",
    aliases=("cutoff", "depth"),
    at=True,
)


def rank_of_first(run: GradedRun, k: int, rel: float | None) -> Scores:
    """Rank of the first relevant document, k + 1 if none is among the first k."""
    first = run.relevant(rel).top(k).first_rank()
    return np.where(first > 0, first, k + 1).astype(float)


def mean_rank(run: GradedRun, k: int, rel: float | None) -> Scores:
    """Mean rank of the first relevant document.

    A query without a relevant document among the first k counts as rank k + 1, and k is 1,000 if it is not set. So a missing
    query, an empty ranking and a query without relevant documents have the worst rank. A few bad queries decide the mean;
    median_rank does not depend on them.
    """
    return rank_of_first(run, k, rel)


MEAN_RANK = Metric(
    "mean_rank",
    mean_rank,
    params=(RANK_DEPTH, REL),
    aliases=("meanr", "mnr", "mean_r"),
    range=(1.0, float("inf")),
    higher_is_better=False,
    aggregation=MEAN,
    formula="mean of the rank of the first relevant document, k + 1 if there is none",
    cite="Socher et al. 2014, Grounded Compositional Semantics for Finding and Describing Images with Sentences, TACL 2",
)


def median_rank(run: GradedRun, k: int, rel: float | None) -> Scores:
    """Median rank of the first relevant document.

    A query without a relevant document among the first k counts as rank k + 1, and k is 1,000 if it is not set. With an even
    number of queries, the median is the mean of the two ranks in the middle.
    """
    return rank_of_first(run, k, rel)


MEDIAN_RANK = Metric(
    "median_rank",
    median_rank,
    params=(RANK_DEPTH, REL),
    aliases=("medr", "mdr", "med_r"),
    range=(1.0, float("inf")),
    higher_is_better=False,
    aggregation=quantile(0.5),
    formula="median of the rank of the first relevant document, k + 1 if there is none",
    cite="Hodosh, Young & Hockenmaier 2013, Framing Image Description as a Ranking Task, JAIR 47",
)


CUTOFFS = (1, 5, 10)
"""The cutoffs whose hits are summed."""


def rsum(run: GradedRun, rel: float | None) -> Scores:
    """Sum of hit@1, hit@5 and hit@10 in per cent, in one direction of a cross-modal benchmark.

    The largest value is 300. Cross-modal papers write R@k for the share of queries with a relevant document in the first k,
    which is hit@k. Their rsum adds both directions; a report with the results of both directions shows this sum too.
    """
    hits = run.relevant(rel)
    return np.sum([100.0 * (hits.n_within(k) > 0) for k in CUTOFFS], axis=0)


def expected_rsum(run: GradedRun, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    tied = tied_relevant(run, rel)
    return np.sum([100.0 * (1.0 - chance_of_none(tied, k)) for k in CUTOFFS], axis=0)


RSUM = Metric(
    "rsum",
    rsum,
    expected=expected_rsum,
    params=(REL,),
    aliases=("r_sum", "recall_sum"),
    range=(0.0, 300.0),
    formula="100 · (hit@1 + hit@5 + hit@10)",
    cite="Frome et al. 2013, DeViSE, NeurIPS; Lee et al. 2018, Stacked Cross Attention for Image-Text Matching, ECCV",
)


def map_at_r(run: GradedRun, rel: float | None) -> Scores:
    """Average precision over the first R ranks, where R is the number of relevant documents of the query.

    Relevant documents after rank R contribute 0, and the divisor is R, so only a ranking that starts with all R relevant
    documents scores 1. A query with no relevant documents scores 0.
    """
    total = run.n_relevant(rel)
    hits = run.relevant(rel).top(total)
    return ratio(hits.sum(hits.position / hits.rank), total)


MAP_AT_R = Metric(
    "map_at_r",
    map_at_r,
    params=(REL,),
    aliases=("map@r", "mean_average_precision_at_r"),
    mistaken_for=("map", "rprec"),
    formula="1/R · Σ over relevant ranks i ≤ R of P@i",
    cite="Musgrave, Belongie & Lim 2020, A Metric Learning Reality Check, ECCV",
)


def minp(run: GradedRun, rel: float | None) -> Scores:
    """Share of relevant documents among all documents down to the last relevant one.

    It measures the work that it takes to find every relevant document. A query for which at least one relevant document was
    not retrieved scores 0, because its last rank is not known.
    """
    hits = run.relevant(rel)
    total = run.n_relevant(rel)
    last = np.zeros(run.n_queries)
    np.maximum.at(last, hits.query, hits.rank)
    return np.where(hits.count == total, ratio(total, last), 0.0)


MINP = Metric(
    "minp",
    minp,
    params=(REL,),
    aliases=("inp", "mean_inverse_negative_penalty"),
    formula="R ÷ rank of the last relevant document",
    cite="Ye et al. 2021, Deep Learning for Person Re-identification: A Survey and Outlook, TPAMI 44(6)",
)
