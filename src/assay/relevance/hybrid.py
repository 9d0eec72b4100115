"""hybrid: several kinds of likeness together; the first that passes decides, or their weighted mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from assay.grammar import Param, fraction, numbers, one_of
from assay.model import Floats, Query
from assay.relevance._by_text import ROUNDING, Pairs, has_expected, judge_by_text
from assay.relevance._resolver import Ground, Judged, Resolver
from assay.relevance.coverage import word_coverage
from assay.relevance.lexical import bm25_share
from assay.relevance.substring import holds_expected
from assay.relevance.token import token_f1

PARTS: Mapping[str, tuple[Callable[[Pairs], Floats], float]] = {
    "substring": (holds_expected, 1.0),
    "token": (token_f1, 0.3),
    "coverage": (word_coverage, 0.7),
    "lexical": (bm25_share, 0.5),
}
"""Name → likeness, and the threshold it has to reach by itself."""


def four_weights(text: str) -> tuple[float, ...]:
    """Four numbers from 0 up, not all of them 0."""
    values = numbers(text)
    if len(values) != len(PARTS) or min(values) < 0 or not any(values):
        raise ValueError(f"{len(PARTS)} numbers from 0 up, such as [2, 1, 1, 1]")
    return values


METHOD = Param(
    "method", one_of("first", "weighted"), "first", "first: any that reaches its own threshold; weighted: their mean"
)
THRESHOLD = Param("threshold", fraction, 0.5, "lowest weighted mean that is relevant")


WEIGHTS = Param(
    "weights", four_weights, (1.0, 1.0, 1.0, 1.0), "what substring, token, coverage and lexical weigh in the mean"
)


def resolve_hybrid(
    ground: Ground, queries: Sequence[Query], method: str, threshold: float, weights: tuple[float, ...]
) -> dict[str, Judged]:
    """Exact words, F1, coverage and BM25. With `first` one of them is enough."""
    if method == "first":
        return judge_by_text(ground, queries, _first, 1.0)
    return judge_by_text(ground, queries, partial(_weighted, weights=weights), threshold)


def _first(pairs: Pairs) -> Floats:
    passes = [likeness(pairs) >= threshold - ROUNDING for likeness, threshold in PARTS.values()]
    return np.logical_or.reduce(passes).astype(float)


def _weighted(pairs: Pairs, weights: tuple[float, ...]) -> Floats:
    return np.average([likeness(pairs) for likeness, _ in PARTS.values()], axis=0, weights=weights)


RESOLVER = Resolver(
    "hybrid", "exact words, F1, coverage and BM25 together", has_expected, resolve_hybrid, (METHOD, THRESHOLD, WEIGHTS)
)
