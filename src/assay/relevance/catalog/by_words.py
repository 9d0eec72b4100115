"""Relevance by words: a text is compared with the expected words, in one of several ways or all together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from assay.arrays import Floats, ratio
from assay.grammar import Param, fraction, numbers, one_of
from assay.model import Query
from assay.relevance.by_text import ROUNDING, Pairs, has_expected, holds_phrase, judge_by_text
from assay.relevance.resolver import Ground, Judged, Resolver

COVERAGE_THRESHOLD = Param("threshold", fraction, 0.7, "lowest share of the expected words at which a text is relevant")


def word_coverage(pairs: Pairs) -> Floats:
    """The share of the expected words that the text contains."""
    return ratio(pairs.shared, pairs.n_expected[pairs.query])


def resolve_coverage(ground: Ground, queries: Sequence[Query], threshold: float) -> dict[str, Judged]:
    """Unlike F1, a long chunk that contains the whole answer gets the full share."""
    return judge_by_text(ground, queries, word_coverage, threshold)


COVERAGE = Resolver(
    "coverage", "share of the expected words that a text contains", has_expected, resolve_coverage, (COVERAGE_THRESHOLD,)
)


LEXICAL_THRESHOLD = Param("threshold", fraction, 0.5, "lowest share of the best possible score at which a text is relevant")


def bm25_share(pairs: Pairs) -> Floats:
    """BM25 of the text, divided by the BM25 of a text of mean length that has every expected word once; at most 1."""
    alike = np.zeros(len(pairs.query))
    order = np.argsort(pairs.query, kind="stable")
    bounds = np.searchsorted(pairs.query[order], np.arange(len(pairs.expected) + 1))
    for number, expected in enumerate(pairs.expected):
        rows = order[bounds[number] : bounds[number + 1]]
        if len(rows):
            scores, best = pairs.index.bm25(expected)
            alike[rows] = ratio(scores[pairs.text[rows]], best)
    return np.minimum(alike, 1.0)


def resolve_lexical(ground: Ground, queries: Sequence[Query], threshold: float) -> dict[str, Judged]:
    """Rare words weigh more than common ones, and length matters less than in F1."""
    return judge_by_text(ground, queries, bm25_share, threshold)


LEXICAL = Resolver(
    "lexical", "BM25 with the expected answer as the query", has_expected, resolve_lexical, (LEXICAL_THRESHOLD,)
)


def holds_expected(pairs: Pairs) -> Floats:
    """1 if the text contains all expected words in order, else 0."""
    holds = np.zeros(len(pairs.query))
    for place in np.flatnonzero(pairs.shared == pairs.n_expected[pairs.query]).tolist():
        holds[place] = holds_phrase(pairs, place)
    return holds


def resolve_substring(ground: Ground, queries: Sequence[Query]) -> dict[str, Judged]:
    """Case, punctuation and spacing do not matter; word boundaries do."""
    return judge_by_text(ground, queries, holds_expected, 1.0)


SUBSTRING = Resolver("substring", "all expected words, in order", has_expected, resolve_substring)


TOKEN_THRESHOLD = Param(
    "threshold", fraction, 0.3, "lowest F1 at which a text is relevant; 0.5 is strict, 0.1 is lenient", ("f1_threshold",)
)


def token_f1(pairs: Pairs) -> Floats:
    """Twice the shared words divided by the words of both texts: the harmonic mean of both shares."""
    return ratio(2 * pairs.shared, pairs.index.n_distinct[pairs.text] + pairs.n_expected[pairs.query])


def resolve_token(ground: Ground, queries: Sequence[Query], threshold: float) -> dict[str, Judged]:
    """Repetitions of a word do not count. A long text has a low F1 even if it contains the answer."""
    return judge_by_text(ground, queries, token_f1, threshold)


TOKEN = Resolver("token", "F1 of the words shared with the expected answer", has_expected, resolve_token, (TOKEN_THRESHOLD,))


HYBRID_PARTS: Mapping[str, tuple[Callable[[Pairs], Floats], float]] = {
    "substring": (holds_expected, 1.0),
    "token": (token_f1, 0.3),
    "coverage": (word_coverage, 0.7),
    "lexical": (bm25_share, 0.5),
}
"""Name → similarity, and its threshold."""


def four_weights(text: str) -> tuple[float, ...]:
    """Four numbers of at least 0, not all of them 0."""
    wrong = ValueError(f"{len(HYBRID_PARTS)} numbers of at least 0 (not all 0), such as [2, 1, 1, 1]")
    try:
        values = numbers(text)
    except ValueError:
        raise wrong from None
    if len(values) != len(HYBRID_PARTS) or min(values) < 0 or not any(values):
        raise wrong
    return values


HYBRID_METHOD = Param(
    "method",
    one_of("first", "weighted"),
    "first",
    "first: one of the four similarities reaches its own threshold; weighted: their weighted mean reaches `threshold`",
)
HYBRID_THRESHOLD = Param("threshold", fraction, 0.5, "lowest weighted mean at which a text is relevant")


HYBRID_WEIGHTS = Param(
    "weights", four_weights, (1.0, 1.0, 1.0, 1.0), "weighted: weights of substring, token, coverage and lexical"
)


def resolve_hybrid(
    ground: Ground, queries: Sequence[Query], method: str, threshold: float, weights: tuple[float, ...]
) -> dict[str, Judged]:
    """Exact words, F1, coverage and BM25. With `first`, one of them is enough."""
    if method == "first":
        return judge_by_text(ground, queries, _first_that_agrees, 1.0)
    return judge_by_text(ground, queries, partial(_weighted_mean, weights=weights), threshold)


def _first_that_agrees(pairs: Pairs) -> Floats:
    passes = [likeness(pairs) >= threshold - ROUNDING for likeness, threshold in HYBRID_PARTS.values()]
    return np.logical_or.reduce(passes).astype(float)


def _weighted_mean(pairs: Pairs, weights: tuple[float, ...]) -> Floats:
    return np.average([likeness(pairs) for likeness, _ in HYBRID_PARTS.values()], axis=0, weights=weights)


HYBRID = Resolver(
    "hybrid",
    "exact words, F1, coverage and BM25 together",
    has_expected,
    resolve_hybrid,
    (HYBRID_METHOD, HYBRID_THRESHOLD, HYBRID_WEIGHTS),
)
