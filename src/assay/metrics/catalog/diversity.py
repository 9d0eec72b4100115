"""Diversity: gain for each subtopic of a query; a subtopic that was seen before gains less."""

from __future__ import annotations

from functools import partial

import numpy as np

from assay.arrays import Floats, Ints, ratio
from assay.grammar import Param, fraction, persistence
from assay.metrics.catalog.average_precision import average_precision, expected_average_precision
from assay.metrics.catalog.cascade import Weights, expected_reciprocal_stop, reciprocals
from assay.metrics.catalog.precision_recall import expected_hit, expected_precision, hit, precision
from assay.metrics.definition import CUTOFF, CUTOFF_NEEDED, JUDGED_ONLY, REL, GradedRun, Metric, Scores
from assay.metrics.gains import discounts
from assay.metrics.ties import ranks_of, tied_hits
from assay.views import BySubtopic, Hits

ALPHA = Param("alpha", fraction, 0.5, "how much the gain of a subtopic falls with each document about it (0: not at all)")
BETA = Param("beta", persistence, 0.5, "probability that the user continues to the next document")
MAX_BY_GREED = 1.582
"""e ÷ (e − 1): how much better than the greedy ranking another one can be, if gains fall with what was seen and weights
fall with the rank (Nemhauser, Wolsey & Fisher 1978, An Analysis of Approximations for Maximizing Submodular Set Functions,
Mathematical Programming 14).
"""
DIGITS = 12
"""Gains that agree to this many decimals are equal. Later decimals depend on the order of summation."""


def fading(beta: float) -> Weights:
    """The probability to reach a rank, for a user who continues with probability beta."""
    return lambda rank: np.power(beta, rank - 1.0)


def novel_gain(by: BySubtopic, hits: Hits, alpha: float, weigh: Weights, k: int | None) -> Floats:
    """Σ of weighted gains within the first k over all subtopics of each query; `hits` are the hits of each subtopic."""
    worth = (1.0 - alpha) ** (hits.position - 1.0) * weigh(hits.rank)
    if k is not None:
        hits, worth = hits.where(hits.rank <= k), worth[hits.rank <= k]
    return by.sum(hits.sum(worth))


def expected_novel_gain(by: BySubtopic, alpha: float, weigh: Weights, k: int | None) -> Floats:
    """The same for the retrieved documents, as the mean over all orders of ties.

    The share left of a gain is the probability that a user whom each document satisfies with probability alpha still reads.
    """
    tied = tied_hits(by.run)
    if alpha == 0:
        return by.sum(tied.expected_sum(np.ones(len(tied.hits.rank)), weigh(ranks_of(by.run)), k))
    return by.sum(expected_reciprocal_stop(tied, np.full(len(tied.hits.rank), alpha), k, weigh)) / alpha


def most_gain(alpha: float, weigh: Weights, k: int) -> float:
    """The gain of one subtopic if each of the first k documents were relevant to it."""
    rank = np.arange(1, k + 1)
    return float(((1.0 - alpha) ** (rank - 1.0) * weigh(rank)).sum())


def share_of_most(run: GradedRun, k: int, alpha: float, rel: float | None, weigh: Weights) -> Scores:
    """The gain of the first k, divided by their gain if each were relevant to every subtopic."""
    by = run.by_subtopic(rel)
    return ratio(novel_gain(by, by.run.retrieved, alpha, weigh, k), by.n_subtopics * most_gain(alpha, weigh, k))


def expected_share_of_most(run: GradedRun, k: int, alpha: float, rel: float | None, weigh: Weights) -> Scores:
    """The mean over all orders of ties."""
    by = run.by_subtopic(rel)
    return ratio(expected_novel_gain(by, alpha, weigh, k), by.n_subtopics * most_gain(alpha, weigh, k))


def share_of_ideal(run: GradedRun, k: int | None, alpha: float, rel: float | None, weigh: Weights) -> Scores:
    """The gain of the first k, divided by the gain of the ideal ranking."""
    by = run.by_subtopic(rel)
    actual, ideal = (novel_gain(by, hits, alpha, weigh, k) for hits in (by.run.retrieved, ideal_hits(by, alpha, k)))
    return ratio(actual, ideal)


def expected_share_of_ideal(run: GradedRun, k: int | None, alpha: float, rel: float | None, weigh: Weights) -> Scores:
    """The mean over all orders of ties."""
    by = run.by_subtopic(rel)
    ideal = novel_gain(by, ideal_hits(by, alpha, k), alpha, weigh, k)
    return ratio(expected_novel_gain(by, alpha, weigh, k), ideal)


