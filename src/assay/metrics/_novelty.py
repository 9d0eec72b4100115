"""Novelty: what a document still gains a subtopic that earlier documents were about, and the ranking that gains most.

A document relevant to a subtopic gains (1 − alpha)^n there, n being the documents before it that are relevant to the same
(Clarke et al. 2008, Novelty and Diversity in Information Retrieval Evaluation, SIGIR).
"""

from __future__ import annotations

import numpy as np

from assay.grammar import Param, fraction, persistence
from assay.metrics._expected import ranks_of, tied_hits
from assay.metrics._stopping import Weights, expected_reciprocal_stop
from assay.model import BySubtopic, Floats, Hits, Ints

ALPHA = Param("alpha", fraction, 0.5, "how much less a subtopic gains from each further document; 0: nothing less")
BETA = Param("beta", persistence, 0.5, "chance to go on to the next document")
MOST_BY_GREED = 1.582
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
