"""hybrid: several kinds of likeness together; the first that passes decides, or their weighted mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from assay.grammar import Param, fraction, one_of
from assay.model.ordering import Floats
from assay.model.records import Query
from assay.relevance._by_text import ROUNDING, Pairs, has_expected, judge_by_text
from assay.relevance._resolver import Ground, Judged, Resolver
from assay.relevance.coverage import word_coverage
from assay.relevance.lexical import bm25_share
from assay.relevance.substring import holds_expected
from assay.relevance.token import token_f1

PARTS: Mapping[str, tuple[Callable[[Pairs], Floats], float, float]] = {
    "substring": (holds_expected, 1.0, 1.0),
    "token": (token_f1, 0.3, 1.0),
    "coverage": (word_coverage, 0.7, 1.0),
    "lexical": (bm25_share, 0.5, 1.0),
}
"""Name → likeness, the threshold it has to reach by itself, and its weight in the mean."""
METHOD = Param(
    "method", one_of("first", "weighted"), "first", "first: any that reaches its own threshold; weighted: their mean"
)
THRESHOLD = Param("threshold", fraction, 0.5, "lowest weighted mean that is relevant")


def resolve_hybrid(ground: Ground, queries: Sequence[Query], method: str, threshold: float) -> dict[str, Judged]:
    """Exact words, F1, coverage and BM25. With `first` one of them is enough."""
    return judge_by_text(
        ground, queries, _first if method == "first" else _weighted, 1.0 if method == "first" else threshold
    )


def _first(pairs: Pairs) -> Floats:
    passes = [likeness(pairs) >= threshold - ROUNDING for likeness, threshold, _ in PARTS.values()]
    return np.logical_or.reduce(passes).astype(float)


def _weighted(pairs: Pairs) -> Floats:
    weights = [weight for _, _, weight in PARTS.values()]
    return np.average([likeness(pairs) for likeness, _, _ in PARTS.values()], axis=0, weights=weights)


RESOLVER = Resolver(
    "hybrid", "exact words, F1, coverage and BM25 together", has_expected, resolve_hybrid, (METHOD, THRESHOLD)
)
