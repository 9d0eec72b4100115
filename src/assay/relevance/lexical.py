"""lexical: a text is relevant when BM25, asked with the expected words, scores it high enough."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.grammar import Param, fraction
from assay.model import Floats, Query, ratio
from assay.relevance._by_text import Pairs, has_expected, judge_by_text
from assay.relevance._resolver import Ground, Judged, Resolver

THRESHOLD = Param("threshold", fraction, 0.5, "lowest share of the best score possible that is relevant")


def bm25_share(pairs: Pairs) -> Floats:
    """BM25 of the text as a share of what a text of mean length with every expected word once would get, at most 1."""
    alike = np.zeros(len(pairs.query))
    order = np.argsort(pairs.query, kind="stable")
    bounds = np.searchsorted(pairs.query[order], np.arange(len(pairs.wanted) + 1))
    for number, expected in enumerate(pairs.wanted):
        rows = order[bounds[number] : bounds[number + 1]]
        if len(rows):
            scores, best = pairs.index.bm25(expected)
            alike[rows] = ratio(scores[pairs.text[rows]], best)
    return np.minimum(alike, 1.0)


def resolve_lexical(ground: Ground, queries: Sequence[Query], threshold: float) -> dict[str, Judged]:
    """Rare words weigh more than common ones, and length matters less than in F1."""
    return judge_by_text(ground, queries, bm25_share, threshold)


RESOLVER = Resolver("lexical", "BM25 with the expected answer as the query", has_expected, resolve_lexical, (THRESHOLD,))