def ideal_hits(by: BySubtopic, alpha: float, k: int | None) -> Hits:
    """The ideal ranks of the documents of each subtopic: the ideal ranking takes the document with the largest gain next.

    This is nearly always the best possible ranking; to find the best one for certain is NP-hard. Of documents with equal
    gains, the larger id comes first.
    """
    hits: Hits = by.remembered(("ideal", alpha, k), lambda: _ideal_hits(by, alpha, k))
    return hits


def _ideal_hits(by: BySubtopic, alpha: float, k: int | None) -> Hits:
    rank_of = _greedy_ranks(by, alpha, k)
    document = _documents(by)
    rank = rank_of[document]
    ranked = np.flatnonzero(rank > 0)
    ranked = ranked[np.lexsort((rank[ranked], by.rows.subtopic[ranked]))]
    return Hits(by.rows.subtopic[ranked], rank[ranked], np.ones(len(ranked)), len(by.query))


def _documents(by: BySubtopic) -> Ints:
    """For each row: the number of its document; by query and, within a query, by descending id."""
    order = np.lexsort((-by.rows.by_id, by.rows.query))
    query, by_id = by.rows.query[order], by.rows.by_id[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (query[1:] != query[:-1]) | (by_id[1:] != by_id[:-1])
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.cumsum(is_new) - 1
    return number


def _greedy_ranks(by: BySubtopic, alpha: float, k: int | None) -> Ints:
    """The ideal rank of each document, found rank by rank for all queries at once; 0 beyond k."""
    document = _documents(by)
    n_documents = int(document.max(initial=-1)) + 1
    query = np.zeros(n_documents, dtype=np.int64)
    query[document] = by.rows.query
    rows = np.lexsort((by.rows.subtopic, document))
    document, subtopic = document[rows], by.rows.subtopic[rows]
    left = np.ones(len(by.query))  # the gain that is left for each subtopic
    ranks = np.zeros(n_documents, dtype=np.int64)
    rank = 0
    while len(document) and (k is None or rank < k):
        rank += 1
        chosen = _best_of_each_query(document, left[subtopic], query)
        ranks[chosen] = rank
        is_chosen = ranks[document] == rank
        left[subtopic[is_chosen]] *= 1.0 - alpha
        document, subtopic = document[~is_chosen], subtopic[~is_chosen]
    return ranks


def _best_of_each_query(document: Ints, gain: Floats, query: Ints) -> Ints:
    """For each query: the document with the largest gain, the first of equal ones. Rows are grouped by document."""
    start = np.flatnonzero(np.diff(document, prepend=-1))
    candidate = document[start]
    total = np.round(np.add.reduceat(gain, start), DIGITS)
    owner = query[candidate]
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    best = np.repeat(np.maximum.reduceat(total, first), np.diff(first, append=len(owner)))
    is_best = np.flatnonzero(total == best)
    return candidate[is_best[np.flatnonzero(np.diff(owner[is_best], prepend=-1))]]


def alpha_dcg(run: GradedRun, k: int, alpha: float, rel: float | None) -> Scores:
    """Discounted gain of the first k documents over all subtopics; documents that repeat a subtopic gain less.

    1 only if each of the first k documents is relevant to every subtopic. Same as in ndeval, except at k = 1, where ndeval
    does not divide by the number of subtopics.
    """
    return share_of_most(run, k, alpha, rel, discounts)


ALPHA_DCG = Metric(
    "alpha_dcg",
    alpha_dcg,
    expected=partial(expected_share_of_most, weigh=discounts),
    params=(CUTOFF_NEEDED, ALPHA, REL, JUDGED_ONLY),
    aliases=("α_dcg", "a_dcg"),
    is_monotone=False,
    view="subtopics",
    formula="Σ over ranks i ≤ k and subtopics of document i of (1 − alpha)^seen ÷ log₂(i + 1), ÷ this sum if every "
    "document were about every subtopic;  seen: earlier documents about the subtopic",
    cite="Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher & MacKinnon 2008, Novelty and Diversity in Information "
    "Retrieval Evaluation, SIGIR",
)


def alpha_ndcg(run: GradedRun, k: int | None, alpha: float, rel: float | None) -> Scores:
    """Discounted gain over all subtopics, in which repeated subtopics gain less, divided by that of an ideal ranking.

    Each rank of the ideal ranking has the remaining document with the largest gain, as in ndeval. In rare cases another
    ranking is better, and its score is above 1.
    """
    return share_of_ideal(run, k, alpha, rel, discounts)


ALPHA_NDCG = Metric(
    "alpha_ndcg",
    alpha_ndcg,
    expected=partial(expected_share_of_ideal, weigh=discounts),
    params=(CUTOFF, ALPHA, REL, JUDGED_ONLY),
    aliases=("α_ndcg", "a_ndcg"),
    is_monotone=False,
    range=(0.0, MAX_BY_GREED),
    view="subtopics",
    formula="Σ over ranks i ≤ k and subtopics of document i of (1 − alpha)^seen ÷ log₂(i + 1), ÷ this sum for the ideal "
    "ranking;  seen: earlier documents about the subtopic",
    cite="Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher & MacKinnon 2008, Novelty and Diversity in Information "
    "Retrieval Evaluation, SIGIR",
)


def err_ia(run: GradedRun, k: int, alpha: float, rel: float | None) -> Scores:
    """Expected value of 1 ÷ the rank at which a user is satisfied, averaged over the subtopics the user may mean.

    A relevant document satisfies the user with probability alpha; grades make no difference. 1 only if all k documents are
    relevant to every subtopic. Same as in ndeval, except at k = 1, where ndeval does not divide by the number of subtopics.
    """
    return share_of_most(run, k, alpha, rel, reciprocals)


ERR_IA = Metric(
    "err_ia",
    err_ia,
    expected=partial(expected_share_of_most, weigh=reciprocals),
    params=(CUTOFF_NEEDED, ALPHA, REL, JUDGED_ONLY),
    is_monotone=False,
    view="subtopics",
    formula="Σ over ranks i ≤ k and subtopics of document i of (1 − alpha)^seen ÷ i, ÷ this sum if every document were "
    "about every subtopic;  seen: earlier documents about the subtopic",
    cite="Chapelle, Ji, Liao, Velipasaoglu, Lai & Wu 2011, Intent-based Diversification of Web Search Results: Metrics and "
    "Algorithms, Information Retrieval 14(6); normalised as in Clarke, Craswell, Soboroff & Ashkan 2011, WSDM",
)


def map_ia(run: GradedRun, rel: float | None) -> Scores:
    """Average precision for each subtopic, averaged over the subtopics of the query.

    Every subtopic has the same weight, however many documents are relevant to it. A subtopic without relevant documents does
    not count.
    """
    by = run.by_subtopic(rel)
    return by.mean(average_precision(by.run, None, None, "relevant"))


def expected_map_ia(run: GradedRun, rel: float | None) -> Scores | None:
    """The mean over all orders of ties."""
    by = run.by_subtopic(rel)
    mean = expected_average_precision(by.run, None, None, "relevant")
    return None if mean is None else by.mean(mean)


MAP_IA = Metric(
    "map_ia",
    map_ia,
    expected=expected_map_ia,
    params=(REL, JUDGED_ONLY),
    aliases=("ap_ia",),
    is_monotone=False,
    mistaken_for=("map",),
    view="subtopics",
    formula="mean over subtopics of the average precision for the subtopic",
    cite="Agrawal, Gollapudi, Halverson & Ieong 2009, Diversifying Search Results, WSDM",
)


def nerr_ia(run: GradedRun, k: int | None, alpha: float, rel: float | None) -> Scores:
    """ERR-IA divided by the ERR-IA of an ideal ranking.

    Each rank of the ideal ranking has the remaining document with the largest gain, as in ndeval. In rare cases another
    ranking is better, and its score is above 1.
    """
    return share_of_ideal(run, k, alpha, rel, reciprocals)


NERR_IA = Metric(
    "nerr_ia",
    nerr_ia,
    expected=partial(expected_share_of_ideal, weigh=reciprocals),
    params=(CUTOFF, ALPHA, REL, JUDGED_ONLY),
    is_monotone=False,
    range=(0.0, MAX_BY_GREED),
    view="subtopics",
    formula="err_ia ÷ err_ia of the ideal ranking",
    cite="Clarke, Craswell, Soboroff & Ashkan 2011, A Comparative Analysis of Cascade Measures for Novelty and Diversity, "
    "WSDM",
)


def nnrbp(run: GradedRun, alpha: float, beta: float, rel: float | None) -> Scores:
    """NRBP divided by the NRBP of an ideal ranking.

    Each rank of the ideal ranking has the remaining document with the largest gain. In rare cases another ranking is better,
    and its score is above 1. If both values are 0, the score is 0; ndeval reports nan.
    """
    return share_of_ideal(run, None, alpha, rel, fading(beta))


def expected_nnrbp(run: GradedRun, alpha: float, beta: float, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    return expected_share_of_ideal(run, None, alpha, rel, fading(beta))


NNRBP = Metric(
    "nnrbp",
    nnrbp,
    expected=expected_nnrbp,
    params=(ALPHA, BETA, REL, JUDGED_ONLY),
    is_monotone=False,
    range=(0.0, MAX_BY_GREED),
    view="subtopics",
    formula="nrbp ÷ nrbp of the ideal ranking",
    cite="Clarke, Craswell, Soboroff & Ashkan 2011, A Comparative Analysis of Cascade Measures for Novelty and Diversity, "
    "WSDM",
)


def nrbp(run: GradedRun, alpha: float, beta: float, rel: float | None) -> Scores:
    """Gain over all subtopics, for a user who continues with probability beta; repeated subtopics gain less.

    All ranks count. 1 only for an infinite ranking in which every document is relevant to every subtopic.
    """
    by = run.by_subtopic(rel)
    scale = 1.0 - (1.0 - alpha) * beta
    return ratio(scale * novel_gain(by, by.run.retrieved, alpha, fading(beta), None), by.n_subtopics)


def expected_nrbp(run: GradedRun, alpha: float, beta: float, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    by = run.by_subtopic(rel)
    scale = 1.0 - (1.0 - alpha) * beta
    return ratio(scale * expected_novel_gain(by, alpha, fading(beta), None), by.n_subtopics)


NRBP = Metric(
    "nrbp",
    nrbp,
    expected=expected_nrbp,
    params=(ALPHA, BETA, REL, JUDGED_ONLY),
    is_monotone=False,
    view="subtopics",
    formula="(1 − (1 − alpha) · beta) ÷ subtopics · Σ over ranks i and subtopics of document i of (1 − alpha)^seen · "
    "beta^(i − 1);  seen: earlier documents about the subtopic",
    cite="Clarke, Kolla & Vechtomova 2009, An Effectiveness Measure for Ambiguous and Underspecified Queries, ICTIR",
)


def precision_ia(run: GradedRun, k: int, rel: float | None) -> Scores:
    """Precision at k for each subtopic, averaged over the subtopics of the query.

    1 only if each of the first k documents is relevant to every subtopic. The divisor is k even if the ranking is shorter.
    """
    by = run.by_subtopic(rel)
    return by.mean(precision(by.run, k, None, "k"))


def expected_precision_ia(run: GradedRun, k: int, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    by = run.by_subtopic(rel)
    return by.mean(expected_precision(by.run, k, None, "k"))


PRECISION_IA = Metric(
    "precision_ia",
    precision_ia,
    expected=expected_precision_ia,
    params=(CUTOFF_NEEDED, REL, JUDGED_ONLY),
    aliases=("p_ia",),
    is_monotone=False,
    mistaken_for=("precision",),
    view="subtopics",
    formula="mean over subtopics of (documents in top k that are relevant to the subtopic ÷ k)",
    cite="Agrawal, Gollapudi, Halverson & Ieong 2009, Diversifying Search Results, WSDM",
)


def subtopic_recall(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """Share of the subtopics for which at least one of the first k documents is relevant.

    A subtopic without relevant documents in the judgments does not count. 0 if no subtopic is left.
    """
    by = run.by_subtopic(rel)
    return by.mean(hit(by.run, k, None))


def expected_subtopic_recall(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    by = run.by_subtopic(rel)
    return by.mean(expected_hit(by.run, k, None))


SUBTOPIC_RECALL = Metric(
    "subtopic_recall",
    subtopic_recall,
    expected=expected_subtopic_recall,
    params=(CUTOFF, REL, JUDGED_ONLY),
    aliases=("st_recall", "strecall", "s_recall", "strec"),
    is_monotone=False,
    mistaken_for=("recall",),
    view="subtopics",
    formula="subtopics of the first k documents ÷ subtopics with a relevant document",
    cite="Zhai, Cohen & Lafferty 2003, Beyond Independent Relevance: Methods and Evaluation Metrics for Subtopic Retrieval, "
    "SIGIR",
)
