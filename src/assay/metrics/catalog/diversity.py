"""Diversity: gain for each subtopic of a query, less for what was seen before."""

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

ALPHA = Param("alpha", fraction, 0.5, "how much less a subtopic gains from each further document; 0: nothing less")
BETA = Param("beta", persistence, 0.5, "chance to go on to the next document")
MAX_BY_GREED = 1.582
"""e ÷ (e − 1): how much better than the greedy ranking any other could be, where gains fall with what was seen and weights
with the rank (Nemhauser, Wolsey & Fisher 1978, An Analysis of Approximations for Maximizing Submodular Set Functions,
Mathematical Programming 14).
"""
DIGITS = 12
"""Gains that agree in so many decimals are the same; sums of fractions differ behind them by their order alone."""


def fading(beta: float) -> Weights:
    """The chance to get as far as a rank, for a user who goes on with chance beta."""
    return lambda rank: np.power(beta, rank - 1.0)


def novel_gain(by: BySubtopic, hits: Hits, alpha: float, weigh: Weights, k: int | None) -> Floats:
    """Σ of weighted gains within the first k over all subtopics of each query; `hits` are those of each subtopic."""
    worth = (1.0 - alpha) ** (hits.position - 1.0) * weigh(hits.rank)
    if k is not None:
        hits, worth = hits.where(hits.rank <= k), worth[hits.rank <= k]
    return by.sum(hits.sum(worth))


def expected_novel_gain(by: BySubtopic, alpha: float, weigh: Weights, k: int | None) -> Floats:
    """The same of what was retrieved, as the mean over all orders of ties.

    What is left of a gain is the chance that nobody who is satisfied with chance alpha has stopped.
    """
    tied = tied_hits(by.run)
    if alpha == 0:
        return by.sum(tied.expected_sum(np.ones(len(tied.hits.rank)), weigh(ranks_of(by.run)), k))
    return by.sum(expected_reciprocal_stop(tied, np.full(len(tied.hits.rank), alpha), k, weigh)) / alpha


def most_gain(alpha: float, weigh: Weights, k: int) -> float:
    """What one subtopic would gain if each of the first k documents were relevant to it."""
    rank = np.arange(1, k + 1)
    return float(((1.0 - alpha) ** (rank - 1.0) * weigh(rank)).sum())


def share_of_most(run: GradedRun, k: int, alpha: float, rel: float | None, weigh: Weights) -> Scores:
    """The gain of the first k as a share of what they would gain if each were relevant to every subtopic."""
    by = run.by_subtopic(rel)
    return ratio(novel_gain(by, by.run.retrieved, alpha, weigh, k), by.n_subtopics * most_gain(alpha, weigh, k))


def expected_share_of_most(run: GradedRun, k: int, alpha: float, rel: float | None, weigh: Weights) -> Scores:
    """The mean over all orders of ties."""
    by = run.by_subtopic(rel)
    return ratio(expected_novel_gain(by, alpha, weigh, k), by.n_subtopics * most_gain(alpha, weigh, k))


def share_of_ideal(run: GradedRun, k: int | None, alpha: float, rel: float | None, weigh: Weights) -> Scores:
    """The gain of the first k as a share of that of the ideal ranking."""
    by = run.by_subtopic(rel)
    actual, ideal = (novel_gain(by, hits, alpha, weigh, k) for hits in (by.run.retrieved, ideal_hits(by, alpha, k)))
    return ratio(actual, ideal)


def expected_share_of_ideal(run: GradedRun, k: int | None, alpha: float, rel: float | None, weigh: Weights) -> Scores:
    """The mean over all orders of ties."""
    by = run.by_subtopic(rel)
    ideal = novel_gain(by, ideal_hits(by, alpha, k), alpha, weigh, k)
    return ratio(expected_novel_gain(by, alpha, weigh, k), ideal)


def ideal_hits(by: BySubtopic, alpha: float, k: int | None) -> Hits:
    """Where each subtopic's documents stand in the best ranking: at each rank the document that gains most there.

    That is nearly always the best possible; to find the best one for sure is out of reach (NP-hard). Of equal ones the
    larger id comes first.
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
    """For each row: the number of its document, query by query and, within a query, the larger id first."""
    order = np.lexsort((-by.rows.by_id, by.rows.query))
    query, by_id = by.rows.query[order], by.rows.by_id[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (query[1:] != query[:-1]) | (by_id[1:] != by_id[:-1])
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.cumsum(is_new) - 1
    return number


def _greedy_ranks(by: BySubtopic, alpha: float, k: int | None) -> Ints:
    """The ideal rank of each document, all queries side by side, rank by rank; 0 beyond k."""
    document = _documents(by)
    n_documents = int(document.max(initial=-1)) + 1
    query = np.zeros(n_documents, dtype=np.int64)
    query[document] = by.rows.query
    rows = np.lexsort((by.rows.subtopic, document))
    document, subtopic = document[rows], by.rows.subtopic[rows]
    left = np.ones(len(by.query))  # what each subtopic still gains
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
    """The document of each query that gains most, the first of equals; rows are given document by document."""
    start = np.flatnonzero(np.diff(document, prepend=-1))
    candidate = document[start]
    total = np.round(np.add.reduceat(gain, start), DIGITS)
    owner = query[candidate]
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    best = np.repeat(np.maximum.reduceat(total, first), np.diff(first, append=len(owner)))
    is_best = np.flatnonzero(total == best)
    return candidate[is_best[np.flatnonzero(np.diff(owner[is_best], prepend=-1))]]


def alpha_dcg(run: GradedRun, k: int, alpha: float, rel: float | None) -> Scores:
    """Discounted gain of the first k over all subtopics, less for each document that repeats one.

    1 only if each of the first k documents is relevant to every subtopic.

    It is ndeval's, which at k = 1 forgets to divide by the number of subtopics.
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
    formula="Σ over ranks i ≤ k and subtopics of document i of (1 − alpha)^seen ÷ log₂(i + 1), ÷ its value if every "
    "document were about every subtopic",
    cite="Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher & MacKinnon 2008, Novelty and Diversity in Information "
    "Retrieval Evaluation, SIGIR",
)


def alpha_ndcg(run: GradedRun, k: int | None, alpha: float, rel: float | None) -> Scores:
    """Discounted gain over all subtopics, less for repeating one, as a share of that of an ideal ranking.

    The ideal takes what gains most at each rank, as in ndeval; in rare cases a ranking is better than that: above 1.
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
    formula="Σ over ranks i ≤ k and subtopics of document i of (1 − alpha)^seen ÷ log₂(i + 1), ÷ that of the ideal ranking",
    cite="Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher & MacKinnon 2008, Novelty and Diversity in Information "
    "Retrieval Evaluation, SIGIR",
)


def err_ia(run: GradedRun, k: int, alpha: float, rel: float | None) -> Scores:
    """Reciprocal of the rank at which a user is satisfied, averaged over what subtopic the user means.

    A relevant document satisfies with chance alpha, whatever its grade; 1 only if all k are relevant to every subtopic.

    It is ndeval's, which at k = 1 forgets to divide by the number of subtopics.
    """
    return share_of_most(run, k, alpha, rel, reciprocals)


ERR_IA = Metric(
    "err_ia",
    err_ia,
    expected=partial(expected_share_of_most, weigh=reciprocals),
    params=(CUTOFF_NEEDED, ALPHA, REL, JUDGED_ONLY),
    is_monotone=False,
    view="subtopics",
    formula="Σ over ranks i ≤ k and subtopics of document i of (1 − alpha)^seen ÷ i, ÷ its value if every document were "
    "about every subtopic",
    cite="Chapelle, Ji, Liao, Velipasaoglu, Lai & Wu 2011, Intent-based Diversification of Web Search Results: Metrics and "
    "Algorithms, Information Retrieval 14(6); normalised as in Clarke, Craswell, Soboroff & Ashkan 2011, WSDM",
)


def map_ia(run: GradedRun, rel: float | None) -> Scores:
    """Average precision for each subtopic, averaged over the subtopics of a query.

    Every subtopic weighs the same, however many documents are relevant to it; one with none does not count.
    """
    by = run.by_subtopic(rel)
    return by.mean(average_precision(by.run, None, None, "relevant"))


def expected_map_ia(run: GradedRun, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    by = run.by_subtopic(rel)
    return by.mean(expected_average_precision(by.run, None, None, "relevant"))


MAP_IA = Metric(
    "map_ia",
    map_ia,
    expected=expected_map_ia,
    params=(REL, JUDGED_ONLY),
    aliases=("ap_ia",),
    is_monotone=False,
    mistaken_for=("map",),
    view="subtopics",
    formula="mean over subtopics of the average precision of the documents that are relevant to it",
    cite="Agrawal, Gollapudi, Halverson & Ieong 2009, Diversifying Search Results, WSDM",
)


def nerr_ia(run: GradedRun, k: int | None, alpha: float, rel: float | None) -> Scores:
    """Err_ia as a share of that of an ideal ranking.

    The ideal takes what gains most at each rank, as in ndeval; in rare cases a ranking is better than that: above 1.
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
    """Nrbp as a share of that of an ideal ranking.

    The ideal takes what gains most at each rank; in rare cases a ranking is better: above 1. ndeval: nan for 0 ÷ 0.
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
    """Gain over all subtopics of a user who goes on with chance beta, less for each document that repeats one.

    All ranks count. 1 only if every document of an endless ranking were relevant to every subtopic.
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
    "beta^(i − 1)",
    cite="Clarke, Kolla & Vechtomova 2009, An Effectiveness Measure for Ambiguous and Underspecified Queries, ICTIR",
)


def precision_ia(run: GradedRun, k: int, rel: float | None) -> Scores:
    """Precision of the first k for each subtopic, averaged over the subtopics of a query.

    1 only if each of the first k documents is relevant to every subtopic; a ranking shorter than k is divided by k.
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
    formula="mean over subtopics of (documents of the first k that are relevant to it ÷ k)",
    cite="Agrawal, Gollapudi, Halverson & Ieong 2009, Diversifying Search Results, WSDM",
)


def subtopic_recall(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """Share of the subtopics that any of the first k documents is relevant to.

    A subtopic that no judged document is relevant to does not count; 0 where that leaves none.
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
